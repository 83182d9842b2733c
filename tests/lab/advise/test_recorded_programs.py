"""What is known of a program by its file, before it runs."""

import platform
import struct
import subprocess
import sys

import pytest

from freehold_lab.advise import command
from freehold_lab.advise.record import programs
from freehold_lab.errors import LabError


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")

    def run(text, *options, name="program"):
        (folder / "program.c").write_text(text)
        subprocess.run(["gcc", "-O1", *options, folder / "program.c", "-o", folder / name], check=True)
        return folder / name

    return run


HOLDS = """
#include <string.h>
#include <unistd.h>
static char memory[32 << 20];
int main(void) { memset(memory, 1, sizeof memory); usleep(100000); return 3; }
"""
OWN_MALLOC = """
#include <stddef.h>
static char memory[1 << 20];
static size_t used;
void* malloc(size_t size) { void* found = memory + used; used += (size + 15) / 16 * 16; return found; }
void free(void* block) { (void)block; }
int main(void) { free(malloc(100)); return 3; }
"""


def refusal(program):
    with pytest.raises(LabError) as refused:
        command.run(command.Request((str(program),)))
    return str(refused.value)


def told(program, capfd):
    """Returns what is said of a program that has run: it ends with its exit code."""
    assert command.run(command.Request((str(program),))) == 3
    (line,) = capfd.readouterr().err.splitlines()
    return line


def test_a_static_program_is_told_with_what_was_resident(build, capfd):
    line = told(build(HOLDS, "-static"), capfd)
    assert "called no allocator that can be recorded: it is linked statically; 32." in line
    assert line.endswith(" MiB were resident at most")


def test_a_malloc_of_its_own_is_told(build, capfd):
    assert "it has a malloc of its own" in told(build(OWN_MALLOC, "-fno-builtin"), capfd)


def changed(program, at, content, name):
    text = bytearray(program.read_bytes())
    text[at : at + len(content)] = content
    path = program.with_name(name)
    path.write_bytes(text)
    path.chmod(0o755)
    return path


def test_musl_is_told_before_the_program_runs(build):
    program = build(HOLDS)
    loader = program.read_bytes().index(b"/lib64/ld-linux-x86-64.so.2")
    assert "it has musl" in refusal(changed(program, loader, b"/lib/ld-musl-x86_64.so.1\0", "musl"))


def test_another_processor_is_told_before_the_program_runs(build):
    assert "it is for AArch64" in refusal(changed(build(HOLDS), 18, struct.pack("<H", 183), "other"))


def test_a_program_of_32_bits_is_told_before_it_runs(tmp_path):
    header = b"\x7fELF\1\1\1".ljust(16, b"\0") + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0, 0, 0, 0, 52, 32, 0, 40, 0, 0)
    (tmp_path / "program").write_bytes(header)
    assert "it is for 32-bit x86" in refusal(tmp_path / "program")


@pytest.mark.parametrize("first", ["#!{}", "#! {} -u", "#!/usr/bin/env {}", "#!/usr/bin/env -S A=1 {} -u"])
def test_of_a_script_the_interpreter_is_looked_at(tmp_path, first):
    inner = tmp_path / "inner"
    inner.write_text(f"#!{sys.executable}\n")
    (tmp_path / "script").write_text(first.format(inner) + "\n")
    assert programs.inspect(str(tmp_path / "script")) == programs.inspect(sys.executable)


@pytest.mark.parametrize("content", [b"", b"#!", b"#!/usr/bin/env\n", b"\x7fELF", b"echo"])
def test_what_is_no_program_is_not_judged(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    assert programs.inspect(str(tmp_path / "file")) is None


def test_a_machine_without_a_recorder_is_told(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert "this machine is aarch64" in refusal("true")
