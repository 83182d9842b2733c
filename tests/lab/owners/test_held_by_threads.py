"""What only a thread holds, at the moment when it is stopped, is held."""

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


@pytest.mark.parametrize("options", ["-O0", "-O2"])
@pytest.mark.parametrize("library", ["libstdc++", pytest.param("libc++", marks=pytest.mark.full)])
@pytest.mark.parametrize("program", [TAKEN_OUT, LEFT_IN_ITSELF], ids=["taken out of a list", "left in itself"])
def test_no_leak_is_reported(program, library, options, tmp_path):
    compiler, more = ("g++", []) if library == "libstdc++" else ("clang++", ["-stdlib=libc++"])
    with truth.ready(truth.compiled(program, tmp_path, options, *more, compiler=compiler)) as pid:
        found = analysis.analyze(live.read(pid))
    assert len(found.blocks) > 0
    assert [each for each in found.grade if each in LEAKS] == []
