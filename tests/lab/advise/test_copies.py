"""`./freehold advise --copies`: an unmodified program, under valgrind."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from freehold_lab.advise.copies import counting
from freehold_lab.errors import LabError

SOURCE = Path(__file__).with_name("copies.cpp")
ROUNDS = 100
needs_valgrind = pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")


def expected():
    """Returns the copies and locks of each line, as its comment has it."""
    found = {}
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if comment := re.search(r"// (rounds|once): (\d+)$", line):
            found[number] = int(comment[2]) * (ROUNDS if comment[1] == "rounds" else 1)
    return found


def compile_with(folder, *command, source=SOURCE):
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    program = folder / "program"
    subprocess.run([*command, "-std=c++20", "-g", source, "-o", program, "-pthread"], check=True)
    return str(program)


@needs_valgrind
@pytest.mark.parametrize(
    ("compiler", "optimization"),
    [
        ("g++", "-O2"),
        *(pytest.param("g++", option, marks=pytest.mark.full) for option in ("-O0", "-O3")),
        *(pytest.param("clang++-19", option, marks=pytest.mark.full) for option in ("-O0", "-O2")),
        *(pytest.param("g++", option, marks=pytest.mark.long) for option in ("-O1", "-Os")),
        *(pytest.param("clang++-19", option, marks=pytest.mark.long) for option in ("-O1", "-O3")),
    ],
)
def test_each_line_has_the_copies_that_it_makes(compiler, optimization, tmp_path, capfd):
    counted = counting.count([compile_with(tmp_path, compiler, optimization)])
    assert {line.number: counts.total() for line, counts in counted.copies.of_lines.items()} == expected()
    assert counted.total["lock"] == ROUNDS


def test_a_program_without_lines_is_told(tmp_path):
    source = tmp_path / "program.cpp"
    source.write_text("int main() {}\n")
    subprocess.run(["g++", source, "-o", tmp_path / "program"], check=True)
    with pytest.raises(LabError, match="has no lines to tell: build it with -g"):
        counting.count([str(tmp_path / "program")])


def test_a_program_that_is_not_there_is_told():
    with pytest.raises(LabError, match="cannot run /nowhere: No such file"):
        counting.count(["/nowhere"])
