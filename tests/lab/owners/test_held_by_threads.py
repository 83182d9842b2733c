"""What only a thread holds, at the moment when it is stopped, is held."""

from itertools import product

import pytest

import truth
from freehold_lab.owners import analysis
from freehold_lab.owners.graph.reach import LEAKS
from freehold_lab.owners.image import live

# Of many elements of a list that are destroyed together one takes for ever.
TAKEN_OUT = r"""
#include <unistd.h>
#include <list>
#include <memory>

struct item {
    bool takes_long;
    ~item() {
        if (takes_long) (void)!write(1, "ready\n", 6), pause();
    }
};

int main() {
    std::list<std::shared_ptr<item>> items;
    for (int i = 0; i < 50; ++i) items.push_back(std::make_shared<item>(i == 10));
    items.clear();
}
"""

# The vector's memory has still the handle that it has destroyed. The owner is in registers, or its words are apart.
LEFT_IN_ITSELF = r"""
#include <unistd.h>
#include <memory>
#include <vector>

struct node {
    std::vector<std::shared_ptr<node>> others;
    long value = 1;
};

[[gnu::noinline]] long wait_for_ever(long value) {
    (void)!write(1, "ready\n", 6), pause();
    return value;
}

[[gnu::noinline]] std::shared_ptr<node> made() {
    auto made = std::make_shared<node>();
    made->others.push_back(made);
    made->others.pop_back();
    return made;
}

int main(int count, char**) {
    std::vector<std::shared_ptr<node>> moved;
    moved.push_back(made());
    const auto last = std::move(moved.back());
    moved.clear();
    long sum = 0;
    for (int i = 0; i < count; ++i) sum += wait_for_ever(last->value) + static_cast<long>(last->others.size());
    return sum != 0;
}
"""

# One mapping has an owner of the program's and, above it, the stacks of two threads, of which one owns by a variable.
# Each vector has as many handles as its object has owners: one that it has destroyed.
ONE_MAPPING = r"""
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <memory>
#include <new>
#include <vector>

constexpr std::size_t size = 1 << 18;

struct node {
    std::vector<std::shared_ptr<node>> others;
};

std::shared_ptr<node> cycle() {
    const auto made = std::make_shared<node>();
    made->others.reserve(2);
    made->others.push_back(made);
    made->others.push_back(made);
    made->others.pop_back();
    return made;
}

thread_local std::shared_ptr<node> own;

void* owns(void*) {
    own = cycle();
    for (;;) pause();
}

void* waits(void*) {
    for (;;) pause();
}

int main() {
    char* const mapping = static_cast<char*>(
        mmap(nullptr, 3 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    new (mapping) std::shared_ptr<node>(cycle());
    void* (*const functions[])(void*) = {owns, waits};
    for (int i = 0; i < 2; ++i) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, mapping + (i + 1) * size, size);
        pthread_create(&thread, &attributes, functions[i], nullptr);
    }
    usleep(100'000);
    (void)!write(1, "ready\n", 6), pause();
}
"""
PROGRAMS = {"taken out of a list": TAKEN_OUT, "left in itself": LEFT_IN_ITSELF, "one mapping": ONE_MAPPING}
# One way to build each: optimized, as registers matter. Only libc++ takes all elements out of a list at once.
SCOPES = {
    ("left in itself", "libstdc++", "-O2"): (),
    ("one mapping", "libstdc++", "-O2"): (),
    ("taken out of a list", "libc++", "-O2"): pytest.mark.full,
}
CASES = [
    pytest.param(*each, id="-".join(each), marks=SCOPES.get(each, pytest.mark.long))
    for each in product(PROGRAMS, ("libstdc++", "libc++"), ("-O0", "-O2"))
]


@pytest.mark.parametrize(("program", "library", "options"), CASES)
def test_no_leak_is_reported(program, library, options, tmp_path):
    compiler, more = ("g++", []) if library == "libstdc++" else ("clang++", ["-stdlib=libc++"])
    command = ("-pthread", options, *more)
    with truth.ready(truth.compiled(PROGRAMS[program], tmp_path, *command, compiler=compiler)) as pid:
        found = analysis.analyze(live.read(pid))
    assert len(found.blocks) > 0
    assert [each for each in found.grade if each in LEAKS] == []
