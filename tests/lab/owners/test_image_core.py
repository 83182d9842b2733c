"""What is read of a core file."""

import gzip
import os
import resource
import shutil
import signal
import struct
import subprocess
from pathlib import Path

import pytest

from core_files import AARCH64, PAGE, Core, files, note, status
from freehold_lab.errors import LabError
from freehold_lab.owners.image import core, live
from image_programs import WAIT, build, running

BEFORE = r"""
const char text[] = "nobody can write this";
long data = 0x1111111111111111;
_Thread_local long local;
long untouched[2000] = {0x6666666666666666, 1, 2, 3};  // some of its pages are only in the file
static void* thread(void* number) {
    volatile long mine = 0x4444444444444440 + (long)number;
    local = 0x5555555555555550;
    say("stack1", &mine); say("local1", &local);
    for (;;) pause();
}
"""
MAIN = r"""
long* heap = malloc(8);
*heap = 0x2222222222222222;
long* hidden = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
*hidden = 1;
madvise(hidden, 4096, MADV_DONTDUMP);
say("heap", heap); say("data", &data); say("text", text); say("untouched", &untouched); say("hidden", hidden);
pthread_t one; pthread_create(&one, 0, thread, (void*)1);
usleep(100000);
"""
WORDS = {
    "heap": 0x2222222222222222,
    "data": 0x1111111111111111,
    "stack1": 0x4444444444444441,
    "local1": 0x5555555555555550,
    "untouched": 0x6666666666666666,
}


@pytest.fixture(scope="module", params=["kernel", "gcore"])
def written(request, tmp_path_factory):
    """Returns the folder of a core, with its program, and the places that the program has printed."""
    folder = tmp_path_factory.mktemp(request.param)
    program = build(folder, MAIN + WAIT, BEFORE, ["-Wl,--build-id"])
    if request.param == "kernel":
        return folder, _by_kernel(program)
    if not shutil.which("gcore"):
        pytest.skip("gdb is not installed")
    with running(program) as started:
        subprocess.run(["gcore", "-o", folder / "core", str(started.pid)], capture_output=True, check=True)
        (folder / f"core.{started.pid}").rename(folder / "core")
        return folder, started.places


def _by_kernel(program):
    if Path("/proc/sys/kernel/core_pattern").read_text().strip() not in ("core", "./core"):
        pytest.skip("the kernel writes cores elsewhere")
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    if most != resource.RLIM_INFINITY:
        pytest.skip("the kernel writes no cores here")

    def unlimited():
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))

    with running(program, cwd=program.parent, preexec_fn=unlimited) as started:
        os.kill(started.pid, signal.SIGABRT)
        started.process.wait()
        for each in program.parent.glob("core.*"):  # with the setting core_uses_pid
            each.rename(program.parent / "core")
        return started.places


@pytest.fixture(scope="module")
def image(written):
    return core.read(written[0] / "core")


@pytest.mark.parametrize("place", WORDS)
def test_a_word_is_read(written, image, place):
    assert image.word(written[1][place]) == WORDS[place]


def test_a_file_is_read_where_it_cannot_be_written(written, image):
    place = written[1]["text"]
    assert image.string(place) == "nobody can write this"
    assert not image.segment(place).is_writable and image.segment(place).name.endswith("/program")


def test_code_is_read_from_the_files(image):
    code = [each for each in image.segments if each.is_code and each.is_file]
    assert len(code) >= 3 and all(each.data.any() and not each.unread for each in code)


def test_each_thread_has_its_stack_and_its_own_variables(written, image):
    places = written[1]
    assert len(image.threads) == 2
    (thread,) = [each for each in image.threads if 0 < places["stack1"] - each.stack_pointer < PAGE]
    assert 0 < thread.thread_pointer - places["local1"] < PAGE
    assert [image.segment(each.stack_pointer).name for each in image.threads if each != thread] == ["[stack]"]


def test_what_the_core_leaves_out_is_counted(written, image):
    if written[0].name.startswith("gcore"):
        pytest.skip("gdb leaves no trace of what MADV_DONTDUMP marks")
    assert image.unread == image.segment(written[1]["hidden"]).unread == PAGE


def test_nothing_is_copied_but_what_is_not_aligned(image):
    assert sum(each.data.base is None for each in image.segments if each.data is not None) < 5


def test_the_files_may_be_elsewhere(written, tmp_path):
    folder, places = written
    for each in core.read(folder / "core").segments:
        if each.is_file and Path(each.name).exists():
            there = tmp_path / each.name.lstrip("/")
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(each.name, there)
    image = core.read(folder / "core", tmp_path)
    assert image.string(places["text"]) == "nobody can write this"
    assert image.file("/bin/true") == tmp_path / "bin/true"


def test_a_missing_file_is_named(written, tmp_path):
    with pytest.raises(LabError, match=rf"needs the file /.*, which cannot be read as {tmp_path}/.*: --sysroot"):
        core.read(written[0] / "core", tmp_path)


def test_a_file_of_another_build_is_refused(written, tmp_path):
    folder, _ = written
    moved = tmp_path / "moved"
    shutil.copytree(folder, moved)
    program = folder / "program"
    build(tmp_path / "other", "return 1;", options=["-Wl,--build-id"])
    kept = program.read_bytes()
    try:
        program.unlink()
        shutil.copy(tmp_path / "other" / "program", program)
        with pytest.raises(LabError, match=rf"{program} is of another build .* \(build-id \w+, there \w+\).*--sysroot"):
            core.read(moved / "core")
    finally:
        program.unlink()
        program.write_bytes(kept)


def test_a_truncated_core_is_told(written, tmp_path):
    whole = (written[0] / "core").read_bytes()
    for size in (len(whole) // 2, 200):
        (tmp_path / "core").write_bytes(whole[:size])
        with pytest.raises(LabError, match="core is truncated"):
            core.read(tmp_path / "core")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "is no core file"),
        (b"text", "is no core file"),
        (gzip.compress(b"text", mtime=0), "is packed by gzip: unpack it first"),
        (b"\x28\xb5\x2f\xfd" + b"\0" * 100, "is packed by zstd"),
        (Path("/bin/true").read_bytes(), "is a program or library, and no core file"),
        (Core(machine=40).text(), "only x86-64 and AArch64"),
    ],
)
def test_what_is_no_core_is_told(tmp_path, text, told):
    (tmp_path / "file").write_bytes(text)
    with pytest.raises(LabError, match=told):
        core.read(tmp_path / "file")


def test_a_core_that_is_not_there_is_told(tmp_path):
    with pytest.raises(LabError, match="cannot be read: No such file"):
        core.read(tmp_path / "file")


def made(tmp_path, **parts):
    (tmp_path / "core").write_bytes(Core(**parts).text())
    return core.read(tmp_path / "core")


def test_a_core_without_names_of_files_says_so(tmp_path):
    image = made(tmp_path, notes=[status(7, [0] * 27)], parts=[(PAGE, PAGE, 6, b"\x77" * PAGE)])
    assert image.word(PAGE) == 0x7777777777777777
    assert "does not say which files were mapped" in image.notes[0]


def test_a_core_without_threads_says_so(tmp_path):
    image = made(tmp_path, notes=[files()])
    assert not image.has_all_stacks and "no registers" in image.notes[0]


def test_a_core_of_aarch64(tmp_path):
    registers = [*range(100, 131), 0x7000, 0x8000, 0]
    notes = [
        status(7, registers),
        note(0x401, struct.pack("<QQ", 0x9000, 0), b"LINUX\0"),
        status(8, registers),
        files(),
    ]
    image = made(tmp_path, machine=AARCH64, notes=notes)
    one, two = image.threads
    assert image.processor == "AArch64"
    assert (one.id, one.stack_pointer, one.thread_pointer) == (7, 0x7000, 0x9000)
    assert one.registers == tuple(range(100, 131))
    assert (two.id, two.thread_pointer) == (8, 0)


def test_a_core_of_qemu_user(tmp_path):
    if not shutil.which("qemu-aarch64") or not shutil.which("aarch64-linux-gnu-gcc"):
        pytest.skip("qemu-aarch64 or a compiler for AArch64 is not installed")
    if resource.getrlimit(resource.RLIMIT_CORE)[1] != resource.RLIM_INFINITY:
        pytest.skip("no cores can be written here")
    program = build(tmp_path, 'say("word", &word); abort();', "long word = 77;", ["-static"], "aarch64-linux-gnu-gcc")
    unlimited = f"ulimit -c unlimited; exec qemu-aarch64 {program}"
    done = subprocess.run(["sh", "-c", unlimited], cwd=tmp_path, capture_output=True, text=True)
    image = core.read(next(tmp_path.glob("qemu_*.core")))
    assert image.processor == "AArch64" and image.word(int(done.stdout.split()[1], 16)) == 77
    assert "qemu-user writes such cores" in image.notes[0]
    assert [image.segment(each.stack_pointer).name for each in image.threads] == ["[stack]"]


def test_a_shared_file_is_not_read_as_it_may_have_changed(tmp_path):
    (tmp_path / "data").write_bytes(b"\x77" * PAGE)
    names = files((PAGE, 2 * PAGE, 0, str(tmp_path / "data")))
    image = made(tmp_path, notes=[status(7, [0] * 27), names], parts=[(PAGE, PAGE, 6, b"")])
    assert image.word(PAGE) == 0 and image.unread == PAGE


def test_data_that_nobody_can_write_is_not_needed(tmp_path):
    names = files((PAGE, 2 * PAGE, 0, "/no/such/data"))
    image = made(tmp_path, notes=[status(7, [0] * 27), names], parts=[(PAGE, PAGE, 4, b"")])
    assert image.unread == 0 and image.segment(PAGE).data is None


def test_a_core_and_the_process_have_the_same(tmp_path):
    if not shutil.which("gcore"):
        pytest.skip("gdb is not installed")
    with running(build(tmp_path, MAIN + WAIT, BEFORE)) as program:
        subprocess.run(["gcore", "-o", tmp_path / "core", str(program.pid)], capture_output=True, check=True)
        process, file = live.read(program.pid), core.read(tmp_path / f"core.{program.pid}")
    for each in process.segments:
        if each.is_file:  # elsewhere, the kernel and the C library may have written since
            other = file.segment(each.start)
            assert (each.is_code, each.is_writable) == (other.is_code, other.is_writable)
            assert (each.data == other.data).all() or each.is_writable, each.name
    assert {each.thread_pointer for each in process.threads} == {each.thread_pointer for each in file.threads}
