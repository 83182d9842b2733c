"""What a compiler says that is told to compile another language than a header needs."""

import subprocess
from pathlib import Path

import pytest

from freehold_lab.setup import environment

INCLUDE = Path(__file__).parents[2] / "include"
PUBLIC = sorted(
    path.relative_to(INCLUDE / "freehold").as_posix()
    for path in INCLUDE.glob("freehold/**/*.hpp")
    if "detail" not in path.parts and "core" not in path.parts
)
# A page of errors is scrolled away; these are read.
MAX_LINES = 25


def lines_of(compiler, header, *options):
    command = [compiler.path, *options, f"-I{INCLUDE}", "-fsyntax-only", "-x", "c++", "-"]
    result = subprocess.run(command, input=f"#include <freehold/{header}>\n", capture_output=True, text=True)
    return result.stderr.splitlines()


def first_error(lines):
    return next(line for line in lines if " error: " in line)


def expect_refused(lines):
    first = first_error(lines)
    assert "needs_cplusplus_20_compile_with_std_c++20" in first
    assert len(lines) <= MAX_LINES


@pytest.mark.parametrize("header", ["freehold.hpp", "pointers/shared_ptr.hpp", "memory/replace_new.hpp"])
@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: compiler.name)
def test_older_cpp_is_refused_in_one_clear_line(compiler, header):
    expect_refused(lines_of(compiler, header, "-std=c++17"))


@pytest.mark.long
@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: compiler.name)
def test_every_public_header_refuses_older_cpp_or_compiles(compiler):
    for header in PUBLIC:
        lines = lines_of(compiler, header, "-std=c++17")
        if any(" error: " in line for line in lines):
            expect_refused(lines)


@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: compiler.name)
def test_a_bridge_without_type_information_is_refused_first(compiler):
    lines = lines_of(compiler, "interop/std_bridge.hpp", "-std=c++20", "-fno-rtti")
    assert "std_bridge.hpp needs run-time type information" in first_error(lines)
