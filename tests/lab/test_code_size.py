"""Code size: functions whose code is known, written in assembly, and what compilers make of the strategies."""

import pytest

from assembly import MACROS
from freehold_lab.errors import LabError
from freehold_lab.measure import code_size
from freehold_lab.model import Part

# Five operations in sections of their own, as -ffunction-sections makes them. They are not global, so that jumps refer
# to sections, as they do to the cold parts that compilers make.
ASSEMBLY = (
    MACROS
    + """
function default_construct .text.default_construct
    movq $0, (%rdi)                     # 7 bytes
    ret
end default_construct

function construct .text.construct
    pushq %rbx
    callq _Znwm@PLT                     # allocation is out of line for everybody
    nopw 0(%rax,%rax,1)                 # padding
    popq %rbx
    ret
end construct
function construct.cold .text.unlikely.construct
    callq _ZN4mine5clearEv@PLT
    jmp construct + 6
end construct.cold

function copy_construct .text.copy_construct
    testq %rdi, %rdi
    je 2f
    jmp _ZN4mine7acquireEv@PLT          # likely
2:  ret
end copy_construct

function copy_assign .text.copy_assign
    decl (%rdi)
    js _ZN4mine3endEv@PLT               # unlikely, and straight to another function
    je 1f
    ret
1:  callq _ZN4mine7releaseEv@PLT        # unlikely
    callq *8(%rax)                      # has no name
    ret
end copy_assign

function destroy .text.destroy
    jmp 1f
    callq _ZN4mine7releaseEv@PLT        # jumped over
1:  je construct.cold
    jmp _ZdlPv@PLT
end destroy
"""
)


@pytest.fixture
def codes(compile_file):
    path = compile_file(ASSEMBLY, "-c", suffix=".s")
    return {code.operation: code for code in code_size.read(path, "g++-12", "mine")}


def test_every_operation_is_read_in_order(codes):
    assert list(codes) == ["ptr()", "ptr(p)", "ptr(ptr)", "op=", "~ptr()"]
    assert all((code.compiler, code.strategy) == ("g++-12", "mine") for code in codes.values())


def test_instructions_and_bytes_are_counted_without_padding(codes):
    assert codes["ptr()"].hot == Part(instructions=2, bytes=8)
    assert codes["ptr()"].cold == Part(instructions=0, bytes=0)
    assert codes["ptr(p)"].hot == Part(instructions=4, bytes=8)


def test_a_cold_part_is_counted_apart(codes):
    assert codes["ptr(p)"].cold == Part(instructions=2, bytes=10)


def test_calls_are_named(codes):
    assert codes["ptr()"].calls == []
    assert codes["ptr(p)"].calls == ["operator new(unsigned long)", "mine::clear()"]
    assert codes["ptr(ptr)"].calls == ["mine::acquire()"]
    assert codes["op="].calls == ["mine::end()", "mine::release()"]
    assert codes["~ptr()"].calls == ["mine::release()", "construct.cold", "operator delete(void*)"]


def test_a_name_that_cannot_be_demangled_is_kept(compile_file):
    path = compile_file(ASSEMBLY.replace("_ZN4mine7acquireEv", "_ZN4strange"), "-c", suffix=".s")
    assert code_size.read(path, "g++-12", "mine")[2].calls == ["_ZN4strange"]


def test_only_a_likely_call_of_an_own_function_is_out_of_line(codes):
    assert [name for name, code in codes.items() if not code.inlined] == ["ptr(ptr)"]


def test_compilers_lay_code_out_as_the_rule_supposes(compile_file):
    operations = "".join(f'extern "C" void {name}() {{ likely(); }}\n' for name in code_size.OPERATIONS)
    source = f"""
        extern int count;
        namespace mine {{ void end(); void release(); }}
        void likely() {{ if (--count == 0) [[unlikely]] mine::end(); }}
        {operations.replace("likely", "mine::release", 1)}
    """
    path = compile_file(source, "-c", "-ffunction-sections")
    inlined = {code.operation: code.inlined for code in code_size.read(path, "any", "mine")}
    assert inlined == {"ptr()": False, "ptr(p)": True, "ptr(ptr)": True, "op=": True, "~ptr()": True}


def test_an_operation_may_be_missing(compile_file):
    path = compile_file(ASSEMBLY.replace("destroy", "keep"), "-c", suffix=".s")
    with pytest.raises(LabError, match="output has no function destroy"):
        code_size.read(path, "g++-12", "mine")


@pytest.mark.parametrize(("content", "complaint"), [(None, "No such file"), ("no code", "not an ELF file")])
def test_a_file_that_cannot_be_read_is_named(tmp_path, content, complaint):
    path = tmp_path / "raw.o"
    if content:
        path.write_text(content)
    with pytest.raises(LabError, match=f"raw.o.*{complaint}"):
        code_size.read(path, "g++-12", "raw")


def test_an_empty_function_is_no_operation(compile_file):
    path = compile_file(
        ASSEMBLY.replace("    movq $0, (%rdi)                     # 7 bytes\n    ret\n", ""), "-c", suffix=".s"
    )
    assert [code.operation for code in code_size.read(path, "g++-12", "mine")] == [
        "ptr(p)",
        "ptr(ptr)",
        "op=",
        "~ptr()",
    ]


def test_every_strategy_has_code(probes):
    not_there = {"managed_ptr": {"ptr(ptr)", "op="}, "std_unique_ptr": {"ptr()", "ptr(ptr)", "op="}}
    for strategy in probes.taking_part("code-size"):
        codes = code_size.read(probes.object_file(strategy), probes.compiler, strategy)
        there = [name for name in code_size.OPERATIONS.values() if name not in not_there.get(strategy, ())]
        assert [code.operation for code in codes] == there
        assert all(code.hot.instructions >= 1 for code in codes)


def test_pointers_that_own_nothing_have_next_to_no_code(probes):
    for strategy in {"raw", "dumb"}.intersection(probes.strategies):
        codes = code_size.read(probes.object_file(strategy), probes.compiler, strategy)
        by_operation = {code.operation: code for code in codes}
        assert by_operation["~ptr()"].hot.instructions == 1
        assert by_operation["ptr(ptr)"].hot.instructions == 3
        assert all(code.inlined and not code.calls for code in codes)
