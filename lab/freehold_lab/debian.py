"""Debian's packages. Standard library only: ./freehold may need one before anything else is there."""

import os
import shutil
import subprocess
import tomllib
from dataclasses import dataclass, replace
from functools import cache

from freehold_lab import folders, process
from freehold_lab.errors import LabError


@dataclass(frozen=True)
class Group:
    """A table of debian-packages.toml."""

    purpose: str
    commands: list[str]
    packages: list[str]

    def __str__(self) -> str:
        return f"{' '.join(self.packages)} ({self.purpose})"


def groups() -> dict[str, Group]:
    return {name: Group(**table) for name, table in tomllib.loads(folders.PACKAGES.read_text()).items()}


def has_apt() -> bool:
    return all(shutil.which(program) for program in ("apt-get", "dpkg-query"))


def missing(group: Group) -> Group:
    """Returns `group` with only those of its packages that are not installed."""
    # dpkg-query fails if it does not know one of the names, and lists the others all the same.
    query = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", *group.packages]
    known = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    return replace(group, packages=[name for name in group.packages if f"{name} installed" not in known])


def install(group: Group) -> None:
    """Installs the packages of `group`, or raises LabError."""
    _update()
    done = _apt_get("install", "--yes", "--no-install-recommends", *group.packages)
    if done.returncode != 0:
        complaint = (done.stderr.strip() or done.stdout.strip() or "apt-get failed").splitlines()[-1]
        raise LabError(f"cannot install {group}: {complaint}")


@cache
def _update() -> None:
    # A failure is no matter: the lists at hand may do, and if they do not, the installation says so.
    _apt_get("update")


def _apt_get(*arguments: str) -> subprocess.CompletedProcess:
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
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
