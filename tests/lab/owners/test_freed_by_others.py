"""Blocks of Freehold's pool that another thread has freed are free: those it keeps, those on their way, and those that
have come home."""

import pytest

import truth
from freehold_lab import folders
from freehold_lab.owners import analysis
from freehold_lab.owners.graph.reach import Grade
from freehold_lab.owners.image import live

PROGRAM = r"""
#include <freehold/pointers.hpp>

#include <unistd.h>
#include <array>
#include <semaphore>
#include <thread>
#include <vector>

template <int bytes>
struct item { char content[bytes] = {}; };

template <int bytes>
using items = std::vector<freehold::shared_ptr<item<bytes>>>;

std::binary_semaphore done(0);

template <int bytes>
void make(items<bytes>& made, int count) {
    for (int i = 0; i < count; ++i) made.push_back(freehold::make_shared<item<bytes>>());
}

int main(int, char** argv) {
    static items<1> small;
    static items<200> medium;
    static items<4000> large;
    const int count = std::atoi(argv[1]);
    make(small, count);
    make(medium, count);
    make(large, count);
    std::thread([] {  // it has no slab of its own
        small.resize(1);
        medium.resize(1);
        large.resize(1);
        done.release();
        pause();
    }).detach();
    done.acquire();
    if (*argv[2] == 'h') make(small, 1);  // takes in what has come home
    char byte;
    return write(1, "ready\n", 6) + read(0, &byte, 1) != 6;
}
"""


# A freed holder still has the address of a block in use: nobody writes there when others name it in a batch.
HOLDERS = r"""
#include <freehold/memory/replace_new.hpp>

#include <unistd.h>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

struct holder { void* first_word_of_another_block; };

std::vector<std::shared_ptr<int>> kept;
std::binary_semaphore freed(0);

int main() {
    std::vector<holder*> holders;
    for (int i = 0; i < 200; ++i) {
        kept.push_back(std::make_shared<int>(i));
        holders.push_back(new holder{reinterpret_cast<char*>(kept.back().get()) - 16});  // its counts are before it
    }
    std::thread([&] {
        for (holder* each : holders) delete each;
        freed.release();
        pause();
    }).detach();
    freed.acquire();
    char byte;
    return write(1, "ready\n", 6) + read(0, &byte, 1) != 6;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    include = f"-I{folders.ROOT / 'include'}"
    return truth.compiled(PROGRAM, tmp_path_factory.mktemp("freed"), "-pthread", include)


@pytest.mark.parametrize("where", ["away", "home"])
@pytest.mark.parametrize("count", [2, 20, 1000])
def test_what_another_thread_has_freed_is_free(program, count, where):
    with truth.ready(program, str(count), where) as pid:
        found = analysis.analyze(live.read(pid))
    assert (len(found.blocks), found.explained, found.doubts) == (4 if where == "home" else 3, 1.0, [])


def test_what_a_block_in_a_batch_leads_to_is_not_free(tmp_path):
    path = truth.compiled(HOLDERS, tmp_path, "-pthread", f"-I{folders.ROOT / 'include'}")
    with truth.ready(path) as pid:
        found = analysis.analyze(live.read(pid))
    assert list(found.grade) == [Grade.HELD] * 200
