"""`./freehold switch`: rewrites a program from the pointers of std or Boost to Freehold's, by what libclang says it means."""
