"""Files that are whole or as they were."""

import os
from pathlib import Path

from freehold_lab.errors import LabError


def replace(path: Path, text: str) -> None:
    """Puts `text` in place of the file at `path` at one stroke, or raises LabError and leaves it as it was."""
    draft = path.with_name(f"{path.name}.draft")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise LabError(f"cannot save {path}: {error.strerror}; what was saved before is as it was") from error
