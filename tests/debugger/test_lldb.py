"""lldb shows each owner with its counts and its object, also in a core file."""

import re

import pytest

from debugged import HERE, IS_FULL, answers, gdb, lldb
from test_gdb import OBSERVERS, OWNERS, RESOURCES, Session, counts_of

NAMES = {**OWNERS, **OBSERVERS}
QUESTIONS = [f"frame variable {name}" for name in [*NAMES, "empty", "expired", "dangling", *RESOURCES]]
QUESTIONS += [f"frame variable {name}->value" for name in OWNERS]
QUESTIONS += [f"frame variable {vector}" for *_, vector in OWNERS.values() if vector]


@pytest.fixture(scope="session")
def sessions(build, owners, place):
    """The program while it is stopped, and the core file of that moment, which gdb writes."""
    if not IS_FULL:
        pytest.skip("only with ./freehold test --full")
    ask = [f"command script import {HERE / 'look_lldb.py'}", "up 2", f"script look_lldb.show({QUESTIONS!r})"]

    def look(live):
        core = live.with_name("lldb.core")
        printed = gdb("break at_this_point", "run", f"generate-core-file {core}", program=owners)
        core.with_suffix(".printed").write_text(printed)
        live.write_text(lldb("breakpoint set --name at_this_point", "run", *ask, program=owners))
        core.with_suffix(".dead").write_text(lldb(f"target create {owners} --core {core}", *ask, program=owners))
        core.unlink()

    live = place.once("lldb.live", look).read_text()
    dead, printed = ((place.path / f"lldb.{name}").read_text() for name in ("dead", "printed"))
    return {"live": Session(answers(live), printed, build), "core": Session(answers(dead), printed, build)}


@pytest.fixture(params=["live", "core"])
def session(request, sessions):
    return sessions[request.param]


@pytest.mark.parametrize("name", NAMES)
def test_an_owner_is_shown_with_its_counts_and_its_object(session, name):
    kind, value, *_ = NAMES[name]
    shown = session.says(f"frame variable {name}", name)
    counts = counts_of(session, name)
    assert re.search(
        rf"{re.escape(name)} = freehold::{re.escape(kind)}{counts} \{{\n +get\(\) = 0x\w+\n +\*get\(\) = ", shown
    )
    assert re.search(rf"\bvalue = {value}\b", shown)


@pytest.mark.parametrize("name", OWNERS)
def test_an_owner_leads_to_its_object(session, name):
    value = OWNERS[name][1]
    assert session.says(f"frame variable {name}->value", name).endswith(f"->value = {value}")


@pytest.mark.parametrize("name", [name for name, (*_, vector) in OWNERS.items() if vector])
def test_the_elements_of_a_vector_are_shown(session, name):
    kind, value, vector = OWNERS[name]
    shown = session.says(f"frame variable {vector}", vector)
    assert re.search(rf"\[0\] = freehold::{re.escape(kind)}", shown) and re.search(rf"\bvalue = {value}\b", shown)


def test_what_has_no_object_says_so(session):
    assert "freehold::shared_ptr<node> (empty)" in session.says("frame variable empty")
    assert "freehold::weak_ptr<node> (expired, 1 weak pointer)" in session.says("frame variable expired")
    if session.build.is_checked:
        assert "freehold::borrowed_ptr<node> (expired" in session.says("frame variable dangling")


@pytest.mark.parametrize("name", RESOURCES)
def test_a_resource_is_a_line(session, name):
    assert re.search(f" = freehold::{RESOURCES[name]}$", session.says(f"frame variable {name}", name))
