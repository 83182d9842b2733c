"""`./freehold heap FILE…`: what is in the snapshot of a heap, and what the second one has more than the first."""
