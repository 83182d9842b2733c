"""`./freehold switch`: moves a program from the pointers of std or Boost to Freehold's, by what libclang reads."""
