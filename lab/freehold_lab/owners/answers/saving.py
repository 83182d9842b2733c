"""Writes what only the user may read, and never over a file that is something else."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from freehold_lab.errors import LabError

PAGE = b'<meta name="generator" content="freehold owners">'
REPORT = b'"format": "freehold owners"'
BEGIN = 1000  # bytes in which the mark is


def check(path: Path, mark: bytes) -> None:
    """Raises LabError unless `path` is free, empty, or a file with `mark`, in a folder that can be written."""
    try:
        found = path.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise LabError(f"cannot write {path}: it is a link that leads nowhere") from None
        if not path.parent.is_dir():
            raise LabError(f"cannot write {path}: there is no folder {path.parent}") from None
    except OSError as error:
        raise LabError(f"cannot write {path}: {error.strerror}") from error
    else:
        if not stat.S_ISREG(found.st_mode):
            raise LabError(f"cannot write {path}: it is no file")
        if found.st_size and mark not in _begin(path):
            raise LabError(f"{path} is left as it is, because this command has not written it: choose another name")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise LabError(f"cannot write {path}: its folder cannot be written")


def replace(path: Path, content: bytes, mark: bytes) -> None:
    """Puts `content` at `path`. Raises LabError as check does, or if the disk is full."""
    check(path, mark)
    if not path.exists():
        create(path, content)
        return
    draft = Path()
    try:
        handle, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
        draft = Path(name)
        _fill(handle, content)
        draft.replace(path)
    except OSError as error:
        raise _failed(path, draft, error) from error


@contextmanager
def written(path: Path, mark: bytes) -> Iterator[IO[bytes]]:
    """Effects: what is written to the file is at `path` when it is whole. Raises LabError as replace does."""
    check(path, mark)
    draft = Path()
    try:
        handle, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
        draft = Path(name)
        with os.fdopen(handle, "wb") as file:
            yield file
        draft.replace(path)
    except OSError as error:
        raise _failed(path, draft, error) from error
    except BaseException:
        draft.unlink()
        raise


def create(path: Path, content: bytes) -> None:
    """Writes a new file. Raises LabError if there is one."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise LabError(f"cannot write {path}: {error.strerror}") from error
    try:
        _fill(handle, content)
    except OSError as error:
        raise _failed(path, path, error) from error


def _fill(handle: int, content: bytes) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(handle)


def _failed(path: Path, draft: Path, error: OSError) -> LabError:
    with suppress(OSError):
        draft.unlink()
    return LabError(f"cannot write {path}: {error.strerror}")


def _begin(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(BEGIN)
    except OSError:
        return b""
