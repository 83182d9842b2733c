"""`./freehold release`: the version everywhere, the changelog, and all that is published."""
