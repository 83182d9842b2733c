"""Whether there is memory for reading a process, here and in the process's container."""

from pathlib import Path

from freehold_lab.errors import LabError

FACTOR = 3  # the copy, and what its analysis takes, per byte that the process can write and has touched
FIXED = 200 << 20  # bytes for Python and its libraries
NO_LIMIT = 1 << 60  # the first version of cgroups has a large number there


def check(process: int, touched: int, brought_in: int = 0, root: Path = Path("/")) -> None:
    """Raises LabError if reading `touched` bytes takes more than is free.

    `brought_in` of these are in no memory yet, or swapped: reading them takes memory of the process's own cgroup."""
    need = touched * FACTOR + FIXED
    places = [("on this machine", available(root), need)]
    places += [(f"in the cgroup {name}", free, need) for name, free in headroom("self", root)]
    places += [(f"in the cgroup {name}", free, brought_in) for name, free in headroom(str(process), root)]
    for place, free, wanted in places:
        if wanted and wanted > free:
            raise LabError(
                f"to read process {process} takes about {wanted >> 20:,} MiB, and {max(0, free) >> 20:,} MiB are free "
                f"{place}: run this outside of the container, or take a core (gcore -o core {process}) and read "
                f"core.{process} on a larger machine"
            )


def available(root: Path) -> int:
    """Returns the free bytes of the machine."""
    for line in _text(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return NO_LIMIT


def headroom(process: str, root: Path) -> list[tuple[str, int]]:
    """Returns the free bytes of the process's cgroup and of those above it, where they have a limit."""
    found = []
    for line in _text(root / "proc" / process / "cgroup").splitlines():
        _, controllers, name = line.split(":", 2)
        if controllers == "":
            files = ("memory.max", "memory.current", "inactive_file")
            top = root / "sys/fs/cgroup"
            top = top / "unified" if (top / "unified").exists() else top
        elif "memory" in controllers.split(","):
            files = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            top = root / "sys/fs/cgroup/memory"
        else:
            continue
        # In a container, the path may be one of the host, while its own group is mounted at the top.
        path = Path(name.lstrip("/"))
        for each in (path, *path.parents):
            free = _free(top / each, *files)
            if free is not None:
                found.append((f"/{each}" if each.name else "/", free))
    return found


def _free(group: Path, limit: str, used: str, reclaimable: str) -> int | None:
    most = _text(group / limit).strip()
    if not most.isdigit() or int(most) >= NO_LIMIT:
        return None
    statistics = dict(line.split() for line in _text(group / "memory.stat").splitlines() if line.count(" ") == 1)
    return int(most) - int(_text(group / used) or 0) + int(statistics.get(reclaimable, 0))


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
