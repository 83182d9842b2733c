"""Addresses that a program has given to the kernel, which hands them back later: of epoll and of timers."""

import re
from pathlib import Path

EPOLL = "anon_inode:[eventpoll]"
OF_EPOLL = re.compile(r"^tfd:.* data: +([0-9a-f]+)", re.MULTILINE)
OF_TIMERS = re.compile(r"^signal: \d+/([0-9a-f]+)", re.MULTILINE)


def kept(process: int, proc: Path = Path("/proc")) -> tuple[int, ...]:
    """Returns those of the process; none of what cannot be read."""
    folder = proc / str(process)
    files = [folder / "fdinfo" / each.name for each in _listed(folder / "fd") if _is_epoll(each)]
    found = [each for file in files for each in OF_EPOLL.findall(_text(file))]
    found += OF_TIMERS.findall(_text(folder / "timers"))
    return tuple(int(each, 16) for each in found)


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _is_epoll(file: Path) -> bool:
    try:
        return str(file.readlink()) == EPOLL
    except OSError:  # closed meanwhile
        return False


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
