"""The tables of virtual functions in a program, and which of them are control blocks'."""
