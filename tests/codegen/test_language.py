"""What a compiler says that is told to compile another language than a header needs."""

import subprocess
from pathlib import Path

import pytest

from freehold_lab.setup import environment

INCLUDE = Path(__file__).parents[2] / "include"


@pytest.mark.parametrize("header", ["freehold.hpp", "pointers/shared_ptr.hpp", "memory/replace_new.hpp"])
@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: compiler.name)
def test_older_cpp_is_refused_in_one_clear_line(compiler, header):
    first = first_error(compiler, header, "-std=c++17")
    assert "Freehold needs C++20: compile this file with -std=c++20 or later" in first


@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: compiler.name)
def test_a_bridge_without_type_information_is_refused_first(compiler):
    assert "std_bridge.hpp needs run-time type information" in first_error(
        compiler, "interop/std_bridge.hpp", "-std=c++20", "-fno-rtti"
    )


def first_error(compiler, header, *options):
    command = [compiler.path, *options, f"-I{INCLUDE}", "-fsyntax-only", "-x", "c++", "-"]
    result = subprocess.run(command, input=f"#include <freehold/{header}>\n", capture_output=True, text=True)
    return next(line for line in result.stderr.splitlines() if "error" in line)
