"""Freehold as users get it: a repository, an archive, an installation."""

import pytest

from consuming import ROOT, run, tool


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    """A clone of this tree, whose branch `main` also has what is not committed yet."""
    folder = tmp_path_factory.mktemp("repository")
    git = tool("git", "git")
    run(git, "init", "--quiet", "--initial-branch=main", folder)
    here = [git, f"--git-dir={folder / '.git'}", f"--work-tree={ROOT}"]
    run(*here, "add", ".", cwd=ROOT)
    run(*here, "-c", "user.name=n", "-c", "user.email=e", "commit", "--quiet", "--message=all", cwd=ROOT)
    run(git, "-C", folder, "reset", "--quiet", "--hard")
    return folder


@pytest.fixture(scope="session")
def archive(repository, tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "freehold.tar.gz"
    run("git", "-C", repository, "archive", "--prefix=freehold-0.2.0/", f"--output={path}", "main")
    return path


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """An installation that was moved after it was made: nothing in it may name where it was."""
    folder = tmp_path_factory.mktemp("freehold")
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "build", "-DFREEHOLD_BUILD_TESTS=OFF")
    run("cmake", "--install", folder / "build", "--prefix", folder / "first")
    return (folder / "first").rename(folder / "moved")
