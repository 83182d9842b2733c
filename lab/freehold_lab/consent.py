"""Nothing is installed without the user's leave. Standard library only: ./freehold asks before anything is there."""

import os
import sys

from freehold_lab.messages import say


def agreed(plan: list[str]) -> bool:
    """Says what is to be installed, a line each, and whether to go ahead: as root and in CI, else as the user says."""
    for line in plan:
        say(f"to install: {line}")
    if os.geteuid() == 0 or os.environ.get("CI") == "true":
        return True
    if not sys.stdin.isatty():
        say("nothing is installed, as there is no terminal to ask at")
        return False
    try:
        return input("Go ahead? [Y/n] ").strip().lower() in ("", "y", "yes")
    except EOFError:
        return False
