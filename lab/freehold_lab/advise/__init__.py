"""`./freehold advise`: records what an unmodified program allocates, and says whether another way would pay."""
