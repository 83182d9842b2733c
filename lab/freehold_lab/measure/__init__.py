"""What is measured: time, executed instructions, code size and data size, each by a module of its own."""
