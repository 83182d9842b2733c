"""What a compiler says that is told to compile older C++."""

import subprocess
from pathlib import Path

import pytest

from freehold_lab.setup import environment

INCLUDE = Path(__file__).parents[2] / "include"


@pytest.mark.parametrize("header", ["freehold.hpp", "pointers/shared_ptr.hpp", "memory/replace_new.hpp"])
@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: compiler.name)
def test_older_cpp_is_refused_in_one_clear_line(compiler, header):
    options = ["-std=c++17", f"-I{INCLUDE}", "-fsyntax-only", "-x", "c++", "-"]
    source = f"#include <freehold/{header}>\n"
    result = subprocess.run([compiler.path, *options], input=source, capture_output=True, text=True)
    first = next(line for line in result.stderr.splitlines() if "error" in line)
    assert "Freehold needs C++20: compile this file with -std=c++20 or later" in first
