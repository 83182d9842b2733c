"""What was in a program's memory at one moment: of a process that runs, or in a core file."""
