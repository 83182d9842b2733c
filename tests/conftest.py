"""What holds for every test: those that are marked `long` run only where all that takes long is asked for."""

import os

import pytest

from freehold_lab import testing


def pytest_collection_modifyitems(items):
    if os.environ.get(testing.LONG):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="only with ./freehold test --long"))
