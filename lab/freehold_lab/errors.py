class LabError(Exception):
    """Something that the user can mend, said in one line: the command prints it and ends with exit code 2."""
