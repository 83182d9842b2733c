"""Programs whose allocator's blocks cannot be told apart: what leaks is suspected, and what does not is not."""

from ctypes.util import find_library

import numpy as np
import pytest

import truth
from freehold_lab.owners import analysis
from freehold_lab.owners.answers import building, words
from freehold_lab.owners.graph.reach import Grade
from freehold_lab.owners.image import live

LIBRARIES = {"jemalloc": "jemalloc", "tcmalloc": "tcmalloc_minimal", "mimalloc": "mimalloc"}
LEAST_SUSPECTED = 0.08  # of what leaks: memory that may be a block's is taken for variables
BUILDS = [
    pytest.param(truth.BUILDS[0], id=truth.BUILDS[0].name),
    *(
        pytest.param(each, marks=pytest.mark.long, id=each.name)
        for each in (truth.LIBSTDCXX[1], *truth.LIBCXX, *truth.BOOST, *truth.FREEHOLD)
    ),
]


@pytest.fixture(params=LIBRARIES)
def allocator(request):
    library = find_library(LIBRARIES[request.param])
    if library is None:
        pytest.skip(f"{request.param} is missing")
    return request.param, library


@pytest.fixture
def read(common_folder, allocator):
    """Gives the analysis of the program with that fate, and what it says of its objects."""

    def of(build, fate):
        program = truth.build("truth.cpp", build.compiler, build.options, common_folder / "owners")
        with truth.running(program, fate=fate, preload=allocator[1]) as running:
            found = analysis.analyze(live.read(running.pid))
            grades = [Grade(each).name.lower() for each in found.grade]
            return found, truth.compare(running.truth, dict(zip(found.blocks.addresses.tolist(), grades, strict=True)))

    return of


@pytest.mark.full
@pytest.mark.parametrize("build", BUILDS)
def test_what_leaks_is_suspected(read, build, allocator):
    found, labels = read(build, "leaks")
    suspected = [each for each in labels.blocks if each.grade.startswith("suspected")]
    assert [each for each in suspected if not each.expected.startswith("leaked")] == [], str(labels)
    assert len(suspected) >= LEAST_SUSPECTED * labels.leaks, str(labels)
    assert not np.isin(found.grade, [Grade.LEAKED, Grade.LEAKED_RAW, Grade.LEAKED_STALE]).any()
    assert f"the blocks of {allocator[0]} cannot be told apart" in found.doubts


@pytest.mark.full
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("fate", ["held", "cut"])
def test_of_its_twin_without_leaks_nothing_is(read, build, fate):
    found, labels = read(build, fate)
    assert not np.isin(found.grade, range(Grade.SUSPECTED, Grade.SUSPECTED_STALE + 1)).any(), str(labels)


LEAKS = r"""
#include <sys/mman.h>
#include <unistd.h>
#include <memory>

// A heap of the program's own: nobody else knows its blocks.
template <class T>
struct arena {
    using value_type = T;
    arena() = default;
    template <class U> arena(const arena<U>&) {}
    T* allocate(std::size_t count) {
        static char* next = static_cast<char*>(
            mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        char* const block = next;
        next += (count * sizeof(T) + 63) / 64 * 64;
        return reinterpret_cast<T*>(block);
    }
    void deallocate(T*, std::size_t) {}
    bool operator==(const arena&) const = default;
};

struct Plain { std::shared_ptr<Plain> next; };
struct Behind { long value = 1; };
struct Apart { std::shared_ptr<Apart> next; std::shared_ptr<Behind> behind; };

[[gnu::noinline]] void leak() {
    const auto plain = std::make_shared<Plain>();
    plain->next = plain;
    const auto apart = std::allocate_shared<Apart>(arena<Apart>());
    apart->next = apart;
    apart->behind = std::make_shared<Behind>();
}

[[gnu::noinline]] void scrub() {
    char frame[10000] = {};
    asm volatile("" : : "r"(frame) : "memory");
}

int main() {
    leak();
    scrub();
    char byte;
    return write(1, "ready\n", 6) + read(0, &byte, 1) != 6;
}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    with truth.ready(truth.compiled(LEAKS, tmp_path_factory.mktemp("arena"), "-O0")) as pid:
        return building.build(analysis.analyze(live.read(pid)))


def test_memory_of_an_own_allocator_makes_suspects(report):
    grades = {each.name: each.grades for each in report.types}
    assert grades == {"Plain": {"leaked": 1}, "Apart": {"suspected": 1}, "Behind": {"suspected": 1}}
    assert {each.grade: each.types for each in report.leaks} == {"leaked": {"Plain": 1}, "suspected": {"Apart": 1}}


def test_that_it_does_is_said(report):
    assert words.leaks(report).startswith("Leaked or suspected: ")
    note = "1 object lies in memory that the allocator does not know: of it, and of what only it owns, a leak is only"
    assert report.notes == [f"{note} suspected."]
