"""How the unit tests ended on each platform: what is counted, recorded and shown."""

import pytest

from freehold_lab import folders, platforms, testing
from freehold_lab.platforms import Outcome

LOG = """
1/3 Testing: unit/core/alignment
Command: "/usr/bin/qemu-aarch64" "unit_core" "--file=unit/core/alignment.cpp"
[  PASSED  ] 1 test.
[  PASSED  ] 0 tests.
[  SKIPPED ] 1 test.
[  PASSED  ] 1 test.
3 tests, 0 failed
2/3 Testing: unit/core/handle
Command: "/usr/bin/qemu-aarch64" "unit_core" "--file=unit/core/handle.cpp"
[  FAILED  ] 1 test.
5 tests, 1 failed
3/3 Testing: unit/memory/page_cache
Command: "/usr/bin/qemu-aarch64" "unit_memory" "--file=unit/memory/page_cache.cpp"
[  PASSED  ] 1 test.
4/4 Testing: smoke
Command: "/usr/bin/qemu-aarch64" "smoke"
"""


def test_a_file_that_says_nothing_at_its_end_has_failed():
    assert platforms.count(LOG) == (6, 1, 2)


def test_a_file_that_was_not_run_has_failed():
    assert platforms.count(f'{LOG}5/5 Testing: unit/core/late\nCommand: ""\n') == (6, 1, 3)


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A tree with a record, a page, and the log of a run on AArch64."""
    monkeypatch.setattr(folders, "ROOT", tmp_path)
    monkeypatch.setattr(folders, "BUILD", tmp_path / "build")
    monkeypatch.setattr(platforms, "_commit", lambda: "abcdef123456")
    log = tmp_path / "build" / "aarch64" / "Testing" / "Temporary" / "LastTest.log"
    for path, text in (
        (platforms.file(), 'armhf = { date = "2026-01-02", commit = "1", passed = 3, skipped = 2, failed = 0 }\n'),
        (platforms.page(), "before\n<!-- platforms -->\n\nold\n\n<!-- /platforms -->\nafter\n"),
        (log, LOG),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_a_run_is_recorded_beside_those_of_other_platforms(tree):
    platforms.record("aarch64")
    recorded = platforms.recorded()
    assert recorded["armhf"] == Outcome("2026-01-02", "1", 3, 2, 0)
    assert (recorded["aarch64"].passed, recorded["aarch64"].commit) == (6, "abcdef123456")


def test_the_table_says_where_nothing_was_run(tree):
    platforms.record("aarch64")
    page = platforms.page().read_text()
    assert page.startswith("before\n<!-- platforms -->\n\n| platform |")
    assert "| Arm, 32 bits | `armhf` | 3 | 2 | 0 | 2026-01-02 | `1` |" in page
    assert "| RISC-V, 64 bits | `riscv64` |  | | | never |  |" in page
    assert page.endswith("|\n\n<!-- /platforms -->\nafter\n")


def test_the_page_shows_what_is_on_record():
    assert platforms.table(platforms.recorded()) in platforms.page().read_text()


def test_each_platform_has_presets():
    assert set(platforms.NAMES) <= set(testing.presets())


@pytest.mark.parametrize(
    ("name", "options", "compiler"),
    [
        ("riscv64", {"FREEHOLD_TARGET_TRIPLE": "riscv64-linux-gnu"}, "riscv64-linux-gnu-g++"),
        ("windows", {}, "x86_64-w64-mingw32-g++-posix"),
    ],
)
def test_a_platform_without_its_compiler_is_missing_something(tmp_path, monkeypatch, name, options, compiler):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert platforms.missing(name, options) == f"there is no {compiler} here"
