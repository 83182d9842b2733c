"""libfreehold-malloc.so as it is installed: the system's own programs run with it and do what they do without."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SOURCE = """
#include <map>
#include <string>

std::map<std::string, int> count(const std::string& text) {
    std::map<std::string, int> words;
    for (std::size_t end = 0, begin = 0; begin < text.size(); begin = end + 1) {
        end = std::min(text.find(' ', begin), text.size());
        ++words[text.substr(begin, end - begin)];
    }
    return words;
}
"""

SCRIPT = """
import json, sqlite3, threading

def work(results, index):
    values = [{"id": i, "name": f"name {i}", "list": list(range(i % 50))} for i in range(2000)]
    results[index] = len(json.dumps(json.loads(json.dumps(values))))

results = [0] * 4
threads = [threading.Thread(target=work, args=(results, i)) for i in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(results, sum(len(str(i) * (i % 100)) for i in range(20000)))
"""

# In a child, which has a thread of its own.
IDLE = """
import os, time

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE") // 2**20

if os.fork() == 0:
    blocks = [b"x" * 100000 for _ in range(1000)]
    full = resident()
    del blocks
    time.sleep(3)
    print(full, resident(), flush=True)
    os._exit(0)
os.wait()
"""

STATEMENTS = """
CREATE TABLE numbers (n INTEGER PRIMARY KEY, text TEXT);
WITH RECURSIVE each(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 20000)
    INSERT INTO numbers SELECT n, 'text ' || (n * 7919 % 10007) FROM each;
CREATE INDEX by_text ON numbers (text);
SELECT text, COUNT(*), SUM(n) FROM numbers GROUP BY text ORDER BY 2 DESC, 1 LIMIT 20;
"""


def run(*command, **settings):
    done = subprocess.run(list(map(str, command)), capture_output=True, timeout=900, **settings)
    assert done.returncode == 0, f"{command}\n{done.stdout!r}{done.stderr!r}"
    return done.stdout


# Blocks of which a byte is written each. Prints the MiB that they take.
SPARSE = """
import ctypes, os
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
def resident(): return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20
before = resident()
for _ in range(20): ctypes.memset(library.malloc(2_200_000), 1, 1)
print(resident() - before)
"""

# Whether the system was asked for huge pages anywhere.
ADVICE = """
import ctypes
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
for _ in range(20_000): library.malloc(1000)
flags = [line.split()[1:] for line in open("/proc/self/smaps") if line.startswith("VmFlags:")]
print(any("hg" in each for each in flags))
"""


# Returns 7 if operator new has called the handler, and has then thrown.
PLUGIN = """
#include <new>
static int calls = 0;
extern "C" int exhaust() {
    std::set_new_handler([] { if (++calls == 3) std::set_new_handler(nullptr); });
    try {
        operator delete(operator new(std::size_t(1) << 60));
    } catch (const std::bad_alloc&) {
        return calls + 4;
    }
    return 0;
}
"""


# Keeps one of two blocks, each of which is always sampled.
KEEPING = """
import ctypes
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
kept, freed = (library.malloc(mebibytes << 20) for mebibytes in (64, 80))
library.free(freed)
"""


# Leaks 2,000 cycles, of which chance samples some, and one of large blocks, which are always sampled.
LEAKING = """
#include <memory>

template <int bytes>
struct peer {
    std::shared_ptr<peer> other;
    char content[bytes];
};

template <int bytes>
void leak() {
    const auto one = std::make_shared<peer<bytes>>(), two = std::make_shared<peer<bytes>>();
    one->other = two;
    two->other = one;
}

// What the stack still had of them would hold them.
[[gnu::noinline]] void forget() {
    volatile char stack[4096] = {};
    stack[0] = 1;
}

int main() {
    leak<(64 << 20)>();
    for (int i = 0; i < 2000; ++i) leak<3000>();
    forget();
}
"""


# Its block is always sampled.
LARGE = """
#include <stdlib.h>
int main(void) {
    void* volatile block = malloc(64 << 20);
    free(block);
    return 0;
}
"""
TRACER = r"""
set startup-with-shell off
start
break -probe-stap otel_memory:alloc
commands
silent
printf "alloc %lu %lu %lu\n", $_probe_arg0, $_probe_arg1, $_probe_arg2
continue
end
break -probe-stap otel_memory:free
commands
silent
printf "free %lu\n", $_probe_arg0
continue
end
continue
"""


# Gives a block and takes one, itself or by a module that only its own RUNPATH finds.
MODULE = """
#include <stdlib.h>
void* give(void) { return malloc(100); }
void take(void* block) { free(block); }
"""
LOADER = """
#define _GNU_SOURCE
#include <dlfcn.h>
void* load(void) { return dlopen("libinner.so", RTLD_NOW | RTLD_DEEPBIND); }
"""
EXCHANGE = """
import ctypes, os
outer, c = ctypes.CDLL("outer/libouter.so", mode=os.RTLD_NOW | os.RTLD_DEEPBIND), ctypes.CDLL(None)
outer.load.restype = ctypes.c_void_p
inner = ctypes.CDLL(None, handle=outer.load())
inner.give.restype = c.malloc.restype = ctypes.c_void_p
inner.take.argtypes = c.free.argtypes = [ctypes.c_void_p]
for _ in range(100):
    c.free(inner.give())
    inner.take(c.malloc(100))
print("exchanged")
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("malloc")
    settings = ["-DFREEHOLD_BUILD_TESTS=OFF", "-DFREEHOLD_INSTALL_MALLOC=ON", "-DCMAKE_BUILD_TYPE=Release"]
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "build", *settings)
    run("cmake", "--build", folder / "build")
    run("cmake", "--install", folder / "build", "--prefix", folder / "prefix")
    [installed] = folder.glob("prefix/lib*/**/libfreehold-malloc.so")
    return installed


@pytest.fixture
def same(library, tmp_path):
    """Runs a program with and without the library; what it prints, and the file it writes, must be the same."""

    def check(program, *arguments, written=None, **settings):
        found = shutil.which(program)
        if found is None:
            pytest.skip(f"{program} is not installed")
        outputs = []
        for preload in ({}, {"LD_PRELOAD": str(library)}):
            printed = run(found, *arguments, cwd=tmp_path, env=os.environ | preload, **settings)
            outputs.append((printed, (tmp_path / written).read_bytes() if written else b""))
        assert outputs[0] == outputs[1]
        assert any(outputs[0]), "nothing was compared"

    return check


def test_it_needs_the_c_library_alone(library):
    dynamic = run("readelf", "-d", library).decode()
    needed = [line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line]
    assert [name.split(".")[0] for name in needed] == ["libc"]


def test_it_exports_malloc_operator_new_and_dlopen_alone(library):
    table = run("nm", "--dynamic", "--defined-only", "--demangle", library).decode()
    names = {line.split(maxsplit=2)[2].split("(")[0].split("@")[0] for line in table.splitlines()}
    assert names == {
        *("malloc", "calloc", "realloc", "reallocarray", "free", "malloc_usable_size", "malloc_trim"),
        *("mallinfo", "mallinfo2", "malloc_info", "malloc_stats", "mallopt"),
        *("posix_memalign", "aligned_alloc", "memalign", "valloc", "pvalloc"),
        *("operator new", "operator new[]", "operator delete", "operator delete[]"),
        "dlopen",
    }


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_a_compiler(same, tmp_path, compiler):
    (tmp_path / "words.cpp").write_text(SOURCE)
    same(compiler, "-std=c++20", "-c", "words.cpp", "-o", "words.o", written="words.o")


@pytest.mark.parametrize("pymalloc", ["pymalloc", "malloc"])
def test_python(same, monkeypatch, pymalloc):
    monkeypatch.setenv("PYTHONMALLOC", pymalloc)
    same(sys.executable, "-c", SCRIPT)


def test_sqlite(same):
    same("sqlite3", ":memory:", input=STATEMENTS.encode())


def test_git(same, tmp_path):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    run("git", "init", "-q", "-b", "main", tmp_path)
    for i in range(3):
        for j in range(20):
            (tmp_path / f"file{j}").write_text("".join(f"{k * j % 97} line {k}\n" for k in range(i, 500 + i * j)))
        run("git", "add", ".", cwd=tmp_path)
        run("git", *("-c", "user.name=n", "-c", "user.email=e"), "commit", "-q", "-m", f"change {i}", cwd=tmp_path)
    same("git", "log", "-p", "--stat", "--format=%s %T")
    same("git", "cat-file", "--batch-all-objects", "--batch-check")
    same("git", "pack-objects", "--threads=2", "--all", "--stdout", "-q", input=b"")


def test_a_shell_and_what_it_starts(same):
    same("sh", "-c", "for i in 1 2 3; do (seq $i 2000 | sort -r | tail -n 3); done")


def test_the_thread_gives_idle_memory_back(library):
    environment = os.environ | {"LD_PRELOAD": str(library), "PYTHONMALLOC": "malloc", "FREEHOLD_MALLOC_THREAD": "1"}
    full, idle = map(int, run(sys.executable, "-c", IDLE, env=environment).split())
    assert full > 95
    assert idle < full - 80


@pytest.mark.parametrize("setting", [{}, {"FREEHOLD_MALLOC_HUGE_PAGES": "0"}])
def test_sparse_blocks_take_little(library, setting):
    environment = os.environ | {"LD_PRELOAD": str(library)} | setting
    assert int(run(sys.executable, "-c", SPARSE, env=environment)) < 4


def test_huge_pages_are_asked_for_unless_they_are_not_wanted(library):
    environment = os.environ | {"LD_PRELOAD": str(library)}
    assert run(sys.executable, "-c", ADVICE, env=environment) == b"True\n"
    assert run(sys.executable, "-c", ADVICE, env=environment | {"FREEHOLD_MALLOC_HUGE_PAGES": "0"}) == b"False\n"


def test_modules_that_bind_to_themselves_first_share_the_heap(same, tmp_path):
    (tmp_path / "inner.c").write_text(MODULE)
    (tmp_path / "outer.c").write_text(LOADER)
    (tmp_path / "outer" / "inner").mkdir(parents=True)
    c_module = ["gcc", "-shared", "-fPIC", "-Wl,--enable-new-dtags"]
    run(*c_module, tmp_path / "inner.c", "-o", tmp_path / "outer/inner/libinner.so")
    run(*c_module, tmp_path / "outer.c", "-Wl,-rpath,$ORIGIN/inner", "-o", tmp_path / "outer/libouter.so")
    same(sys.executable, "-c", EXCHANGE)


def test_php(same):
    same("php", "-r", "echo json_encode(array_map('strrev', range(1000, 9999)));")


def test_cpp_that_a_c_program_loads_gets_its_exception(library, tmp_path):
    (tmp_path / "plugin.cpp").write_text(PLUGIN)
    run("g++", "-shared", "-fPIC", tmp_path / "plugin.cpp", "-o", tmp_path / "plugin.so")
    load = f"import ctypes; print(ctypes.CDLL('{tmp_path}/plugin.so').exhaust())"
    assert run(sys.executable, "-c", load, env=os.environ | {"LD_PRELOAD": str(library)}) == b"7\n"


def numbers(packed):
    """Yields the varints of Protocol Buffers."""
    value = shift = 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def fields(message):
    """Returns the fields of a message by their numbers, each a list: integers, and the bytes of what has a length."""
    found = {}
    at = 0

    def number():
        nonlocal at
        begin = at
        while message[at] >= 0x80:
            at += 1
        at += 1
        return next(numbers(message[begin:at]))

    while at < len(message):
        key = number()
        value = number()
        if key & 7 == 2:
            value, at = message[at : at + value], at + value
        else:
            assert key & 7 == 0
        found.setdefault(key >> 3, []).append(value)
    return found


@pytest.fixture
def profile(library, tmp_path):
    """The profile of KEEPING, as fields."""
    settings = {"LD_PRELOAD": str(library), "FREEHOLD_HEAP_PROFILE": str(tmp_path / "heap.pb")}
    run(os.path.realpath(sys.executable), "-c", KEEPING, env=os.environ | settings)
    return fields((tmp_path / "heap.pb").read_bytes())


def test_a_profile_says_what_its_values_are(profile):
    words = [word.decode() for word in profile[6]]
    assert words[0] == ""
    types = [tuple(words[kind] for [kind] in (fields(each)[1], fields(each)[2])) for each in profile[1]]
    assert types == [
        ("alloc_objects", "count"),
        ("alloc_space", "bytes"),
        ("inuse_objects", "count"),
        ("inuse_space", "bytes"),
    ]
    assert words[profile[14][0]] == "inuse_space"
    assert profile[12] == [512 * 1024]


def test_pprof_leaves_out_the_calls_of_the_library(profile):
    """It compares whole names, without the arguments of functions and templates."""
    dropped = re.compile(profile[6][profile[7][0]].decode())
    library = [
        "malloc",
        "posix_memalign",
        "operator new",
        "operator new[]",
        "freehold::v0_2::detail::process_heap::find",
        "freehold::v0_2::detail::slab_pool::find_sampled",
        "freehold::v0_2::detail::basic_resource::do_allocate",
        "freehold::v0_2::small_block_allocator::allocate",
    ]
    program = ["main", "my_malloc", "mallocate", "std::allocator::allocate", "freehold::v0_2::make_shared"]
    assert [name for name in library + program if dropped.fullmatch(name)] == library


def test_a_profile_tells_what_is_in_use_from_what_was_freed(profile):
    values = [list(numbers(fields(each)[2][0])) for each in profile[2]]
    large = [each for each in values if each[1] >= 64 << 20]  # one, where a line makes both blocks by one call
    assert [sum(figures) for figures in zip(*large, strict=True)] == [2, 144 << 20, 1, 64 << 20]


def test_the_addresses_of_a_profile_are_in_its_mappings(profile):
    words = [word.decode() for word in profile[6]]
    mappings = {each[1][0]: each for each in map(fields, profile[3])}
    locations = {each[1][0]: each for each in map(fields, profile[4])}
    assert len(locations) == len(profile[4])
    for sample in map(fields, profile[2]):
        files = []
        for location in (locations[number] for number in numbers(sample[1][0])):
            mapping = mappings[location[2][0]]
            assert mapping[2][0] <= location[3][0] < mapping[3][0]
            files.append(words[mapping[5][0]])
        assert "libfreehold-malloc" in files[0]
        assert len(set(files)) > 1


def test_the_mappings_of_a_profile_have_build_ids(profile, library):
    words = [word.decode() for word in profile[6]]
    build_ids = {words[each[5][0]]: words[each[6][0]] for each in map(fields, profile[3])}
    notes = run("readelf", "-n", library).decode()
    expected = notes.split("Build ID: ")[1].split()[0] if "Build ID: " in notes else ""
    assert build_ids[str(library)] == expected
    assert next(iter(build_ids)) == os.path.realpath(sys.executable)


@pytest.mark.full
def test_a_leak_of_sampled_blocks_is_found(library, tmp_path):
    """The profile's own memory is read as well, and is no owner."""
    (tmp_path / "leaking.cpp").write_text(LEAKING)
    run("g++", "-std=c++20", "-O1", "-s", tmp_path / "leaking.cpp", "-o", tmp_path / "leaking")
    profile, report = tmp_path / "heap.folded", tmp_path / "owners.json"
    settings = ["env", f"FREEHOLD_HEAP_PROFILE={profile}", f"LD_PRELOAD={library}"]
    owners = [ROOT / "freehold", "owners", "--at-exit", "--json", report, "--output", tmp_path / "owners.html"]
    run(*owners, "--", *settings, tmp_path / "leaking")
    sampled = [int(line.rsplit(" ", 1)[1]) for line in profile.read_text().splitlines()]
    assert 6 << 20 < sum(bytes for bytes in sampled if bytes < 64 << 20) < 20 << 20
    assert sum(bytes >= 64 << 20 for bytes in sampled) >= 1
    leaks = json.loads(report.read_text())["leaks"]
    assert sorted((leak["grade"], leak["count"]) for leak in leaks) == [("leaked", 1), ("leaked", 2000)]


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="there are no probes")
def test_a_tracer_sees_sampled_blocks(library, tmp_path):
    if shutil.which("gdb") is None:
        pytest.skip("gdb is missing")
    (tmp_path / "large.c").write_text(LARGE)
    run("gcc", tmp_path / "large.c", "-g", "-o", tmp_path / "large")
    (tmp_path / "tracer").write_text(f"set environment LD_PRELOAD {library}\n{TRACER}")
    told = run("gdb", "--nx", "--batch", "-x", tmp_path / "tracer", tmp_path / "large").decode()
    seen = [line.split() for line in told.splitlines() if line.startswith(("alloc ", "free "))]
    block = seen[0][1]
    assert seen == [["alloc", block, str(64 << 20), str(64 << 20)], ["free", block]]
