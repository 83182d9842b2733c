"""Stage two of the installation: the Debian packages that a command needs (stage one is ./freehold itself).

Nothing here ends the command: a machine without apt, a refusal or a failure is told in one line, and the command goes
on with what there is. What it cannot do without, it asks of `environment`, whose word is final.
"""

from collections.abc import Collection

from freehold_lab import debian, tools
from freehold_lab.consent import agreed
from freehold_lab.errors import LabError
from freehold_lab.messages import say


def install(command: str, without: Collection[str] = ()) -> None:
    """Installs the groups of debian-packages.toml that `command` needs, save the groups `without`."""
    groups = [
        group for name, group in debian.groups().items() if command in group.commands and name not in without
    ]
    if not debian.has_apt():
        _tell_what_is_missing(groups)
        return
    groups = [lacking for group in groups if (lacking := debian.missing(group)).packages]
    if not groups or not agreed([f"Debian: {group}" for group in groups]):
        return
    for group in groups:
        say(f"installing {' '.join(group.packages)} …")
        try:
            debian.install(group)
        except LabError as error:
            say(str(error))


def _tell_what_is_missing(groups: list[debian.Group]) -> None:
    wanted = {package for group in groups for package in group.packages}
    absent = [tool.package for tool in tools.tools() if tool.package in wanted and not tool.path]
    if absent:
        say(f"without apt nothing can be installed here; missing (by Debian's names): {' '.join(absent)}")
