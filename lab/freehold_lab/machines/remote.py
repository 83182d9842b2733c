"""Runs ./freehold on a worker's machine: sent there as text, so it has the standard library alone, of any version that
./freehold takes. `python3 -c THIS FOLDER ARGUMENTS…` reads the checkout from stdin, and writes the result to stdout,
compressed.

A machine does one at a time: another would disturb it. The checkout stays for the next time, so that little is built.
"""

import ctypes
import fcntl
import gzip
import io
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

LOG = "log"  # what ./freehold says, of which the client reads the end
PROCESS = "process"  # its id, for the client to end it
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def run(folder: Path, arguments: list[str]) -> int:
    die_with_parent()
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(Path(tempfile.gettempdir(), "freehold.lock"), os.O_RDONLY | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("another run is going on there", file=sys.stderr)
        return 2
    (folder / PROCESS).write_text(str(os.getpid()))
    checkout = folder / "checkout"
    unpack(sys.stdin.buffer.read(), checkout, folder / "files")
    # Whoever started this agreed to what is installed. The bar is drawn although there is no terminal.
    environment = os.environ | {"CI": "true", "TTY_COMPATIBLE": "1", "COLUMNS": "100"}
    with (folder / LOG).open("wb") as log:
        done = subprocess.run(
            [checkout / "freehold", "run", *arguments],
            cwd=checkout,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            preexec_fn=die_with_parent,
        )
    (folder / PROCESS).unlink(missing_ok=True)
    if done.returncode != 0:
        print(last_line((folder / LOG).read_bytes()), file=sys.stderr)
        return done.returncode
    sys.stdout.buffer.write(gzip.compress((checkout / "results" / "latest.json").read_bytes(), 6))
    return 0


def die_with_parent() -> None:
    """A worker that is killed must leave nothing behind that would disturb the next run."""
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGTERM)


def unpack(packed: bytes, checkout: Path, listed: Path) -> None:
    """Writes the files that differ, so that no others are built anew, and deletes those that are gone."""
    names = set()
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        for member in tar:
            content = tar.extractfile(member)
            if content is None:
                continue
            names.add(member.name)
            path, text = checkout / member.name, content.read()
            if not path.is_file() or path.read_bytes() != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text)
            path.chmod(member.mode)
    before = set(listed.read_text().splitlines()) if listed.exists() else set()
    for name in before - names:
        (checkout / name).unlink(missing_ok=True)
    listed.write_text("\n".join(sorted(names)))


def last_line(log: bytes) -> str:
    """Returns the last line of `log` as a terminal would show it."""
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", log.decode(errors="replace"))
    lines = [line.strip() for line in re.split(r"[\r\n]", text) if line.strip()]
    return lines[-1].removeprefix("freehold: ") if lines else ""


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]), sys.argv[2:]))
