"""The probes for sampled blocks, as the kernel sees them at work: what it reads there is what the program did."""

import os
import platform
import re
import subprocess

import pytest
from elftools.elf.elffile import ELFFile
from test_probes import INCLUDE, notes

GROUP = f"freehold_{os.getpid()}"
POINTER, SIZE, WEIGHT = ("%di", "%si", "%dx") if platform.machine() == "x86_64" else ("%x0", "%x1", "%x2")
READ = {"alloc": f"ptr={POINTER}:x64 size={SIZE}:u64 weight={WEIGHT}:u64", "free": f"ptr={POINTER}:x64"}
# The last block finds no room in the table, so that it counts as freed at once.
PROGRAM = """
#include <freehold/memory/detail/heap_samples.hpp>
#include <cstdio>
using samples = freehold::detail::basic_heap_samples<freehold::detail::process_threading, 1, 2>;
std::size_t address(const char* block) { return reinterpret_cast<std::size_t>(block); }
int main() {
    static samples::table table;
    samples all(nullptr, table);
    freehold::detail::sample_sums site;
    static char blocks[3][16];
    for (int i = 0; i < 3; ++i) {
        const std::size_t bytes = i == 1 ? 100'000'000 : 100;
        const auto stands_for = freehold::detail::sample_weight::of(bytes).bytes;
        std::printf("alloc: ptr=%#zx size=%zu weight=%zu\\n", address(blocks[i]), bytes, stands_for);
        all.add(blocks[i], bytes, nullptr, site);
        if (i == 2) std::printf("free: ptr=%#zx\\n", address(blocks[i]));
    }
    for (const int i : {1, 0}) {
        std::printf("free: ptr=%#zx\\n", address(blocks[i]));
        all.remove(blocks[i]);
    }
    all.remove(blocks[2]);
}
"""


@pytest.fixture
def instance(tmp_path):
    """A ring buffer of its own, of the kernel's tracing."""
    root, events = tmp_path / "tracing", tmp_path / "tracing/uprobe_events"
    root.mkdir()
    mounted = subprocess.run(["mount", "-t", "tracefs", "nodev", root], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"tracefs cannot be mounted: {mounted.stderr.strip()}")
    try:
        if not events.exists():
            pytest.skip("the kernel has no uprobes")
        own = root / "instances" / GROUP
        own.mkdir()
        try:
            yield Instance(own, events)
        finally:
            for switch in own.glob(f"events/{GROUP}/enable"):
                switch.write_text("0")
            own.rmdir()
            for event in re.findall(rf"^p:({GROUP}/\w+)", events.read_text(), re.MULTILINE):
                append(events, f"-:{event}")
    finally:
        subprocess.run(["umount", root], check=True)


class Instance:
    def __init__(self, folder, events):
        self._folder = folder
        self._events = events

    def probe(self, name, program, offset):
        append(self._events, f"p:{GROUP}/{name} {program}:{offset:#x} {READ[name]}")

    def begin(self):
        (self._folder / f"events/{GROUP}/enable").write_text("1")

    def traced(self):
        return [
            f"{name}: {values}"
            for name, values in re.findall(r" (alloc|free): \(.*?\) (.*)", (self._folder / "trace").read_text())
        ]


def append(file, line):
    """Opened in another way, the kernel forgets all its other events. It has no end to seek, as Python would."""
    opened = os.open(file, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(opened, f"{line}\n".encode())
    finally:
        os.close(opened)


def offsets(program):
    """Returns where in the file the code of each probe is."""
    with program.open("rb") as stream:
        file = ELFFile(stream)
        return {name: next(file.address_offsets(place)) for _, name, _, place, _ in notes(file)}


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="there are no probes")
def test_the_kernel_reads_what_the_program_tells(compiler, instance, tmp_path):
    program = tmp_path / "program"
    (tmp_path / "program.cpp").write_text(PROGRAM)
    options = ["-std=c++20", "-O2", f"-I{INCLUDE}"]
    subprocess.run([compiler.path, *options, tmp_path / "program.cpp", "-o", program], check=True)
    for name, offset in offsets(program).items():
        instance.probe(name, program, offset)
    instance.begin()
    told = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(told) == 6
    assert instance.traced() == told
