"""Stage two of the installation: the Debian packages that a command needs (stage one is ./freehold itself).

Nothing here stops the command: without apt, after a refusal or a failure it reports one line and continues with what is
installed. What a command requires, it asks `environment` for.
"""

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from freehold_lab.errors import LabError, say
from freehold_lab.setup import debian, doctor
from freehold_lab.setup.debian import agreed


def install(
    *commands: str,
    without: Collection[str] = (),
    needless: Collection[str] = (),
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Installs the groups of debian-packages.toml that any of `commands` needs, save the groups `without` and the
    packages `needless`. Does `meanwhile` while all but the first groups are being installed."""
    groups = [
        replace(group, packages=[package for package in group.packages if package not in needless])
        for name, group in debian.groups().items()
        if any(command in group.commands for command in commands) and name not in without
    ]
    if not debian.has_apt():
        _tell_what_is_missing(groups)
        return
    groups = [lacking for group in groups if (lacking := debian.missing(group)).packages]
    if not groups or not agreed([f"Debian: {group}" for group in groups]):
        return
    complaints = _install([group for group in groups if group.first])
    if others := [group for group in groups if not group.first]:
        with ThreadPoolExecutor(1) as background:
            installing = background.submit(_install, others)
            meanwhile()
        complaints += installing.result()
    for complaint in complaints:
        say(complaint)


def _install(groups: list[debian.Group]) -> list[str]:
    """Installs what can be installed of `groups`, and returns a complaint for each of the rest."""
    if not groups:
        return []
    say(f"installing {' '.join(package for group in groups for package in group.packages)} …")
    try:
        debian.install(*groups)
        return []
    except LabError as error:
        if len(groups) == 1:
            return [str(error)]
    return [complaint for group in groups for complaint in _install([group])]


def _tell_what_is_missing(groups: list[debian.Group]) -> None:
    wanted = {package for group in groups for package in group.packages}
    absent = [tool.package for tool in doctor.tools() if tool.package in wanted and not tool.path]
    if absent:
        say(f"cannot install without apt; missing Debian packages: {' '.join(absent)}")
