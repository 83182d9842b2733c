"""The lines in a debugger's settings with which it shows Freehold's pointers and memory resources."""

from pathlib import Path

from freehold_lab import folders

LLDB = f"command script import {folders.DEBUGGER / 'freehold_lldb.py'}"


def gdb(folder: Path) -> str:
    """Returns the line that lets programs in `folder` and below bring scripts, as diagnosis/gdb.hpp has them do."""
    return f"add-auto-load-safe-path {folder.resolve()}"
