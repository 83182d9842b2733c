"""What holds for every test: which of them run only in a larger scope of `./freehold test`."""

import os

import pytest

from freehold_lab import testing
from freehold_lab.model import Compiler
from freehold_lab.setup import environment


def pytest_collection_modifyitems(items):
    first = environment.compilers()[:1]
    for item in items:
        full = item.get_closest_marker("full") or _is_repeated(item, first)
        scope = "--long" if item.get_closest_marker("long") else "--full" if full else None
        if scope and not os.environ.get({"--long": testing.LONG, "--full": testing.FULL}[scope]):
            item.add_marker(pytest.mark.skip(reason=f"only with ./freehold test {scope}"))


def _is_repeated(item, first):
    """Says whether a test repeats with another compiler what it does with the first."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else []
    parts = [part for value in parameters for part in (value if isinstance(value, tuple) else [value])]
    return any(isinstance(part, Compiler) and part not in first for part in parts)
