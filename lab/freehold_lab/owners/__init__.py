"""Who owns what in a program that nobody prepared: the control blocks in its memory, their owners, and what leaks."""
