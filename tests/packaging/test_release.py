"""A release: the version everywhere, the date of its changes, and files that hold what their names say."""

import base64
import json
import re
import subprocess
import sys
import tarfile

import pytest

from consuming import ROOT, VERSION, run
from freehold_lab.errors import LabError
from freehold_lab.releasing import explorer, version

NEXT = version.Version(1, 12, 3)
ADDRESS = "https://example.org/freehold"


@pytest.fixture
def tree(tmp_path):
    """Files that name the version, in a repository."""
    files = {
        "include/freehold/core/version.hpp": (
            '#define FREEHOLD_VERSION "0.9.1"\n#define FREEHOLD_VERSION_NUMBER 901  // #if\n'
        ),
        "include/freehold/a.hpp": 'namespace freehold::inline v0_9 {}\nint a __asm__("freehold_a_v0_9"), v0_91;\n',
        "meson.build": "version: '0.9.1'\n",
        "README.md": "find_package(freehold 0.9 REQUIRED) This is version 0.9: changes\n",
        "lab/requirements/lab.txt": "other==10.9.1\nanother==0.9.10\n",
        "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n### Added\n- 0.9.1 has it.\n\n## 0.9.0\nold\n",
        "docs/decisions/0001-first.md": "since 0.9.1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    run("git", "init", "--quiet", tmp_path)
    run("git", "-C", tmp_path, "add", ".")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "include/freehold/core/version.hpp",
            '#define FREEHOLD_VERSION "1.12.3"\n#define FREEHOLD_VERSION_NUMBER 11203  // #if\n',
        ),
        (
            "include/freehold/a.hpp",
            'namespace freehold::inline v1_12 {}\nint a __asm__("freehold_a_v1_12"), v0_91;\n',
        ),
        ("meson.build", "version: '1.12.3'\n"),
        ("README.md", "find_package(freehold 1.12 REQUIRED) This is version 1.12: changes\n"),
        ("lab/requirements/lab.txt", "other==10.9.1\nanother==0.9.10\n"),
        ("docs/decisions/0001-first.md", "since 0.9.1\n"),
    ],
)
def test_a_file_names_the_next_version_where_it_named_this(tree, name, text):
    version.raise_to(NEXT, tree)
    assert (tree / name).read_text() == text


def test_what_was_unreleased_gets_the_version_and_the_date(tree):
    version.date_changes(NEXT, "2027-01-31", tree)
    assert (
        (tree / "CHANGELOG.md")
        .read_text()
        .startswith("# Changelog\n\n## [Unreleased]\n\n## 1.12.3 - 2027-01-31\n\n### Added\n- 0.9.1 has it.\n")
    )


def test_a_release_without_changes_is_refused(tree):
    (tree / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n## 0.9.0\nold\n")
    with pytest.raises(LabError, match="nothing under Unreleased"):
        version.date_changes(NEXT, "2027-01-31", tree)


@pytest.mark.parametrize("text", ["1.2", "1.2.x", "1.2.100", "v1.2.3", ""])
def test_what_is_no_version_is_refused(text):
    with pytest.raises(LabError, match="is no version"):
        version.Version.read(text)


def test_a_link_opens_the_program_with_the_single_header():
    for name, program in explorer.programs(ROOT).items():
        link = explorer.link(program, f"{ADDRESS}/freehold/freehold.hpp")
        found = re.fullmatch(r"https://godbolt\.org/clientstate/([\w=-]+)", link)
        (session,) = json.loads(base64.urlsafe_b64decode(found[1]))["sessions"]
        assert session["source"].count(f"#include <{ADDRESS}/freehold/freehold.hpp>\n") == 1, name
        assert "#include <freehold/" not in session["source"] and "int main(" in session["source"]
        assert {each["id"] for each in session["compilers"]} == set(explorer.COMPILERS.values())
        assert all("-std=c++20" in each["options"] for each in session["compilers"])


def release(repository, *arguments):
    command = [sys.executable, "-P", "-m", "freehold_lab", "release", *arguments]
    identity = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {"PYTHONPATH": str(repository / "lab"), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", **identity}
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=repository, timeout=600)


@pytest.mark.full
def test_a_release_has_all_that_is_published_and_a_dry_run_changes_nothing(repository):
    run("git", "-C", repository, "config", "user.name", "n")
    run("git", "-C", repository, "config", "user.email", "e")
    before = run("git", "-C", repository, "rev-parse", "HEAD")
    done = release(repository, "--dry-run", "--url", ADDRESS)
    assert done.returncode == 0, done.stderr
    folder = repository / "build/release" / VERSION
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=folder)
    assert {path.name for path in folder.iterdir()} == {
        "SHA256SUMS",
        "compiler-explorer.md",
        f"freehold-{VERSION}-py3-none-any.whl",
        f"freehold-{VERSION}.tar.gz",
        f"libfreehold-dev_{VERSION}_all.deb",
        "single",
        "site",
    }
    with tarfile.open(folder / f"freehold-{VERSION}.tar.gz") as packed:
        changes = packed.extractfile(f"freehold-{VERSION}/CHANGELOG.md").read().decode()
    assert f"## {VERSION} - " in changes
    assert run("git", "-C", repository, "rev-parse", "HEAD") == before
    assert not run("git", "-C", repository, "tag", "--list", f"v{VERSION}")

    assert "is older" in release(repository, "0.0.1").stderr
    (repository / "README.md").write_text("changed")
    assert "not committed" in release(repository).stderr
    run("git", "-C", repository, "checkout", "--quiet", "README.md")


@pytest.mark.long
def test_a_release_is_committed_and_tagged_once(repository):
    run("git", "-C", repository, "checkout", "--quiet", "-b", "releasing")
    done = release(repository, "0.9.0")
    assert done.returncode == 0, done.stderr
    assert run("git", "-C", repository, "log", "-1", "--format=%s").strip() == "Release 0.9.0"
    assert run("git", "-C", repository, "tag", "--list", "v0.9.0").strip() == "v0.9.0"
    assert "has been released" in release(repository, "0.9.0").stderr
    run("git", "-C", repository, "checkout", "--quiet", "main")
