"""The readers of machine code on AArch64, with what Debian's cross compiler makes."""

import shutil
import subprocess

import pytest

from assembly import MACROS
from freehold_lab.errors import LabError
from freehold_lab.measure import code_size, disassembly, object_code
from freehold_lab.measure.machine_code import Image
from freehold_lab.model import Part

COMPILER = "aarch64-linux-gnu-g++"
OF_A_PROCESSOR = pytest.mark.skipif(not shutil.which(COMPILER), reason=f"there is no {COMPILER}")

# Without the instructions of ARMv8.1, by functions that look for them, and with them.
WAYS = {
    "exclusive": ["-march=armv8-a", "-mno-outline-atomics"],
    "outline": ["-march=armv8-a", "-moutline-atomics"],
    "atomic": ["-march=armv8.1-a"],
}

LOCKED = """
    ldadd w0, w1, [x2]
    ldaddalb w0, w1, [x2]
    ldclrl x0, x1, [x2]
    ldeora x0, x1, [x2]
    ldsetalh w0, w1, [x2]
    ldsmax x0, x1, [x2]
    ldsminal x0, x1, [x2]
    ldumaxa x0, x1, [x2]
    lduminlb w0, w1, [x2]
    stadd x0, [x2]
    stsetl x0, [x2]
    swp x0, x1, [x2]
    swpalb w0, w1, [x2]
    casal x0, x1, [x2]
    cash w0, w1, [x2]
    caspa x0, x1, x2, x3, [x4]
    stxr w3, x0, [x2]
    stlxrb w3, w0, [x2]
    stlxp w3, x0, x1, [x2]
"""
# The first half of a pair of exclusive instructions, loads and stores that are ordered, fences, and what looks alike.
NOT_LOCKED = """
    ldxr x0, [x2]
    ldaxrb w0, [x2]
    ldaxp x0, x1, [x2]
    ldar x0, [x2]
    stlr x0, [x2]
    ldur x0, [x2, #1]
    stp x0, x1, [x2]
    dmb ish
    clrex
    adds x0, x0, #1
    umax v0.4s, v1.4s, v2.4s
"""

ATOMICS = """
#include <atomic>
extern "C" {
long add(std::atomic<long>& a) { return a.fetch_add(1); }
void subtract(std::atomic<long>& a) { a.fetch_sub(1, std::memory_order_relaxed); }
int set(std::atomic<int>& a) { return a.fetch_or(4, std::memory_order_release); }
int clear(std::atomic<int>& a) { return a.fetch_and(4, std::memory_order_acquire); }
char flip(std::atomic<char>& a) { return a.fetch_xor(4); }
int exchange(std::atomic<int>& a) { return a.exchange(4); }
bool compare(std::atomic<int>& a, int b) { return a.compare_exchange_strong(b, 5); }
bool compare_weakly(std::atomic<int>& a, int b) { return a.compare_exchange_weak(b, 5); }
long two(std::atomic<long>& a) { return a.fetch_add(1) + a.exchange(2); }
long load(std::atomic<long>& a) { return a.load(); }
void store(std::atomic<long>& a) { a.store(1); }
void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
}
"""
ONCE = ["add", "subtract", "set", "clear", "flip", "exchange", "compare", "compare_weakly"]
NEVER = ["load", "store", "fence"]

# The five operations, as in test_code_size.py.
OPERATIONS = (
    MACROS
    + """
function default_construct .text.default_construct
    str xzr, [x0]
    ret
end default_construct

function construct .text.construct
    stp x29, x30, [sp, #-16]!
    bl _Znwm                            // allocation is out of line for everybody
    nop                                 // padding
    ldp x29, x30, [sp], #16
    ret
end construct
function construct.cold .text.unlikely.construct
    bl _ZN4mine5clearEv
    b construct + 8
end construct.cold

function copy_construct .text.copy_construct
    cbz x0, 2f
    b _ZN4mine7acquireEv                // likely
2:  ret
end copy_construct

function copy_assign .text.copy_assign
    bl __aarch64_ldadd8_acq_rel         // the compiler's run-time
    tbnz x0, #63, _ZN4mine3endEv        // unlikely, and straight to another function
    b.eq 1f
    ret
1:  bl _ZN4mine7releaseEv              // unlikely
    blr x1                              // has no name
    ret
end copy_assign

function destroy .text.destroy
    b 1f
    bl _ZN4mine7releaseEv               // jumped over
1:  b.eq construct.cold
    br x1
end destroy
"""
)

WORK = """
    .section .text.work, "ax", @progbits
    .type work, @function
work:
    cbz x0, 2f
1:  adrp x1, number
    ldr w1, [x1, #:lo12:number]
    nop
    bl _ZN4mine7acquireEm
    blr x2
    tbnz w0, #2, 1b
    cbnz x0, _ZN4mine7acquireEm
    b.ne 1b
2:  b _ZdlPv
    .size work, . - work
"""


@pytest.fixture
def compile_for_it(tmp_path):
    def compile_text(text, *options, suffix=".s"):
        source, output = tmp_path / f"source{suffix}", tmp_path / "output.o"
        source.write_text(text)
        subprocess.run([COMPILER, "-O2", "-std=c++20", *options, "-c", source, "-o", output], check=True)
        return output

    return compile_text


def function_of(instructions):
    return f".type work, @function\nwork:\n{instructions}\n.size work, . - work\n"


@OF_A_PROCESSOR
@pytest.mark.parametrize(("instructions", "are_locked"), [(LOCKED, True), (NOT_LOCKED, False)])
def test_locked_instructions_are_known(compile_for_it, instructions, are_locked):
    path = compile_for_it(function_of(instructions), "-march=armv8.1-a")
    work = object_code.functions(path, {"work"})["work"]
    found = {each.mnemonic: work.processor.is_locked(each) for each in work.instructions}
    assert found == {line.split()[0]: are_locked for line in instructions.strip().splitlines()}


@OF_A_PROCESSOR
@pytest.mark.parametrize("way", WAYS)
def test_an_atomic_operation_is_one_locked_operation(compile_for_it, way):
    path = compile_for_it(ATOMICS, "-ffunction-sections", *WAYS[way], suffix=".cpp")
    found = {name: function.locked() for name, function in object_code.functions(path, set()).items()}
    assert found == dict.fromkeys(ONCE, 1) | dict.fromkeys(NEVER, 0) | {"two": 2}


@pytest.fixture
def codes(compile_for_it):
    return {code.operation: code for code in code_size.read(compile_for_it(OPERATIONS), "g++-12", "mine")}


@OF_A_PROCESSOR
def test_instructions_and_bytes_are_counted_without_padding(codes):
    assert codes["ptr()"].hot == Part(instructions=2, bytes=8)
    assert codes["ptr(p)"].hot == Part(instructions=4, bytes=16)
    assert codes["ptr(p)"].cold == Part(instructions=2, bytes=8)


@OF_A_PROCESSOR
def test_calls_are_named(codes):
    assert codes["ptr(p)"].calls == ["operator new(unsigned long)", "mine::clear()"]
    assert codes["ptr(ptr)"].calls == ["mine::acquire()"]
    assert codes["op="].calls == ["__aarch64_ldadd8_acq_rel", "mine::end()", "mine::release()"]
    assert codes["~ptr()"].calls == ["mine::release()", "construct.cold"]


@OF_A_PROCESSOR
def test_only_a_likely_call_of_an_own_function_is_out_of_line(codes):
    assert [name for name, code in codes.items() if not code.inlined] == ["ptr(ptr)"]


@OF_A_PROCESSOR
def test_text_names_where_jumps_and_calls_lead_to_behind_what_they_test(compile_for_it):
    work = object_code.functions(compile_for_it(WORK), {"work"})["work"]
    assert disassembly.lines("work", work) == [
        "work:",
        "    cbz x0, .L2",
        ".L1:",
        "    adrp x1, #0  ; number",
        "    ldr w1, [x1]  ; number",
        "    bl mine::acquire(unsigned long)",
        "    blr x2",
        "    tbnz w0, #2, .L1",
        "    cbnz x0, mine::acquire(unsigned long)",
        "    b.ne .L1",
        ".L2:",
        "    b operator delete(void*)",
    ]


def test_code_for_a_processor_that_is_not_known_is_refused(compile_file):
    program = compile_file("int main() {}")
    code = bytearray(program.read_bytes())
    code[18:20] = (243).to_bytes(2, "little")  # RISC-V, as the header has it
    program.write_bytes(code)
    with pytest.raises(LabError, match="output holds code for RISC-V; only that for x86-64 and AArch64 can be read"):
        Image(program)
