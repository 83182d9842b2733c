"""Results on disk: whole or not there at all, and never written over unless they are the same run."""

import itertools
import re
from pathlib import Path

from pydantic import ValidationError

from freehold_lab import earlier, files
from freehold_lab.errors import LabError
from freehold_lab.model import SCHEMA, Result
from freehold_lab.report import packing

MOST_BYTES = 200_000_000  # a whole run takes a tenth of it
MOST_LETTERS = 60  # of a name
# What no measurement writes, since it would command a terminal. Tabs and ends of lines may be in machine code.
CONTROL = re.compile(r"\\u00(?:[01][0-9a-fA-F]|7[fF]|[89][0-9a-fA-F])|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def prepare(folder: Path) -> None:
    """Makes the output folder and writes to it once, so that a fault shows before anything is measured."""
    attempt = folder / ".writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        attempt.write_text("yes")
        attempt.unlink()
    except OSError as error:
        raise LabError(f"cannot write to the output folder {folder}: {error.strerror}") from error


def save(result: Result, path: Path) -> None:
    """Writes `result` beside `path`, then puts it in place at one stroke: whatever fails, the old file is whole."""
    files.replace(path, result.model_dump_json())


def load(path: Path) -> Result:
    """Reads a result, also from a page that was drawn from it. It may come from anywhere: LabError says what is wrong
    with it."""
    data = read(path)
    written = packing.result_in(_text(path, data), MOST_BYTES).encode() if path.suffix == ".html" else data
    if has_control(path, written):
        raise LabError(f"{path} is not a result: it has control characters")
    try:
        return earlier.upgrade(Result.model_validate_json(written))
    except ValidationError as error:
        raise LabError(f"{path} is not a result: {_fault(error)}") from error


def has_control(path: Path, data: bytes) -> bool:
    # JSON itself has no such letters but these; three quick looks decide nearly always.
    if data.isascii() and b"\\u00" not in data and b"\x7f" not in data:
        return False
    return bool(CONTROL.search(_text(path, data)))


def read(path: Path) -> bytes:
    """Returns what is in a file that is no larger than a result can be. Raises LabError if it is none."""
    try:
        if not path.is_file():
            path.stat()
            raise LabError(f"{path} is not a result: not a file")
        if path.stat().st_size > MOST_BYTES:
            raise LabError(f"{path} is not a result: larger than {MOST_BYTES // 1_000_000} MB")
        return path.read_bytes()
    except OSError as error:
        raise LabError(f"cannot read {path}: {error.strerror}") from error
    except RuntimeError as error:  # of a circle of links
        raise LabError(f"cannot read {path}: it links to itself") from error


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise LabError(f"{path} is not a result: not a text file") from error


def keep(path: Path, result: Result, prefix: str = "") -> Path:
    """Renames the file of `result`, and the page drawn from it, after the moment it was started."""
    page = path.with_suffix(".html")
    moment = re.sub(r"[^\w+-]", "-", result.started)[:MOST_LETTERS] or "unknown"
    kept = _free_name(path, prefix + moment)
    if page.exists():
        page.rename(kept.with_suffix(".html"))
    return path.rename(kept)


def _free_name(path: Path, stem: str) -> Path:
    """Returns `path` with another stem, which no file has."""
    names = (path.with_stem(stem if number == 1 else f"{stem}-{number}") for number in itertools.count(1))
    return next(name for name in names if not name.exists() and not name.with_suffix(".html").exists())


def set_aside(path: Path) -> Path:
    """Moves a file that is not a result out of the way of one, and returns what it is called now."""
    names = (path.with_name(f"{path.name}.corrupt-{number}") for number in itertools.count(1))
    return path.rename(next(name for name in names if not name.exists()))


def _fault(error: ValidationError) -> str:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return f"damaged or truncated ({first['ctx']['error']})"
    if first["loc"] == ("schema_version",):
        return f"another version of the lab wrote it (schema {str(first['input'])[:20]}, not {SCHEMA})"
    place = ".".join(map(str, first["loc"]))[:200]
    return f"{place}: {first['msg']}" if place else str(first["msg"])
