"""Debian's packages. Standard library only: ./freehold may need one before anything else is there."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from freehold_lab import folders, process
from freehold_lab.errors import LabError, say


@dataclass(frozen=True)
class Group:
    """A table of debian-packages.toml."""

    purpose: str
    commands: list[str]
    packages: list[str]
    first: bool = False
    unpacked: str = ""

    def __str__(self) -> str:
        return f"{' '.join(self.packages)} ({self.purpose})"


def groups() -> dict[str, Group]:
    return {name: Group(**table) for name, table in tomllib.loads(folders.PACKAGES.read_text()).items()}


def has_apt() -> bool:
    return all(shutil.which(program) for program in ("apt-get", "dpkg-query"))


def missing(group: Group) -> Group:
    """Returns `group` with only those of its packages that are not here."""
    if group.unpacked:
        return replace(group, packages=[] if _folder(group).exists() else group.packages)
    # dpkg-query fails if it does not know one of the names, and lists the others all the same.
    query = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", *group.packages]
    known = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    return replace(group, packages=[name for name in group.packages if f"{name} installed" not in known])


def agreed(plan: list[str]) -> bool:
    """Lists what is to be installed, and returns whether to go ahead: as root and in CI, else if the user agrees."""
    for line in plan:
        say(f"to install: {line}")
    if os.geteuid() == 0 or os.environ.get("CI") == "true":
        return True
    if not sys.stdin.isatty():
        say("nothing was installed: there is no terminal to ask on")
        return False
    try:
        return input("Go ahead? [Y/n] ").strip().lower() in ("", "y", "yes")
    except EOFError:
        return False


def install(*groups: Group) -> None:
    """Installs the packages of `groups` in one call, since apt is slow to start. Raises LabError if that fails."""
    if not groups:
        return
    _update()
    packages = [name for group in groups if not group.unpacked for name in group.packages]
    if packages:
        _check(_apt_get("install", "--yes", "--no-install-recommends", *packages), groups)
    for group in groups:
        if group.unpacked:
            _unpack(group)


def _unpack(group: Group) -> None:
    # The folder has its name only when it is whole.
    draft = _folder(group).with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    _check(_run("apt-get", "--quiet=2", "download", *group.packages, folder=draft), [group])
    for package in draft.glob("*.deb"):
        _check(_run("dpkg-deb", "--extract", str(package), str(draft)), [group])
        package.unlink()
    draft.rename(_folder(group))


def _folder(group: Group) -> Path:
    return folders.BUILD / "debian" / group.unpacked


def _check(done: subprocess.CompletedProcess[str], groups: Sequence[Group]) -> None:
    if done.returncode != 0:
        complaint = (done.stderr.strip() or done.stdout.strip() or "apt-get failed").splitlines()[-1]
        raise LabError(f"cannot install {', '.join(map(str, groups))}: {complaint}")


def _update() -> None:
    # Once: stage two has the environment of stage one. A failure is no matter: the lists at hand may do, and if they do
    # not, the installation says so.
    if "FREEHOLD_APT_UPDATED" not in os.environ:
        os.environ["FREEHOLD_APT_UPDATED"] = "yes"
        _apt_get("update")


def _apt_get(*arguments: str) -> subprocess.CompletedProcess[str]:
    root = os.geteuid() == 0
    if not root and not shutil.which("sudo"):
        raise LabError(f"sudo is missing: as root, run apt-get {' '.join(arguments)}")
    variables = {"DEBIAN_FRONTEND": "noninteractive"} | process.ENVIRONMENT
    command = [
        *([] if root else ["sudo"]),
        # sudo clears the environment, so the variables are set behind it.
        *("env", *(f"{name}={value}" for name, value in variables.items())),
        # Another installation may be going on, such as the nightly upgrade.
        *("apt-get", "--quiet=2", "--option=DPkg::Lock::Timeout=300", *arguments),
    ]
    return _run(*command)


def _run(*command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", cwd=folder
    )
