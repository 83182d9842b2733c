"""The parts of the laboratory point one way: a part imports only what stands before it."""

import ast
import importlib.metadata
import re
import sys

import pytest

from freehold_lab import folders

PACKAGE = folders.ROOT / "lab" / "freehold_lab"
# From what anything may import to what imports everything.
PARTS = (
    *("errors", "files", "folders", "process", "workloads", "needs", "model", "earlier"),
    *("setup", "catalogue", "plan", "build", "measure", "statistics", "report"),
    *(
        "store",
        "allocation_log",
        "run",
        "machines",
        "checking",
        "changes",
        "watch",
        "platforms",
        "testing",
        "memory_orders",
        "mutants",
        "names",
        "site",
        "heap",
        "debuggers",
        "amalgamating",
        "releasing",
        "switching",
    ),
    *("owners", "advise", "cli", "__main__"),
)
# Parts that have packages of their own, which the first command that needs them installs: a set of lab/requirements.
SETS = {"machines", "site", "switching"}
# Modules of the standard library's stage of the command: they may import nothing else.
STAGE_ONE = ("errors", "folders", "process", "setup.debian")


def name_of(path):
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def imports(path):
    """Returns the modules of this package that the file imports, as part.module."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("freehold_lab"):
            base = node.module.removeprefix("freehold_lab").removeprefix(".")
            for each in node.names:
                name = f"{base}.{each.name}".removeprefix(".")
                file = PACKAGE / name.replace(".", "/")
                found.add(name if file.is_dir() or file.with_suffix(".py").exists() else base)
    return found


def part(module):
    return PARTS.index(module.split(".")[0])


FILES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py")) if name_of(path) != "__init__"}


@pytest.mark.parametrize("module", FILES)
def test_imports_point_to_earlier_parts(module):
    assert [each for each in imports(FILES[module]) if part(each) > part(module)] == []


def test_there_is_no_circle():
    arrows = {module: imports(path) - {module} for module, path in FILES.items()}
    while free := [module for module, targets in arrows.items() if not targets & arrows.keys()]:
        for module in free:
            del arrows[module]
    assert arrows == {}


@pytest.mark.parametrize("module", STAGE_ONE)
def test_stage_one_imports_itself_alone(module):
    assert imports(FILES[module]) <= {*STAGE_ONE, "setup"}


def packages_of(path):
    """Returns the names of the packages, neither of this project nor of Python, that the file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    modules = {each.module for each in nodes if isinstance(each, ast.ImportFrom) and each.module}
    modules |= {name.name for each in nodes if isinstance(each, ast.Import) for name in each.names}
    return {module.split(".")[0] for module in modules} - sys.stdlib_module_names - {"freehold_lab"}


@pytest.mark.parametrize("name", [name for name in PARTS if name not in SETS])
def test_a_part_needs_what_every_command_installs(name):
    pinned = re.findall(r"^(\S+)==", (folders.ROOT / "lab/requirements/lab.txt").read_text(), re.MULTILINE)
    known = importlib.metadata.packages_distributions()
    paths = [path for path in PACKAGE.rglob("*.py") if name_of(path).split(".")[0] == name]
    # What no package has comes with the program that runs the file, as in gdb.
    needed = {each for path in paths for package in packages_of(path) for each in known.get(package, [])}
    assert {each.lower() for each in needed} <= set(pinned)
