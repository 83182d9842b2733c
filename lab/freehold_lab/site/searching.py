"""What the search of the site shows first: the page of a type, then its reference.

The search is for words that begin with what was typed. So among the titles that match, the shortest is the nearest.
"""

import re
from typing import Any

# By the folder of a page. Pages of types are in all others.
WEIGHTS = {"reference": 1.0, "guide": 2.0, "examples": 1.0, "decisions": 0.5, "": 1.0}
TYPES = 3.0
FIRST = "pointers"  # the folder whose names the others take over
NEAR = 8  # letters: a shorter title is no nearer


def weigh(entries: list[dict[str, Any]], members: dict[str, list[str]]) -> None:
    """Gives each page and section of the index its weight, and the page of a type the names of its `members`."""
    for entry in entries:
        page, _, anchor = entry["location"].partition("#")
        folder, _, name = page.rpartition("/")
        title = re.sub(r"<.*?>", "", entry["title"]) if anchor else name.removesuffix(".html")
        weight = WEIGHTS.get(folder.partition("/")[0], TYPES) * (1.5 if folder.endswith(FIRST) else 1)
        entry["boost"] = round(weight * (NEAR / max(len(title), NEAR)) ** 2, 3)
        if not anchor and page in members:
            entry["tags"] = members[page]
