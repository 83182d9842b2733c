"""What the tests of `./freehold switch` have in common."""


def body(text):
    """Returns the lines that are no includes."""
    return [line for line in text.splitlines() if line and not line.startswith("#include")]


def left(report):
    return [line for line in report if ": left: " in line]
