"""What `./freehold test --changed` runs, in a small tree whose build is a stand-in."""

import subprocess

import pytest

from fakes import program
from freehold_lab import changes, folders

FILES = (
    "include/freehold/core/a.hpp",
    "include/freehold/core/detail/b.hpp",
    "tests/unit/core/a.cpp",
    "tests/contracts/all/b.cpp",
    "tests/builds/without_a.cpp",
    "tests/compile_fail/core/a.cpp",
    "tests/lab/test_plan.py",
    "lab/freehold_lab/plan.py",
    "docs/core/a.md",
)


def git(tree, *arguments):
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=tree, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A repository without changes. Its build says that the unit test includes a.hpp, and the contract both headers."""
    monkeypatch.setattr(folders, "ROOT", tmp_path)
    monkeypatch.setattr(folders, "BUILD", tmp_path / "build")
    for name in (*FILES, ".gitignore"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("/build/\n/bin/\n" if name == ".gitignore" else "")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "all")
    (tmp_path / "build").mkdir()
    (tmp_path / "bin").mkdir()
    a, b, unit, contract = (tmp_path / FILES[i] for i in range(4))
    deps = f"a.o: #deps 2\\n    {unit}\\n    {a}\\n\\nb.o: #deps 3\\n    {contract}\\n    {a}\\n    {b}\\n"
    program(tmp_path / "bin", "ninja", f"printf '{deps}'")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "reached"),
    [
        ([], changes.Reached()),
        (
            ["include/freehold/core/a.hpp"],
            changes.Reached(
                ["contracts/all/b", "unit/core/a"],
                ["contracts_all", "tests/headers_alone/freehold/core/a.hpp", "unit_core"],
                watch=True,
            ),
        ),
        (["include/freehold/core/detail/b.hpp"], changes.Reached(["contracts/all/b"], ["contracts_all"], watch=True)),
        (["docs/core/a.md"], changes.Reached(python=["tests/docs/test_code_blocks.py"])),
        (["tests/unit/core/a.cpp"], changes.Reached(["unit/core/a"], ["unit_core"])),
        (["tests/unit/core/new.cpp"], changes.Reached(["unit/core/new"], ["unit_core"])),
        (["tests/builds/without_a.cpp"], changes.Reached(["builds/without_a"], ["without_a"])),
        (["tests/compile_fail/core/a.cpp"], changes.Reached(["compile_fail/core/a.cpp"], ["compile_fail_precompiled"])),
        (["lab/freehold_lab/plan.py"], changes.Reached(python=["tests/lab/test_plan.py"])),
        (["tests/lab/test_plan.py"], changes.Reached(python=["tests/lab/test_plan.py"])),
        (["README.md"], changes.Reached(python=["tests/docs/test_code_blocks.py"])),
    ],
)
def test_a_change_reaches_what_includes_it(tree, changed, reached):
    for name in changed:
        (tree / name).write_text("changed")
    assert changes.reached(tree / "build") == reached


def test_a_change_since_the_tests_passed_counts_though_it_is_committed(tree):
    changes.remember()
    (tree / "README.md").write_text("changed")
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--message", "more")
    assert changes.changed() == {"README.md"}
    changes.remember()
    assert changes.changed() == set()


def test_sources_that_are_compiled_as_one_do_not_reach_each_other(tree):
    a, _, unit, contract = (tree / FILES[i] for i in range(4))
    program(tree / "bin", "ninja", f"printf 'unit_1.o: #deps 3\\n    {unit}\\n    {contract}\\n    {a}\\n'")
    contract.write_text("changed")
    assert changes.reached(tree / "build").tests == ["contracts/all/b"]
    a.write_text("changed")
    assert changes.reached(tree / "build").tests == ["contracts/all/b", "unit/core/a"]
