"""The check of foreign macros itself, and whether the library compiles after them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arrows import LIBRARY, STANDARD, UMBRELLA, foreign_includes, includes, public_headers
from freehold_lab.setup import environment
from macros import check_macros, foreign_macros

ROOT = Path(__file__).parents[2]

# What stands in a header, and the names in it that are macros.
USES = {
    "int slots;": ["slots"],
    "auto f = [](auto& all) { return all.slots[0]; };": ["slots"],
    "int smallest, all_slots, slots_;": [],
    "// slots": [],
    "/* slots\n*/ int i;": [],
    'const char* s = "slots";': [],
    'const char* s = R"(a "quoted" slots)";': [],
    "#if __has_include(<linux/futex.h>)\n#include <linux/futex.h>\n#endif": [],
    "int i = std::min(1, 2);": ["min()"],
    "int i = std::min (1, 2);": ["min()"],
    "int i = (std::min)(1, 2);": [],
    "int i = std::numeric_limits<int>::max();": ["max()"],
    "int i = (std::numeric_limits<int>::max)();": [],
    "int i = 1'000; int max; char c = '\"'; int slots;": ["slots"],
}


@pytest.mark.parametrize("use", USES)
def test_a_use_of_a_macro_is_found(tmp_path, use):
    header = tmp_path / LIBRARY / "core/use.hpp"
    header.parent.mkdir(parents=True)
    header.write_text(f"#pragma once\n{use}\n")
    macros = foreign_macros()
    expected = [f"include/freehold/core/use.hpp:2: {name} is a macro of {macros[name]}" for name in USES[use]]
    assert check_macros(tmp_path) == expected


def test_the_library_uses_none():
    assert check_macros(ROOT) == []


@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: Path(compiler.path).name)
def test_every_header_compiles_after_all_of_them(tmp_path, compiler):
    foreign = {Path(name.partition(":")[0]) for name in foreign_includes(ROOT)}
    headers = [*(header for header in public_headers(ROOT) if LIBRARY / header not in foreign), Path(UMBRELLA)]
    standard = {
        name
        for header in (ROOT / LIBRARY).rglob("*.hpp")
        for _, _, name, is_conditional in includes(header)
        if STANDARD.fullmatch(name) and not is_conditional
    }
    source = tmp_path / "program.cpp"
    source.write_text(
        "".join(f"#include <{name}>\n" for name in sorted(standard))
        + "".join(f"#define {name.replace('()', '(...)')} @\n" for name in foreign_macros())  # no code has a @
        + "".join(f"#include <{LIBRARY.name}/{header.as_posix()}>\n" for header in headers)
    )
    compiled = subprocess.run(
        [compiler.path, "-std=c++20", f"-I{ROOT / LIBRARY.parent}", "-fsyntax-only", source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert compiled.returncode == 0, compiled.stderr
