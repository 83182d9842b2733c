"""The laboratory behind ./freehold: it measures ownership strategies on this machine and draws what it finds."""
