"""Results on disk: whole or not there at all, and never written over unless they are the same run."""

import itertools
import os
from pathlib import Path

from pydantic import ValidationError

from freehold_lab import earlier
from freehold_lab.errors import LabError
from freehold_lab.model import SCHEMA, Result
from freehold_lab.report import packing


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
    draft = path.with_name(f"{path.name}.draft")
    try:
        with draft.open("w") as file:
            file.write(result.model_dump_json())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise LabError(f"cannot save {path}: {error.strerror}; what was saved before is as it was") from error


def load(path: Path) -> Result:
    """Reads a result, also from a page that was drawn from it."""
    try:
        text = path.read_text()
        written = packing.result_in(text) if path.suffix == ".html" else text
        return earlier.upgrade(Result.model_validate_json(written))
    except OSError as error:
        raise LabError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LabError(f"{path} is not a result: not a text file") from error
    except ValidationError as error:
        raise LabError(f"{path} is not a result: {_fault(error)}") from error


def keep(path: Path, result: Result) -> Path:
    """Renames the file of `result`, and the page drawn from it, after the moment it was started."""
    name = result.started.replace(":", "-")
    page = path.with_suffix(".html")
    if page.exists():
        page.rename(page.with_stem(name))
    return path.rename(path.with_stem(name))


def set_aside(path: Path) -> Path:
    """Moves a file that is not a result out of the way of one, and returns what it is called now."""
    names = (path.with_name(f"{path.name}.corrupt-{number}") for number in itertools.count(1))
    return path.rename(next(name for name in names if not name.exists()))


def _fault(error: ValidationError) -> str:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return f"damaged or truncated ({first['ctx']['error']})"
    if first["loc"] == ("schema_version",):
        return f"another version of the lab wrote it (schema {first['input']}, not {SCHEMA})"
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
