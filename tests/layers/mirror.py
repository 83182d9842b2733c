"""The mirror: a header's test and page are found by changing one folder name, and a strategy's header by its name.

    include/freehold/LAYER/X.hpp -> tests/unit/LAYER/X.cpp, docs/LAYER/X.md (core/ has no types and no pages)
    a strategy X or X_VARIANT of the family LAYER -> include/freehold/LAYER/X.hpp, or in a layer that LAYER includes

Not each header has a strategy: many make, cast or observe what another owns. exceptions.toml lists the tests and pages
that are missing on purpose, each with its reason.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from arrows import ARROWS, EXCEPTIONS, layer_of, public_headers, reachable

STRATEGIES = Path("lab/strategies.toml")


def places(header: Path) -> list[Path]:
    """Returns where the parts that go with a public header belong."""
    mirrors = [Path("tests/unit", header).with_suffix(".cpp")]
    if layer_of(header) != "core":
        mirrors.append(Path("docs", header).with_suffix(".md"))
    return mirrors


def check_mirror(root: Path) -> list[str]:
    """Returns a line for each place that is empty, each exception that no longer holds, each strategy of no header."""
    exceptions = tomllib.loads((root / EXCEPTIONS).read_text())["empty"]
    expected = {place.as_posix(): header for header in public_headers(root) for place in places(header)}
    missing = {place for place in expected if not (root / place).is_file()}
    problems = [
        f"include/freehold/{expected[place]}: {place} is missing" for place in sorted(missing - exceptions.keys())
    ]
    problems += [f"{EXCEPTIONS}: {place} is no longer an exception" for place in sorted(exceptions.keys() - missing)]
    return problems + check_strategies(root)


def check_strategies(root: Path) -> list[str]:
    """Returns a line for each of Freehold's own strategies whose name has the name of no public header in it."""
    headers = public_headers(root)
    return [
        f"{STRATEGIES}: {name} is named after no header of {family}"
        for name, strategy in tomllib.loads((root / STRATEGIES).read_text())["strategies"].items()
        if (family := strategy["family"]) in ARROWS
        and not any(f"_{header.stem}_" in f"_{name}_" for header in headers if layer_of(header) in reachable(family))
    ]
