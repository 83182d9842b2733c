"""The notes of the probes for sampled blocks, in programs of two files that both have them, as tracers read them."""

import platform
import struct
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection

INCLUDE = Path(__file__).parents[2] / "include"
USE = """
#include <freehold/memory/detail/heap_samples.hpp>
using samples = freehold::detail::basic_heap_samples<freehold::detail::process_threading, 1, 4>;
void use(samples& all) {
    freehold::detail::sample_sums site;
    const char block[16] = {};
    all.add(block, 100, nullptr, site);
    all.remove(block);
}
"""
MAIN = """
void other(samples& all);
int main() {
    static samples::table table;
    samples all(nullptr, table);
    use(all);
    other(all);
}
"""
BUILDS = {
    "plain": "-O2",
    "-flto": "-O2 -flto",
    "--gc-sections": "-O2 -ffunction-sections -Wl,--gc-sections",
    "shared": "-O2 -shared -fPIC -fvisibility=hidden",
    "static": "-O2 -static",
    "stripped": "-O2 -s",
    "all": "-O2 -flto -ffunction-sections -Wl,--gc-sections -s",
    "not optimized": "-O0",
}
FULL = [pytest.param(each, marks=pytest.mark.full) for each in BUILDS if each not in ("plain", "all")]
IS_X86 = platform.machine() == "x86_64"
# The registers that a function has its arguments in.
ARGUMENTS = {
    "alloc": "8@%rdi 8@%rsi 8@%rdx" if IS_X86 else "8@x0 8@x1 8@x2",
    "free": "8@%rdi" if IS_X86 else "8@x0",
}
NOP = b"\x90" if IS_X86 else b"\x1f\x20\x03\xd5"


def notes(file):
    """Yields provider, name, arguments and the two addresses of each probe."""
    for section in file.iter_sections():
        if not isinstance(section, NoteSection) or section.name != ".note.stapsdt":
            continue
        for note in section.iter_notes():
            place, base, semaphore = struct.unpack_from("<3Q", note["n_descdata"])
            # Type 3, which pyelftools calls as GNU does.
            assert (note["n_name"], note["n_type"], semaphore) == ("stapsdt", "NT_GNU_BUILD_ID", 0)
            provider, name, arguments, _ = note["n_descdata"][24:].split(b"\0", 3)
            yield provider.decode(), name.decode(), arguments.decode(), place, base


def instruction(file, address, length):
    """Returns the code at the address, of an executable segment."""
    [segment] = [
        each
        for each in file.iter_segments("PT_LOAD")
        if each["p_flags"] & 1 and each["p_vaddr"] <= address < each["p_vaddr"] + each["p_filesz"]
    ]
    return segment.data()[address - segment["p_vaddr"] :][:length]


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="there are no probes")
@pytest.mark.parametrize("build", ["plain", "all", *FULL])
def test_each_probe_has_one_note(compiler, build, tmp_path):
    (tmp_path / "main.cpp").write_text(USE + MAIN)
    (tmp_path / "other.cpp").write_text(USE.replace("void use", "void other"))
    options = ["-std=c++20", f"-I{INCLUDE}", *BUILDS[build].split()]
    subprocess.run([compiler.path, *options, "main.cpp", "other.cpp", "-o", "program"], cwd=tmp_path, check=True)
    with (tmp_path / "program").open("rb") as stream:
        file = ELFFile(stream)
        found = list(notes(file))
        expected = [("otel_memory", name, arguments) for name, arguments in ARGUMENTS.items()]
        assert sorted(note[:3] for note in found) == expected
        base = file.get_section_by_name(".stapsdt.base")["sh_addr"]
        for *_, place, noted_base in found:
            assert noted_base == base
            assert instruction(file, place, len(NOP)) == NOP
