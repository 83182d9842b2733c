"""The locked operations of a shared_ptr on AArch64: those in the code, and those that are executed under qemu-user.

Callgrind would need such a processor. The emulator writes which instructions it executes, and the laboratory's readers
say which of these are locked, as they do for callgrind's.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from freehold_lab.measure import object_code
from freehold_lab.measure.machine_code import Image

INCLUDE = Path(__file__).parents[2] / "include"
COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
needs_compiler = pytest.mark.skipif(not shutil.which(COMPILER), reason=f"there is no {COMPILER}")
needs_emulator = pytest.mark.skipif(not shutil.which(EMULATOR), reason=f"there is no {EMULATOR}")

# How g++ makes an atomic operation: with two exclusive instructions, with a function that asks the processor, and with
# one instruction of ARMv8.1.
WAYS = {
    "exclusive": ["-march=armv8-a", "-mno-outline-atomics"],
    "outline": ["-march=armv8-a", "-moutline-atomics"],
    "atomic": ["-march=armv8.1-a"],
}
# The outline functions take one way on the first processor, and another on the second.
BEFORE_8_1, LATER = "cortex-a53", "max"

OPERATIONS = """\
#include <freehold/pointers/shared_ptr.hpp>
#include <memory>
#include <new>
extern "C" {
void copy(void* place, const freehold::shared_ptr<int>& from) { ::new (place) freehold::shared_ptr<int>(from); }
void standard_copy(void* place, const std::shared_ptr<int>& from) { ::new (place) std::shared_ptr<int>(from); }
}
"""

PROGRAM = """\
#include <freehold/pointers/make_shared.hpp>
#include <cstdlib>
#include <sys/single_threaded.h>
int main(int, char** arguments) {
    __libc_single_threaded = 0;  // counts are atomic, and no second thread makes the number differ from run to run
    const auto owner = freehold::make_shared<int>(1);
    for (int times = std::atoi(arguments[1]); times > 0; --times) {
        const auto copy = owner;
        asm volatile("" : : "r"(&copy) : "memory");
    }
}
"""


def compiled(text, folder, way, *options):
    source, output = folder / "source.cpp", folder / "output"
    source.write_text(text)
    command = [COMPILER, "-std=c++20", "-O2", "-DNDEBUG", f"-I{INCLUDE}", *WAYS[way], *options]
    subprocess.run([*command, source, "-o", output], check=True)
    return output


@needs_compiler
@pytest.mark.parametrize("way", WAYS)
def test_a_copy_has_one_locked_operation_in_its_code(tmp_path, way):
    found = object_code.functions(compiled(OPERATIONS, tmp_path, way, "-c", "-ffunction-sections"), {"copy"})
    assert found["copy"].locked() == found["standard_copy"].locked() == 1


@pytest.mark.full
@needs_compiler
@needs_emulator
@pytest.mark.parametrize(
    ("way", "processor"),
    [("exclusive", BEFORE_8_1), ("outline", BEFORE_8_1), ("outline", LATER), ("atomic", LATER)],
)
def test_a_copy_and_its_release_execute_two_locked_operations(tmp_path, way, processor):
    program = compiled(PROGRAM, tmp_path, way, "-static")
    less, more = (locked_in(program, processor, times) for times in (10, 30))
    assert more - less == 2 * 20


def locked_in(program, processor, times):
    """Returns how many locked operations the program executes on that processor."""
    log, image = program.with_suffix(".log"), Image(program)
    command = [EMULATOR, "-cpu", processor, _one_by_one(), "-d", "exec,nochain", "-D", log, program, str(times)]
    subprocess.run(command, check=True)
    addresses = re.findall(r"^Trace \d+: \w+ \[\w+/(\w+)/", log.read_text(), re.MULTILINE)
    return sum(image.is_locked_at(int(address, 16)) for address in addresses)


def _one_by_one():
    """Returns the emulator's option to execute instructions one by one, which it renamed."""
    text = subprocess.run([EMULATOR, "-help"], capture_output=True, text=True).stdout
    return "-one-insn-per-tb" if "-one-insn-per-tb" in text else "-singlestep"
