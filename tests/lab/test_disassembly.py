"""Machine code as text."""

import pytest

from freehold_lab.measure import disassembly, object_code
from freehold_lab.measure.processors import X86_64

ASSEMBLY = """
    .section .text.work, "ax", @progbits
    .type work, @function
work:
    testq %rdi, %rdi
    je 2f
1:  decq %rdi
    movl number(%rip), %eax
    nopw 0(%rax,%rax,1)                 # padding
    callq _ZN4mine7acquireEm@PLT
    callq *8(%rax)
    jne 1b
2:  jmp _ZdlPv@PLT
    .size work, . - work

    .section .text.rest, "ax", @progbits
    .type rest, @function
rest:
    ret
    .size rest, . - rest
"""


@pytest.fixture
def found(compile_file):
    return object_code.functions(compile_file(ASSEMBLY, "-c", suffix=".s"), {"work"})


@pytest.fixture
def text(found):
    return disassembly.lines("work", found["work"])


def test_a_function_is_its_name_and_its_instructions(found):
    assert disassembly.lines("rest", found["rest"]) == ["rest:", "    ret"]


def test_what_is_called_has_its_name(text):
    assert "    call mine::acquire(unsigned long)" in text
    assert text[-1] == "    jmp operator delete(void*)"


def test_a_call_through_a_pointer_is_kept(text):
    assert "    call qword ptr [rax + 8]" in text


def test_jumps_within_the_function_lead_to_labels_in_their_order(text):
    assert text[text.index("    je .L2") + 1] == ".L1:"
    assert text[text.index("    jne .L1") + 1] == ".L2:"


def test_variables_are_named(text):
    assert "    mov eax, dword ptr [rip]  ; number" in text


def test_padding_is_left_out(text):
    assert not any("nop" in line for line in text)


def test_nothing_has_no_lines():
    assert disassembly.lines("work.cold", object_code.Function(X86_64, [], {}, {})) == []
