"""The parts of `./freehold check` find what they are there for, in a small tree of its own."""

import subprocess

import pytest

from freehold_lab import checking, folders


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "ROOT", tmp_path)
    monkeypatch.setattr(folders, "BUILD", tmp_path / "build")
    return tmp_path


def git(folder, *arguments):
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tree):
    """A repository whose branch has an upstream branch, and a commit that is in both."""
    git(tree, "init", "--quiet", "--initial-branch=upstream")
    git(tree, "commit", "--quiet", "--allow-empty", "--message", "x" * 80)
    git(tree, "checkout", "--quiet", "-b", "work", "--track", "upstream")
    return tree


def write(tree, name, text):
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_an_unformatted_file_is_reported_with_the_command_that_formats_it(tree):
    write(tree, ".clang-format", "BasedOnStyle: Google\n")
    write(tree, "a.hpp", "int  x ;\n")
    write(tree, "b.hpp", "int x;\n")
    write(tree, "c.py", "x=1\n")
    assert checking.check_format() == [
        "a.hpp is not formatted: build/python/bin/clang-format -i a.hpp",
        "c.py is not formatted: build/python/bin/ruff format c.py",
    ]


def test_a_fault_in_python_is_reported(tree):
    write(tree, "a.py", "import os\n")
    (fault,) = [line for line in checking.check_python() if "F401" in line]
    assert fault.startswith("a.py:1:8: ")


def test_a_misspelled_word_is_reported(tree):
    wrong = "language".replace("ua", "au")
    write(tree, "a.md", f"the {wrong}\n")
    write(tree, "build/b.md", f"the {wrong}\n")
    assert checking.check_spelling()[0] == f"a.md:1: {wrong} ==> language"


LINKED = {
    "docs/a.md": "# One\n\n## Two words, `three`\n\n[same](#two-words-three) [b](b/b.md#there) ![i](b/i.png)\n",
    "docs/b/b.md": "# There\n\n[a](../a.md) [web](https://example.org/#x) `[no](link.md)`\n",
    "docs/b/i.png": "",
}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"docs/c.md": "x\n\n[c](d.md)\n"}, ["docs/c.md:3: d.md leads nowhere"]),
        ({"docs/c.md": "[c](b/b.md#here)\n"}, ["docs/c.md:1: b/b.md#here leads nowhere"]),
        ({"docs/c.md": "[c](#here)\n"}, ["docs/c.md:1: #here leads nowhere"]),
        ({"docs/c.md": "| a |\n|---|\n| [c](d.md) |\n"}, ["docs/c.md:3: d.md leads nowhere"]),
    ],
)
def test_a_broken_link_is_reported(tree, changes, found):
    for name, text in (LINKED | changes).items():
        write(tree, name, text)
    assert checking.check_links() == found


@pytest.mark.parametrize("mark", "<=>|")
def test_a_conflict_of_a_merge_is_reported(tree, mark):
    write(tree, "docs/a.md", f"# One\n\n{mark * 7} HEAD\n")
    write(tree, "docs/b.md", f"Two\n{mark * 7}\n\n{mark * 8} x\n    {mark * 7} x\n")
    assert checking.check_conflicts() == ["docs/a.md:3: a conflict of a merge is not solved"]


def test_a_subject_that_is_too_long_is_reported_unless_it_is_on_the_upstream_branch(repository):
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "y" * 72)
    assert checking.check_subjects() == []
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "z" * 73)
    (fault,) = checking.check_subjects()
    assert fault.endswith("z: 73 letters, of 72 at most: git rebase -i")


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("Merge: batches of hazard pointers", False),
        ("Merge 2c67ee3 into 20184f8", False),  # as a hosting site merges what it is about to test
        ("Merge branch 'core16' into slabtests16", True),
        ("Merge remote-tracking branch 'origin/core16'", True),
        ("Merge pull request #16 from someone/core16", True),
    ],
)
def test_a_merge_says_what_it_brings(repository, subject, fault):
    git(repository, "checkout", "--quiet", "-b", "other")
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "other")
    git(repository, "checkout", "--quiet", "-")
    git(repository, "merge", "--quiet", "--no-ff", "--message", subject, "other")
    found = checking.check_subjects()
    assert len(found) == fault
    assert all(f"{subject}: name what it brings, not the branch" in line for line in found)


def test_without_an_upstream_branch_no_subject_is_checked(tree):
    with pytest.raises(checking.SkippedError, match="^there is no upstream branch$"):
        checking.check_subjects()


def test_what_differs_from_the_upstream_branch_has_changed(repository):
    write(repository, "a.hpp", "")
    git(repository, "add", "a.hpp")
    git(repository, "commit", "--quiet", "--message", "a")
    write(repository, "b.hpp", "")
    assert sorted(map(str, checking.changed())) == ["a.hpp", "b.hpp"]


def test_a_line_says_how_each_part_went(tree, monkeypatch, capsys):
    def skipped():
        raise checking.SkippedError("there is none")

    parts = {"good": list, "bad": lambda: ["a: mend it"], "absent": skipped}
    monkeypatch.setattr(checking, "PARTS", parts)
    assert not checking.check()
    assert capsys.readouterr().out.splitlines() == [
        "== check",
        "good: passed, 0.0 s",
        "bad: FAILED, 0.0 s",
        "    a: mend it",
        "absent: skipped, there is none",
    ]
    del parts["bad"]
    assert checking.check()
