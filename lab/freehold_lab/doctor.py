"""`./freehold doctor`: what is found and what is missing, a line each."""

from freehold_lab import debian
from freehold_lab.tools import Tool, tools


def lines() -> list[str]:
    return [f"{tool.name:<18}{_finding(tool)}" for tool in tools()]


def _finding(tool: Tool) -> str:
    if tool.path:
        return f"{tool.version:<14}{tool.path}"
    installed = {package for group in debian.groups().values() for package in group.packages}
    return f"missing{'' if tool.package in installed else ', optional'}: install {tool.package}"
