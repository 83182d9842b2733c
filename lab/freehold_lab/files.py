"""Files that are whole or as they were."""

import os
import shutil
from pathlib import Path

from freehold_lab.errors import LabError


def replace(path: Path, text: str) -> None:
    """Puts `text` in place of the file at `path` at one stroke, or raises LabError and leaves it as it was."""
    replace_bytes(path, text.encode())


def replace_bytes(path: Path, text: bytes) -> None:
    """As replace, with the bytes as they are. The file keeps its permissions."""
    draft = path.with_name(f"{path.name}.draft")
    try:
        with draft.open("wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise LabError(f"cannot save {path}: {error.strerror}; what was saved before is as it was") from error
