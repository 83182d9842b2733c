"""What the recorder sees: every call, in every thread and process, and whoever ends it."""

import subprocess

import pytest

from freehold_lab.advise import building
from freehold_lab.advise.analysis.summary import KINDS
from freehold_lab.advise.record import codec, keeping, layout, recording


def blocks_of(recorded, name, process=None):
    return sum(site.blocks for site, _ in recorded.named(name, process))


def test_each_function_is_told_apart(record):
    found = record("kinds").summary()
    expected = {
        **{"malloc": 100, "calloc": 100, "realloc": 100, "aligned": 300, "new": 200, "new[]": 100, "aligned new": 100},
        **{"delete": 100, "delete[]": 100, "sized delete": 100, "aligned delete": 100},
    }
    counts = dict(zip(KINDS, found.kinds, strict=True))
    own = counts.pop("free") - 500  # what the program's start and end do is a few blocks
    assert {name: counts[name] - expected[name] for name in expected if counts[name] != expected[name]} in (
        {},
        {"malloc": 1},  # libstdc++'s reserve for exceptions
    )
    assert own in (0, 1)


def test_no_call_is_lost(record):
    found = record("pairs", 100_000)
    assert blocks_of(found, "take") == 100_000
    assert found.recording.lost == 0


def test_callers_are_found_through_recursion(record):
    ((site, chain),) = record("recurse", 20).named("take")
    assert (site.blocks, [name.partition("(")[0] for name in chain[:22]]) == (1, ["take", *["recurse"] * 21])
    assert "main" in chain


def test_callers_are_found_through_frames_that_are_aligned(record):
    ((_, chain),) = record("aligned", 100).named("take")
    assert [name.partition("(")[0] for name in chain[:3]] == ["take", "aligned_frame", "main"]


def test_deeper_callers_are_cut(record):
    ((site, chain),) = record("recurse", 1000).named("take")
    assert (site.blocks, len(chain)) == (1, 64)


def test_threads_are_recorded_whole(record):
    found = record("threads", 4, 100_000)
    assert blocks_of(found, "take") == 400_000
    assert (found.recording.lost, found.summary().of_unknown) == (0, 0)


def test_more_threads_than_chunks_that_may_be_full(record):
    assert blocks_of(record("threads", 400, 100), "take") == 40_000


def test_a_block_that_another_thread_frees_is_followed(record):
    found = record("handed", 500)
    ((site, _),) = found.named("take")
    assert (site.blocks, site.freed, site.by_others) == (500, 500, 500)
    assert found.summary().of_unknown == 0


def test_a_child_has_a_recording_of_its_own(record):
    found = record("forked")
    parent, child = found.recording.processes
    assert (parent.parent, child.parent) == (None, 0)
    assert (blocks_of(found, "take", 0), blocks_of(found, "take", 1)) == (1001, 2000)


def test_a_block_from_before_the_fork_is_told(record):
    assert record("forked").summary(1).of_unknown == 1


def test_children_of_a_process_with_threads_are_recorded(record):
    found = record("amid")
    assert [blocks_of(found, "take", child) for child in range(1, 51)] == [100] * 50


@pytest.mark.parametrize(("case", "before"), [("exec", 300), ("spawned", 0)])
def test_another_program_has_a_recording_of_its_own(record, case, before):
    found = record(case)
    assert [blocks_of(found, "take", each) for each in range(2) if found.recording.processes[each].event_bytes] in (
        [before, 500],
        [500],
    )


def test_a_program_that_is_killed_has_lost_nothing(record):
    found = record("killed", 123_456)
    assert (found.recording.status, blocks_of(found, "take")) == (-9, 123_456)


def test_handlers_of_signals_may_allocate(record):
    found = record("handlers", 2000)
    assert found.recording.status == 0
    assert blocks_of(found, "take") + found.recording.lost > 0


def test_what_fails_is_no_event(record):
    found = record("failing")
    assert blocks_of(found, "take") == 10
    assert max(site.bytes for site in found.summary().sites) < 1 << 40


def test_a_library_in_the_place_of_another_has_its_own_name(record, tmp_path):
    libraries = []
    for name in ("one", "two"):
        source = tmp_path / f"{name}.c"
        source.write_text(
            f"#include <stdlib.h>\nvoid* volatile last; __attribute__((noinline)) void {name}(void) "
            "{ last = malloc(24); free(last); }\n"
            f"void work(void) {{ for (int i = 0; i < 10; ++i) {name}(); }}\n"
        )
        libraries.append(tmp_path / f"lib{name}.so")
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-g0", source, "-o", libraries[-1]], check=True)
    found = record("loaded", *libraries)
    assert (blocks_of(found, "one"), blocks_of(found, "two")) == (10, 10)


def test_a_static_program_has_no_events(record, tmp_path):
    source = tmp_path / "program.c"
    source.write_text("#include <stdlib.h>\nint main(void) { free(malloc(1)); }\n")
    subprocess.run(["gcc", "-static", source, "-o", tmp_path / "program"], check=True)
    assert record(program=str(tmp_path / "program")).recording.busiest is None


def test_a_program_waits_for_its_reader(record, monkeypatch):
    monkeypatch.setattr(layout, "MOST_BEHIND", 2)
    monkeypatch.setattr(keeping, "PAUSE", 0.1)
    found = record("pairs", 500_000)
    assert found.recording.waits > 0
    assert (found.recording.lost, blocks_of(found, "take")) == (0, 500_000)


def test_a_full_disk_ends_the_recording_and_not_the_program(cases):
    found = recording.record([cases, "pairs", "5000000"], building.recorder(), keeping.Path("/dev/full"))
    assert (found.status, found.fault) == (0, "No space left on device")


def test_what_the_program_leaves_behind_goes_on(record):
    assert record("left").recording.status == 0


def test_zlib_compresses_where_there_is_no_zstd(record, monkeypatch):
    codec.compressor.cache_clear()
    with monkeypatch.context() as without:  # what names functions loads libraries, too
        without.setattr(codec.ctypes, "CDLL", lambda name: (_ for _ in ()).throw(OSError))
        found = record("pairs", 1000)
    codec.compressor.cache_clear()
    assert found.recording.file.read_bytes().startswith(b"zlib")
    assert blocks_of(found, "take") == 1000


C_PROGRAM = """
#include <dlfcn.h>

int main(int count, char** arguments) {
    ((void (*)(void))dlsym(dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL), "work"))();
    return count != 2;
}
"""
CXX_LIBRARY = """
struct node { long values[3]; };
node* volatile last;

extern "C" void work() {
    for (int i = 0; i < 10; ++i) {
        last = new node[2];
        delete[] last;
        last = new node;
        delete last;
    }
}
"""


def test_operators_of_a_library_that_comes_late_are_told_apart(record, tmp_path):
    program, library = tmp_path / "program", tmp_path / "liblate.so"
    for text, name, options in ((C_PROGRAM, "program.c", []), (CXX_LIBRARY, "late.cpp", ["-shared", "-fPIC"])):
        (tmp_path / name).write_text(text)
        compiler = "gcc" if name.endswith(".c") else "g++"
        output = library if "late" in name else program
        subprocess.run([compiler, "-O1", *options, tmp_path / name, "-o", output, "-ldl"], check=True)
    found = dict(zip(KINDS, record(library, program=str(program)).summary().kinds, strict=True))
    told = {name: found[name] for name in ("new", "new[]", "delete[]", "sized delete")}
    assert told == {"new": 10, "new[]": 10, "delete[]": 10, "sized delete": 10}
