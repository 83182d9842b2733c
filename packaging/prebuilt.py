"""A hook of the wheel's build: puts in what `freehold advise` needs to record where there is no compiler.

The wheel stays one for all machines. On another than x86-64 Linux, or without a compiler, it is built without.
"""

import platform
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Prebuilt(BuildHookInterface):
    def initialize(self, version, build_data):
        sys.path.insert(0, str(Path(self.root) / "lab"))
        from freehold_lab.advise import building
        from freehold_lab.errors import LabError

        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            return
        try:
            programs = building.portable()
        except LabError as fault:
            self.app.display_warning(f"without prebuilt programs: {fault}")
            return
        folder = "freehold_lab/tree/prebuilt"
        build_data["force_include"] |= {str(each): f"{folder}/{each.name}" for each in programs}
