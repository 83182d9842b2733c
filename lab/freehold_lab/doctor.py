"""`./freehold doctor`: what is found and what is missing, a line each."""

from freehold_lab.tools import Tool, tools


def lines() -> list[str]:
    return [f"{tool.name:<18}{_finding(tool)}" for tool in tools()]


def _finding(tool: Tool) -> str:
    return f"{tool.version:<14}{tool.path}" if tool.path else f"missing: install {tool.package}"
