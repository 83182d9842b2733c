"""Reads the code of a strategy's operations from its object file."""

import re
from pathlib import Path

from freehold_lab.measure.object_code import Function, cold_name, functions, hot_and_cold
from freehold_lab.model import Code

# The functions of code_size.cpp, and what tables call them.
OPERATIONS = {
    "default_construct": "ptr()",
    "construct": "ptr(p)",
    "copy_construct": "ptr(ptr)",
    "copy_assign": "op=",
    "destroy": "~ptr()",
}

# What is out of line for everybody: allocation, and the run-time of C and C++.
COMMON = re.compile(r"operator (new|delete)|(malloc|calloc|realloc|free|aligned_alloc|abort)$|__|_Unwind_")


def read(object_file: Path, compiler: str, strategy: str) -> list[Code]:
    """Returns the code of each operation that the handle has: the function of one that it has not is empty.

    `hot` is the function itself; `cold` is the part that the compiler moved away, because it hardly ever runs. Neither
    counts padding. `calls` names all functions that either part calls or jumps to; what is called through a pointer
    has no name.

    `inlined` says that the likely path through the hot part calls no function of the pointer's own. Allocation
    functions and those of the run-time are out of line for everybody and do not count. Nor does what lies off that
    path: a deleter, an allocator that must fetch memory, the rare end of a count.
    """
    found = functions(object_file, OPERATIONS.keys())
    return [_code(name, found, compiler, strategy) for name in OPERATIONS if found[name].instructions]


def _code(name: str, found: dict[str, Function], compiler: str, strategy: str) -> Code:
    own = (name, cold_name(name))
    hot, cold = hot_and_cold(name, found)
    called = [target for part in (hot, cold) for target in part.targets.values() if target not in own]
    return Code(
        compiler=compiler,
        strategy=strategy,
        operation=OPERATIONS[name],
        hot=hot.part(),
        cold=cold.part(),
        inlined=all(target in own or COMMON.match(target) for target in hot.likely_calls()),
        calls=list(dict.fromkeys(called)),
    )
