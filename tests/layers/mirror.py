"""The mirror: a header's test, page and strategy are found by changing one folder name.

    include/freehold/LAYER/X.hpp -> tests/unit/LAYER/X.cpp, docs/LAYER/X.md (core/ has no types and no pages)
    include/freehold/LAYER/X.hpp -> lab/probes/strategies/LAYER/X.hpp for the layers of MEASURED as well

exceptions.toml lists the places that are empty on purpose, each with its reason.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from arrows import layer_of, public_headers

MEASURED = ("pointers", "memory", "cyclic", "traced")

EXCEPTIONS = Path("tests/layers/exceptions.toml")


def places(header: Path) -> list[Path]:
    """Returns where the parts that go with a public header belong."""
    mirrors = [Path("tests/unit", header).with_suffix(".cpp")]
    if layer_of(header) != "core":
        mirrors.append(Path("docs", header).with_suffix(".md"))
    if layer_of(header) in MEASURED:
        mirrors.append(Path("lab/probes/strategies", header))
    return mirrors


def check_mirror(root: Path) -> list[str]:
    """Returns a line for each place that is empty, and for each exception that no longer holds."""
    exceptions = tomllib.loads((root / EXCEPTIONS).read_text())["empty"]
    expected = {place.as_posix(): header for header in public_headers(root) for place in places(header)}
    missing = {place for place in expected if not (root / place).is_file()}
    problems = [
        f"include/freehold/{expected[place]}: {place} is missing" for place in sorted(missing - exceptions.keys())
    ]
    problems += [f"{EXCEPTIONS}: {place} is no longer an exception" for place in sorted(exceptions.keys() - missing)]
    return problems
