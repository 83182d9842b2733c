"""The checkout as it is sent to other machines: tracked files with their uncommitted changes."""

import io
import subprocess
import tarfile
from pathlib import Path

LEFT_OUT = {"build", "results"}


def archive(root: Path) -> bytes:
    """Returns a compressed tar of the tracked files below `root`; where git knows nothing, of all but what is built."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name in _files(root):
            tar.add(root / name, name, recursive=False)
    return packed.getvalue()


def _files(root: Path) -> list[str]:
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        listed = None
    if listed and listed.returncode == 0 and listed.stdout:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
        names = [name for name in names if not name.startswith(".") and name.split("/")[0] not in LEFT_OUT]
    return sorted(name for name in names if (root / name).is_file())
