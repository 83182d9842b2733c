"""What is told of one image, and kept in a file: types, sizes, addresses and symbols, never contents."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from freehold_lab.errors import LabError

if TYPE_CHECKING:
    from freehold_lab.owners.image.memory import Image

FORMAT = "freehold owners"
VERSION = 1
# By the numbers of Grade.
GRADES = (
    *("held", "leaked", "leaked-raw", "leaked-stale", "expired"),
    *("suspected", "suspected-raw", "suspected-stale"),
)


class Type(msgspec.Struct, frozen=True):
    """The objects of one type that are owned together with others."""

    name: str
    objects: int
    bytes: int  # of the objects, with their control blocks
    owners: int
    weak: int
    grades: dict[str, int]  # how many of the objects are so; those that none is are left out
    leaked_bytes: int = 0  # with what is suspected
    expired_bytes: int = 0


class Step(msgspec.Struct, frozen=True):
    """An object, and the place in it from which the next is owned."""

    type: str
    place: str = ""  # such as "+40" or, with debug information, ".callback"; empty at the end
    address: int = 0  # of the object


class Leak(msgspec.Struct, frozen=True):
    """Objects that nobody reaches: those that own each other in a cycle, with all that only they hold."""

    grade: str
    cycle: list[Step]  # one of them; the first owns the second, and the last the first. Empty: an owner was lost
    types: dict[str, int]  # objects of each, in the cycle
    behind: dict[str, int]  # objects of each that only the cycle holds
    bytes: int  # of all of them, and of the memory that only they lead to
    count: int  # how often there is one like it; the figures are of all together


class Owner(msgspec.Struct, frozen=True):
    """A handle of one object."""

    address: int
    kind: str  # "owner", "weak", or "owner or weak"
    where: str  # such as "Session +40", "global server in nginx", "stack of thread 4711"


class Asked(msgspec.Struct, frozen=True):
    """An object that the user asks for by --who."""

    address: int
    type: str
    grade: str
    owners: int
    weak: int
    unseen: int  # owners that were not found, at most
    handles: list[Owner]
    path: list[Step]  # the shortest from a root, if one was found
    root: str  # what holds the first of the path; "an owner that was not found", or empty if nothing does


class Report(msgspec.Struct, frozen=True):
    format: str
    version: int
    source: str
    processor: str
    time: str  # when the image was taken, as ISO 8601 has it
    stopped: float  # seconds
    bytes: int  # that the program can write
    allocator: str
    owners: int
    explained: float  # the share of the owners that were found
    unknown: int  # handles of which it is not known whether they own
    doubts: list[str]  # why nothing is called leaked, if so; all of it is suspected then
    notes: list[str]
    types: list[Type]  # those of most bytes first
    leaks: list[Leak]  # likewise
    asked: list[Asked] = []


def about(image: "Image") -> dict[str, Any]:
    """Returns what every report has of its image."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "source": image.source,
        "processor": image.processor,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "stopped": round(image.stopped, 4),
        "bytes": image.writable_bytes,
    }


def write(report: Report) -> bytes:
    return msgspec.json.format(msgspec.json.encode(report), indent=1)


def read(path: Path) -> Report:
    """Raises LabError if the file cannot be read or is no report."""
    try:
        report = msgspec.json.decode(path.read_bytes(), type=Report)
    except OSError as error:
        raise LabError(f"cannot read {path}: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise LabError(f"{path} is no report of owners: {error}") from error
    if (report.format, report.version) != (FORMAT, VERSION):
        raise LabError(f"{path} is a report of version {report.version}; this command reads {VERSION}")
    return report
