"""The program of this folder, compiled once for each build."""

import os

import pytest

from debugged import BUILDS, HERE, IS_FULL, Place


@pytest.fixture(scope="session", params=BUILDS, ids=str)
def build(request):
    if request.param is not BUILDS[0] and not IS_FULL:
        pytest.skip("only with ./freehold test --full")
    return request.param


@pytest.fixture(scope="session")
def place(build, tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    return Place((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"debugger-{build}")


@pytest.fixture(scope="session")
def owners(build, place):
    return place.once("owners", lambda program: build.compile(HERE / "owners.cpp", program))
