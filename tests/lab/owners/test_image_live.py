"""What is read of a process that runs."""

import os
import signal

import pytest

from freehold_lab.errors import LabError
from freehold_lab.owners.image import live, reading, stopping
from image_programs import WAIT, build, running

THREADS = r"""
const char text[] = "nobody can write this";
long data = 0x1111111111111111;
long bss[2];
_Thread_local long local;
static void* thread(void* number) {
    volatile long mine = 0x4444444444444440 + (long)number;
    local = 0x5555555555555550 + (long)number;
    say(number == (void*)1 ? "stack1" : "stack2", &mine);
    say(number == (void*)1 ? "local1" : "local2", &local);
    for (;;) pause();
}
"""
MAIN = r"""
long* heap = malloc(8);
*heap = 0x2222222222222222;
bss[1] = 0x3333333333333333;
say("heap", heap); say("data", &data); say("bss", &bss[1]); say("text", text);
pthread_t one, two;
pthread_create(&one, 0, thread, (void*)1); pthread_create(&two, 0, thread, (void*)2);
usleep(100000);
"""
WRITES = 'char* much = malloc({0} << 20); memset(much, 1, {0} << 20); say("much", much);'
PAGE = 4096


def read_words(tmp_path, main, before="", **options):
    """Runs a program that maps something, and returns its image with the places that it has printed."""
    with running(build(tmp_path, main + WAIT, before), **options) as program:
        return live.read(program.pid), program.places


@pytest.fixture(scope="module")
def threads(tmp_path_factory):
    with running(build(tmp_path_factory.mktemp("threads"), MAIN + WAIT, THREADS)) as program:
        yield program, live.read(program.pid)


@pytest.mark.parametrize(
    ("place", "word"),
    {
        "heap": 0x2222222222222222,
        "data": 0x1111111111111111,
        "bss": 0x3333333333333333,
        "stack1": 0x4444444444444441,
        "stack2": 0x4444444444444442,
        "local1": 0x5555555555555551,
        "local2": 0x5555555555555552,
    }.items(),
)
def test_a_word_is_read(threads, place, word):
    program, image = threads
    assert image.word(program.places[place]) == word


def test_a_file_is_read_where_it_cannot_be_written(threads):
    program, image = threads
    assert image.string(program.places["text"]) == "nobody can write this"


def test_each_thread_has_its_stack_and_its_own_variables(threads):
    program, image = threads
    first, *others = sorted(image.threads, key=lambda each: each.id)
    assert first.id == program.pid
    assert image.segment(first.stack_pointer).name == "[stack]"
    for thread, number in zip(others, "12", strict=True):
        assert 0 < program.places[f"stack{number}"] - thread.stack_pointer < PAGE
        assert 0 < thread.thread_pointer - program.places[f"local{number}"] < PAGE


def test_all_that_can_be_written_was_read(threads):
    assert threads[1].unread == 0


def test_the_time_is_told(threads):
    assert 0 < threads[1].stopped < 5


def test_a_file_is_found_from_here(threads):
    _, image = threads
    (name,) = {each.name for each in image.segments if each.name.endswith("/program")}
    assert image.file(name).samefile(name)


@pytest.mark.parametrize(
    "mapping",
    [
        "MAP_PRIVATE, file",  # a page that nobody has touched has what is in the file
        "MAP_SHARED, file",
    ],
)
def test_an_untouched_page_of_a_file_is_read(tmp_path, mapping):
    (tmp_path / "file").write_bytes(b"\x77" * 3 * PAGE)
    main = f'int file = open(argv[1], O_RDWR); say("page", mmap(0, {3 * PAGE}, PROT_READ | PROT_WRITE, {mapping}, 0));'
    with running(build(tmp_path, main + WAIT), tmp_path / "file") as program:
        assert live.read(program.pid).word(program.places["page"] + PAGE) == 0x7777777777777777


@pytest.mark.parametrize("file", ["-1", 'memfd_create("name", 0)'])
def test_a_shared_page_is_read_that_was_dropped(tmp_path, file):
    main = f"""
        int file = {file}, flags = MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0);
        if (file >= 0) ftruncate(file, {2 * PAGE});
        long* page = mmap(0, {2 * PAGE}, PROT_READ | PROT_WRITE, flags, file, 0);
        page[{PAGE // 8}] = 77;
        madvise(page, {2 * PAGE}, MADV_DONTNEED);
        say("page", page);"""
    image, places = read_words(tmp_path, main)
    assert image.word(places["page"] + PAGE) == 77 and image.unread == 0


def test_of_a_large_shared_mapping_only_what_was_touched_is_read(tmp_path):
    main = """
        long size = 300 << 20;
        int file = memfd_create("name", 0);
        ftruncate(file, size);
        long* page = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        page[512] = 77;
        say("page", page);"""
    image, places = read_words(tmp_path, main)
    assert image.word(places["page"] + PAGE) == 77
    assert (300 << 20) - (2 << 20) <= image.unread <= (300 << 20) - PAGE


def test_a_page_is_read_that_the_program_may_not_read_now(tmp_path):
    main = f"""
        long* page = mmap(0, {PAGE}, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *page = 77;
        mprotect(page, {PAGE}, PROT_NONE);
        say("page", page);"""
    image, places = read_words(tmp_path, main)
    assert image.word(places["page"]) == 77


def test_memory_that_was_never_touched_costs_nothing(tmp_path):
    main = """
        long* memory = mmap(0, 16L << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        memory[1L << 28] = 77;
        say("word", memory + (1L << 28));"""
    image, places = read_words(tmp_path, main)
    assert image.word(places["word"]) == 77 and image.unread == 0


def test_guard_pages_are_not_missing(tmp_path):
    main = f"""
        char* pages = mmap(0, {4 * PAGE}, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *(long*)pages = 77;
        say(madvise(pages + {PAGE}, {PAGE}, 102 /* MADV_GUARD_INSTALL */) ? "old" : "pages", pages);"""
    image, places = read_words(tmp_path, main)
    if "old" in places:
        pytest.skip("this kernel has no guard pages")
    assert image.word(places["pages"]) == 77 and image.unread == 0


def test_a_page_that_cannot_be_read_is_counted(tmp_path):
    (tmp_path / "file").write_bytes(b"\x77" * 3 * PAGE)
    main = f"""
        int file = open(argv[1], O_RDWR);
        char* pages = mmap(0, {3 * PAGE}, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        ftruncate(file, {PAGE});
        say("page", pages);"""
    with running(build(tmp_path, main + WAIT), tmp_path / "file") as program:
        image = live.read(program.pid)
    assert image.word(program.places["page"]) == 0x7777777777777777 and image.unread == 2 * PAGE


def test_all_is_read_without_the_fast_call(tmp_path, monkeypatch):
    monkeypatch.setattr(reading.Memory, "_copy_fast", lambda *arguments: -1)
    image, places = read_words(tmp_path, MAIN, THREADS)
    assert image.word(places["heap"]) == 0x2222222222222222 and image.unread == 0


def test_a_program_is_read_whose_first_thread_has_ended(tmp_path):
    main = "pthread_t one; pthread_create(&one, 0, thread, (void*)1); pthread_exit(0);"
    before = THREADS.replace("for (;;) pause();", "usleep(50000);" + WAIT)
    with running(build(tmp_path, main, before)) as program:
        image = live.read(program.pid)
    assert image.word(program.places["stack1"]) == 0x4444444444444441
    assert [each.id for each in image.threads] != [program.pid]


def test_a_limit_is_told_before_anything_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(stopping, "stopped", None)
    program = build(tmp_path, WRITES.format(30) + WAIT)
    with running(program) as started, pytest.raises(LabError, match=rf"limit is 10 MiB.*gcore -o core {started.pid}"):
        live.read(started.pid, 10 << 20)


def test_what_grows_meanwhile_is_read(tmp_path, monkeypatch):
    before = 'static void grow(int s) { long* p = malloc(100 << 10); *p = 77; say("grown", p); }'
    with running(build(tmp_path, "signal(SIGUSR1, grow);" + WAIT, before)) as program:
        prepare = live.prepare

        def prepare_and_grow(*arguments):
            buffers = prepare(*arguments)
            os.kill(program.pid, signal.SIGUSR1)
            program.places["grown"] = int(program.line().split()[1], 16)
            return buffers

        monkeypatch.setattr(live, "prepare", prepare_and_grow)
        assert live.read(program.pid).word(program.places["grown"]) == 77


def test_a_process_that_ends_meanwhile_is_told(tmp_path, monkeypatch):
    with running(build(tmp_path, WAIT)) as program:
        read_constant = live.read_constant

        def end(*arguments):
            program.process.kill()
            program.process.wait()
            read_constant(*arguments)

        monkeypatch.setattr(live, "read_constant", end)
        with pytest.raises(LabError, match=r"ended while it was read.*--at-exit"):
            live.read(program.pid)


def test_the_files_of_a_container_are_found_in_its_root(tmp_path):
    if os.geteuid():
        pytest.skip("only root can change the root")
    program = build(tmp_path, WAIT, options=["-static"])
    with running("/program", preexec_fn=lambda: os.chroot(tmp_path)) as started:
        image = live.read(started.pid)
        (name,) = {each.name for each in image.segments if each.name.endswith("program")}
        assert image.file("/program").samefile(program) and name.endswith("/program")
