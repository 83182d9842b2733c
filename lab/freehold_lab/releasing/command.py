"""Makes a release in a clone of the tree, so that one that fails, and a dry run, leave the tree as it is."""

import datetime
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from freehold_lab import folders, process
from freehold_lab.errors import LabError, say
from freehold_lab.releasing import explorer
from freehold_lab.releasing.version import Version, date_changes, raise_to

WORK = folders.BUILD / "release"
SUMS = "SHA256SUMS"


def release(text: str, address: str, is_dry: bool) -> None:
    """Makes version `text`, or that of the tree, and publishes nothing: unless `is_dry`, the tree gets the commit and
    the tag. `address`: where the single headers will be."""
    version = Version.read(text) if text else Version.of(folders.ROOT)
    _expect_releasable(version)
    folder = WORK / str(version)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _make(version, folder, address)
    print(*_published(folder), sep="\n")
    if is_dry:
        say("a dry run: nothing was committed or tagged")
        return
    _git(folders.ROOT, "pull", "--quiet", "--ff-only", str(WORK / "tree"), "HEAD")
    _git(folders.ROOT, "fetch", "--quiet", str(WORK / "tree"), f"refs/tags/v{version}:refs/tags/v{version}")
    say(f"committed and tagged; publish it by: git push --atomic origin HEAD v{version}")


def _expect_releasable(version: Version) -> None:
    now = Version.of(folders.ROOT)
    if version < now:
        raise LabError(f"{version} is older than {now}")
    if _git(folders.ROOT, "tag", "--list", f"v{version}"):
        raise LabError(f"{version} has been released: there is a tag v{version}")
    if _git(folders.ROOT, "status", "--porcelain", "--untracked-files=no"):
        raise LabError("there are changes that are not committed")


def _make(version: Version, folder: Path, address: str) -> None:
    tree = WORK / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    _git(folders.ROOT, "clone", "--quiet", "--shared", str(folders.ROOT), str(tree))
    raise_to(version, tree)
    date_changes(version, datetime.date.today().isoformat(), tree)
    identity = [f"user.{name}={_git(folders.ROOT, 'config', '--get', f'user.{name}')}" for name in ("name", "email")]
    settings = [word for each in identity for word in ("-c", each)]
    _git(tree, *settings, "commit", "--quiet", "--all", "--message", f"Release {version}")
    _git(tree, *settings, "tag", "--annotate", f"v{version}", "--message", f"Freehold {version}")

    archive = folder / f"freehold-{version}.tar.gz"
    _git(tree, "archive", f"--prefix=freehold-{version}/", f"--output={archive}", "HEAD")
    _freehold(tree, "amalgamate", str(folder / "single"))
    _run(tree, sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(tree))
    package = WORK / "package"
    _run(tree, "cmake", "-S", str(tree), "-B", str(package), "-DFREEHOLD_BUILD_TESTS=OFF")
    _run(package, "cpack", "-G", "DEB", "-B", str(folder))
    shutil.rmtree(folder / "_CPack_Packages", ignore_errors=True)
    _freehold(tree, "docs")
    shutil.copytree(tree / "build" / "docs", folder / "site")
    if address:
        links = explorer.page(tree, f"{address.rstrip('/')}/freehold/freehold.hpp")
        (folder / "compiler-explorer.md").write_text(links)
    else:
        say("without --url there are no links to Compiler Explorer")
    sums = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in _published(folder)}
    lines = [f"{digest}  {path.relative_to(folder)}\n" for path, digest in sums.items()]
    (folder / SUMS).write_text("".join(lines))


def _published(folder: Path) -> list[Path]:
    """Returns the files beside the site."""
    site = folder / "site"
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_relative_to(site))


def _freehold(tree: Path, *arguments: str) -> None:
    """Runs the command of the clone, in this environment."""
    python_path = f"PYTHONPATH={tree / 'lab'}"
    _run(tree, "env", python_path, sys.executable, "-P", "-m", "freehold_lab", *arguments)


def _run(folder: Path, *command: str) -> None:
    log = WORK / "release.log"
    log.write_text("")
    if process.log(command, log, folder=folder) != 0:
        last = (log.read_text().strip().splitlines() or ["no output"])[-1]
        raise LabError(f"{' '.join(map(str, command[:4]))} … failed: {last} (all of it in {log})")


def _git(tree: Path, *arguments: str) -> str:
    command = ["git", "-C", str(tree), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | process.ENVIRONMENT)
    if done.returncode != 0:
        complaint = (done.stderr.strip() or "it said nothing").splitlines()[-1]
        raise LabError(f"git {arguments[0]} failed: {complaint}")
    return done.stdout.strip()
