"""The guide: each file that CONTRIBUTING.md names exists, and each folder of tests is in its table.

A name stands in backquotes, with a folder; one in capitals, such as LAYER, is for the reader to fill in.
"""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = Path("CONTRIBUTING.md")
NAMED = re.compile(r"`([\w.-]+/[\w./-]*)`")
FILLED_IN = re.compile(r"\b[A-Z]+\b")
INVENTED = re.compile(r"std_shared_ptr_pmr|two_words|TwoWords")  # the worked examples
NO_TESTS = {"support"}


def check_guide(root: Path) -> list[str]:
    """Returns a line for each file that is named and does not exist, and for each folder of tests that is not named."""
    text = (root / GUIDE).read_text()
    named = {name for name in NAMED.findall(text) if not (FILLED_IN.search(name) or INVENTED.search(name))}
    absent = [name for name in named if not name.startswith("build/") and not (root / name).exists()]
    folders = {folder.name for folder in (root / "tests").iterdir() if folder.is_dir()} - NO_TESTS
    untold = [folder for folder in folders if f"`tests/{folder}/" not in text and not folder.startswith("__")]
    return [f"{GUIDE}: {name} does not exist" for name in sorted(absent)] + [
        f"{GUIDE}: tests/{folder}/ is not told" for folder in sorted(untold)
    ]
