"""Applies edits to files, and shows them."""

import difflib
import signal
from pathlib import Path

from freehold_lab import files
from freehold_lab.errors import LabError
from freehold_lab.process import capture
from freehold_lab.switching.deciding import Decision, Edit


def edited(decision: Decision) -> bytes:
    """Returns the text of the file with all edits."""
    parts, place = [], 0
    text = decision.source.text
    for edit in sorted(decision.edits, key=_order):
        parts += [text[place : edit.start], edit.text.encode()]
        place = max(place, edit.end)
    return b"".join((*parts, text[place:]))


def _order(edit: Edit) -> tuple[int, bool, int, int]:
    """At one place: what closes an expression, then what opens one, the longest first, then what replaces a name."""
    return (edit.start, edit.text != ")", edit.end, -len(edit.text))


def difference(decision: Decision, root: Path) -> str:
    name = decision.source.path.relative_to(root)
    before, after = (
        text.decode(errors="surrogateescape").splitlines(keepends=True)
        for text in (decision.source.text, edited(decision))
    )
    return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def require_committed(root: Path) -> None:
    """Raises LabError unless git could bring back what is written over."""
    status = capture("git", "-C", str(root), "status", "--porcelain", "--untracked-files=no", "--", ".")
    if status is None:
        raise LabError(f"{root} is not under git, so nothing could be undone: commit it first, or give --force")
    if status:
        raise LabError(f"{root} has changes that are not committed: commit them first, or give --force")


def write(changed: list[Decision]) -> None:
    """Writes all files, or none: a signal to end is heard behind the last. Raises LabError if one has changed."""
    for decision in changed:
        if decision.source.path.read_bytes() != decision.source.text:
            raise LabError(f"{decision.source.path} has changed meanwhile; nothing is written")
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        for decision in changed:
            files.replace_bytes(decision.source.path, edited(decision))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
