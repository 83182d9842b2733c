"""Programs of Debian that nobody here wrote: their owners are found, and what is called a leak is one."""

import numpy as np
import pytest

import debian_programs as programs
from freehold_lab.owners import analysis
from freehold_lab.owners.graph.reach import Grade

LEAST_EXPLAINED = 0.98
pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=programs.read(), ids=lambda each: each.name)
def program(request):
    if not request.param.is_installed:
        pytest.skip(f"{request.param.package} is not installed")
    return request.param


@pytest.fixture(scope="module")
def found(program, tmp_path_factory):
    return analysis.analyze(program.image(tmp_path_factory.mktemp(program.name)))


def test_owners_are_found(found):
    assert found.explained >= LEAST_EXPLAINED
    assert found.doubts == []


def test_what_leaks_is_found_and_nothing_else(program, found):
    leaked = np.isin(found.grade, [Grade.LEAKED, Grade.LEAKED_RAW, Grade.LEAKED_STALE]).sum()
    assert leaked >= program.leaks
    assert program.leaks or leaked == 0
