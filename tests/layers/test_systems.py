"""The check of where the system is asked, itself, and whether the library passes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrows import LIBRARY
from systems import check_systems

ROOT = Path(__file__).parents[2]

# What stands in a header, and what of it asks the system.
USES = {
    "#include <cstddef>": [],
    "#include <signals.h>": [],
    "#include <sys/mman.h>": ["<sys/mman.h>"],
    "#  include <pthread.h>": ["<pthread.h>"],
    "// #include <unistd.h>": [],
    "/*\n#include <unistd.h>\n*/": [],
    "#if __has_include(<version>)\n#endif": [],
    "#ifdef __linux__\n#endif": ["__linux__"],
    "#if defined(__x86_64__) || defined(_WIN32)\n#endif": ["__x86_64__", "_WIN32"],
    "#if 1\n#elif defined(__GLIBC__)\n#endif": ["__GLIBC__"],
    "#ifdef FREEHOLD_LINUX\n#endif": ["FREEHOLD_LINUX"],
    "#if defined(FREEHOLD_WINDOWS)\n#endif": ["FREEHOLD_WINDOWS"],
    "#include <windows.h>": ["<windows.h>"],
    'extern "C" __declspec(dllimport) void __stdcall Sleep(unsigned long);': ["__declspec", "__stdcall"],
    "#if defined(NDEBUG) || defined(FREEHOLD_HARDENED)\n#endif": [],
    "#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)\n#endif": [],
    "long l = syscall(1);": ["syscall"],
    "int syscalls;": [],
    'asm("");': ["asm"],
    'int i __asm__("i");': ["__asm__"],
    "int asm_;  // asm": [],
}


def in_header(folder: Path, name: str, text: str) -> list[str]:
    header = folder / LIBRARY / name
    header.parent.mkdir(parents=True)
    header.write_text(f"#pragma once\n{text}\n")
    return check_systems(folder)


@pytest.mark.parametrize("use", USES)
def test_what_asks_the_system_is_found(tmp_path, use):
    found = in_header(tmp_path, "memory/use.hpp", use)
    line = 2 if "\n#elif" not in use else 3
    place = f"include/freehold/memory/use.hpp:{line}"
    assert found == [f"{place}: {what} belongs in include/freehold/core/platform/" for what in USES[use]]


@pytest.mark.parametrize(
    "name", ["core/config.hpp", "core/platform/pages.hpp", "core/platform/detail/windows/pages.hpp"]
)
def test_a_header_of_the_floor_may_ask(tmp_path, name):
    assert in_header(tmp_path, name, "\n".join(USES)) == []


def test_the_library_asks_nowhere_else():
    assert check_systems(ROOT) == []
