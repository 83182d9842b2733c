"""The result files that a user names. They may have come by mail: nothing in them is believed before it is checked."""

import glob
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import msgspec

from freehold_lab import store
from freehold_lab.errors import LabError, distrusting
from freehold_lab.machines.schema import DECODER
from freehold_lab.model import Result
from freehold_lab.workloads import ALL

MOST_LETTERS = 60
# Names of files and folders that say nothing of the machine: what a run writes if nobody renames it.
NAMELESS = re.compile(r"latest|results?|\d{4}-\d\d-\d\dT.*", re.IGNORECASE)


def find(arguments: Iterable[str]) -> list[Path]:
    """Returns the files that `arguments` name: files, patterns, and folders for the .json files in and below them.
    Raises LabError for an argument without any."""
    found: dict[Path, None] = {}
    for argument in arguments:
        path = Path(argument)
        if path.is_dir():
            files = sorted(each for each in path.rglob("*.json") if each.exists())
        else:
            files = [path] if path.exists() else sorted(map(Path, glob.glob(argument, recursive=True)))
        if not files:
            raise LabError(f"no results in {argument}" if path.is_dir() else f"there is no file {argument}")
        found |= dict.fromkeys(files)
    return list(found)


def read(path: Path) -> Result:
    """Returns the result in `path`, with findings, as records that have the attributes of the model. Raises LabError if
    it is none."""
    data = store.read(path)
    if store.has_control(path, data):
        return _reread(path)
    try:
        found = cast(Result, DECODER.decode(data))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _reread(path)
    return found if found.findings and _is_known(found) else _reread(path)


def _is_known(result: Result) -> bool:
    """Whether all workloads are; pydantic says which one is not."""
    records = (*(each.cell for each in result.launches), *result.counts, *result.peaks, *result.findings.ratios)  # type: ignore[union-attr]
    return {each.workload for each in records} <= ALL.keys()


def _reread(path: Path) -> Result:
    """Reads a file as any other command does: what an earlier version wrote, an interrupted run, and what is no result,
    with a word on why."""
    from freehold_lab import statistics

    result = store.load(path)
    with distrusting(path):
        result.findings = result.findings or statistics.find(result)
    try:
        return cast(Result, DECODER.decode(result.model_dump_json()))
    except msgspec.MsgspecError as error:
        raise LabError(f"{path} is not a result: {error}") from error


def name_machines(paths: list[Path]) -> list[str]:
    """Returns a name for the machine of each file, all different: the file's, or its folder's if that says nothing."""
    seen: Counter[str] = Counter()
    names = []
    for path in paths:
        words = [path.stem, *(folder.name for folder in path.resolve().parents if folder.name)]
        name = plain(next((word for word in words if not NAMELESS.fullmatch(word)), path.stem))
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def plain(text: str, most: int = MOST_LETTERS) -> str:
    """Returns foreign `text` as it may be printed: without control characters, and short."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in text)
    return clean if len(clean) <= most else clean[: most - 1] + "…"
