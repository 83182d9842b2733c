"""Exports every call for heaptrack_print and heaptrack_gui, as heaptrack_interpret writes it."""

import gzip
import shlex
import shutil
import subprocess
from pathlib import Path

from freehold_lab.advise import building
from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.analysis.summary import Summary
from freehold_lab.advise.record.recording import Recording
from freehold_lab.errors import LabError
from freehold_lab.owners.answers import saving

MARK = b"freehold advise"


def check(path: Path) -> None:
    """Raises LabError unless the file may be written, with a name that heaptrack reads, and what writes it be built."""
    if path.suffix == ".zst":
        raise LabError(
            f"cannot write {path}: by its name it is compressed by zstd; one that ends with .gz can be written"
        )
    saving.check(path, MARK)
    building.heaptrack()


def write(recording: Recording, process: int, summary: Summary, path: Path, folder: Path) -> None:
    """`folder`: for what is needed meanwhile. Raises LabError if the file cannot be written."""
    names = Names(summary.modules)
    places = {place for site in summary.sites for place in site.callers}
    known = folder / "names"
    known.write_text("".join(f"{place[0]} {place[1]} {names.function(place)}\n" for place in sorted(places)))
    command = [str(building.heaptrack()), str(recording.file), str(process), str(known), shlex.join(recording.command)]
    with saving.written(path, MARK) as file, subprocess.Popen(command, stdout=subprocess.PIPE) as printing:
        assert printing.stdout
        if path.suffix == ".gz":
            with gzip.GzipFile(MARK.decode(), "wb", 1, file) as compressed:
                shutil.copyfileobj(printing.stdout, compressed)
        else:
            shutil.copyfileobj(printing.stdout, file)
        if printing.wait():
            raise LabError("the recording cannot be converted for heaptrack")
