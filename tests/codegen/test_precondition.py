"""A failed precondition leads to the line of its user, without run-time type information and however it is compiled."""

import re
import subprocess
from pathlib import Path

import pytest

from freehold_lab.setup import environment

INCLUDE = Path(__file__).parents[2] / "include"
PROGRAM = """\
#include <freehold/pointers/make_shared.hpp>
struct widget { int value = 0; };
[[gnu::noinline]] int user(const freehold::shared_ptr<widget>& p) {
    return p->value;  // line 4
}
int main() {
    return user(nullptr) + 1;
}
"""


@pytest.mark.parametrize("options", ["-O0", "-O2", "-O0 -no-pie"])
@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: compiler.name)
def test_the_message_has_the_command_that_finds_the_users_line(compiler, options, tmp_path):
    source, program = tmp_path / "user.cpp", tmp_path / "user"
    source.write_text(PROGRAM)
    command = [compiler.path, "-std=c++20", "-g", "-fno-rtti", *options.split(), f"-I{INCLUDE}", source, "-o", program]
    subprocess.run(command, check=True)
    message = subprocess.run([program], capture_output=True, text=True).stderr
    assert "type: freehold::shared_ptr<widget>" in message
    lines_of = re.search(r"for their lines: (addr2line .*)", message)[1]
    lines = subprocess.run(lines_of.split(), capture_output=True, text=True, check=True).stdout
    assert "user(" in lines
    if "-O0" in options:  # addr2line does not see all that compilers inline
        assert "user.cpp:4" in lines
    assert "user.cpp:7" in lines
