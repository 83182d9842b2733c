"""Checks the tree at ROOT: arrows, systems, GNU constructs, mirror, guide, foreign macros, faults, resources.

Prints a line for what is wrong.

Usage: python3 check.py ROOT
"""

from __future__ import annotations

import sys
from pathlib import Path

from arrows import LIBRARY, check_arrows
from faults import check_faults
from gnu import check_gnu
from guide import check_guide
from macros import check_macros
from mirror import check_mirror
from resources import check_resources
from systems import check_systems


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not Path(arguments[0], LIBRARY).is_dir():
        print(f"usage: check.py ROOT, a folder that has {LIBRARY}", file=sys.stderr)
        return 2
    root = Path(arguments[0])
    checks = (
        check_arrows,
        check_systems,
        check_gnu,
        check_mirror,
        check_guide,
        check_macros,
        check_faults,
        check_resources,
    )
    problems = [problem for check in checks for problem in check(root)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
