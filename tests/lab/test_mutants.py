"""`./freehold test --mutants` finds each memory order of a header, and says which a test tells from a weaker one."""

import pytest

from freehold_lab import folders, mutants
from freehold_lab.errors import LabError
from freehold_lab.memory_orders import Weakening, without_order

HEADER = """
// relaxed: not memory_order_acquire
x.load(std::memory_order_acquire);
x.fetch_add(1, std::memory_order_acq_rel);
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    header = tmp_path / "include" / "freehold" / "core" / "x.hpp"
    header.parent.mkdir(parents=True)
    header.write_text(HEADER)
    monkeypatch.setattr(folders, "ROOT", tmp_path)
    mutants.source.cache_clear()
    yield tmp_path
    mutants.source.cache_clear()


def test_a_mutant_changes_one_place(tree):
    first = next(mutants.mutants({"orders": {"core/x.hpp": ["t.cpp"]}}))
    assert first.changed() == HEADER.replace("std::memory_order_acquire)", "std::memory_order_relaxed)")
    assert first.name() == "core/x.hpp:3: std::memory_order_acquire -> std::memory_order_relaxed"


def test_an_equivalent_one_needs_an_order_that_is_there(tree):
    entry = {"header": "core/x.hpp", "text": "x.load(std::memory_order_acquire)", "becomes": "relaxed", "why": "so"}
    found = list(mutants.mutants({"orders": {"core/x.hpp": ["t.cpp"]}, "equivalent": [entry]}))
    assert [mutant.equivalent for mutant in found] == ["so", "", ""]
    with pytest.raises(LabError, match="no such order"):
        list(mutants.mutants({"orders": {"core/x.hpp": ["t.cpp"]}, "equivalent": [entry | {"text": "z.load"}]}))


def test_a_fault_replaces_what_the_header_holds_once(tree):
    fault = {"header": "core/x.hpp", "text": "fetch_add(1,", "becomes": "fetch_add(2,", "test": "t.cpp"}
    assert "fetch_add(2," in next(mutants.mutants({"orders": {}, "fault": [fault]})).changed()
    with pytest.raises(LabError, match="does not hold once"):
        list(mutants.mutants({"orders": {}, "fault": [fault | {"text": "memory_order"}]}))


def test_what_no_test_finds_and_nobody_argues_is_a_fault():
    change = Weakening(0, "", "")
    mutant = mutants.Mutant("core/x.hpp", change, ("t.cpp",))
    assert mutants.Outcome(mutant, "").is_fault()
    assert not mutants.Outcome(mutant, "suite.test").is_fault()
    assert not mutants.Outcome(mutants.Mutant("core/x.hpp", change, (), "why"), "").is_fault()


def test_the_table_fits_the_headers():
    mutants.source.cache_clear()
    assert all(mutant.tests for mutant in mutants.mutants(mutants.read_table()))


def test_each_header_with_orders_is_in_the_table():
    mutants.source.cache_clear()
    assert mutants.unlisted(mutants.read_table()) == []


def test_a_header_that_is_forgotten_is_found(tree):
    (tree / "include" / "freehold" / "core" / "y.hpp").write_text("x.load(std::memory_order_relaxed);")
    assert mutants.unlisted({"orders": {}}) == ["core/x.hpp"]
    assert mutants.unlisted({"orders": {"core/x.hpp": []}}) == []


def test_each_operation_of_the_library_names_its_order():
    include = folders.ROOT / "include" / "freehold"
    found = {path.name: list(without_order(path.read_text())) for path in include.rglob("*.hpp")}
    assert {name: calls for name, calls in found.items() if calls} == {}


def test_the_outcome_names_the_test_that_failed(tmp_path):
    # With --gtest_fail_fast GoogleTest goes on to announce those that it skips.
    program = tmp_path / "unit_x"
    program.write_text(
        "#!/bin/sh\n"
        "echo '[ RUN      ] suite/type.first'\n"
        "echo '[  FAILED  ] suite/type.first, where TypeParam = int (0 ms)'\n"
        "echo '[ RUN      ] suite/type.second'\n"
        "echo '[  SKIPPED ] suite/type.second (0 ms)'\n"
        "exit 1\n"
    )
    program.chmod(0o755)
    assert mutants._failure(tmp_path, "unit/x.cpp") == "suite/type.first"


def test_the_outcome_names_the_test_in_which_the_program_ended(tmp_path):
    program = tmp_path / "unit_x"
    program.write_text("#!/bin/sh\necho '[ RUN      ] suite.first'\nkill -SEGV $$\n")
    program.chmod(0o755)
    assert mutants._failure(tmp_path, "unit/x.cpp") == "suite.first"
