"""Which member of a class is at an offset, and whether it owns: what debug information says of it, read by gdb."""
