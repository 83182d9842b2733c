"""How the Python tests share the processors: what one compiler builds for many tests, one process tests."""

import pytest

from freehold_lab.model import Compiler


@pytest.hookimpl(tryfirst=True)  # before those of the processes look at the groups
def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_compiler_of(item) or item.path.name))


def _compiler_of(item):
    call = getattr(item, "callspec", None)
    compilers = [value.name for value in (call.params.values() if call else []) if isinstance(value, Compiler)]
    return compilers[0] if compilers else ""
