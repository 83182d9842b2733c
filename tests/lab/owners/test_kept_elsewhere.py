"""What a program reaches only through the kernel, pages that it has closed for now, or a word with a tag, is held."""

import pytest

import truth
from freehold_lab.owners import analysis
from freehold_lab.owners.answers import building
from freehold_lab.owners.image import live

PROGRAM = r"""
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <memory>

struct Held { std::shared_ptr<Held> itself; };
struct Lost { std::shared_ptr<Lost> itself; };
struct Box { std::shared_ptr<Held> held; };

template <class T>
std::shared_ptr<T> ring() {
    auto made = std::make_shared<T>();
    return made->itself = made;
}

[[gnu::noinline]] void in_epoll() {
    int ends[2];
    epoll_event event = {EPOLLIN, {}};
    event.data.ptr = new Box{ring<Held>()};
    (void)(pipe(ends) + epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, ends[0], &event));
}

[[gnu::noinline]] void in_timer() {
    sigevent event = {};
    event.sigev_signo = SIGALRM;
    event.sigev_value.sival_ptr = new Box{ring<Held>()};
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
}

[[gnu::noinline]] void in_closed_page() {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *static_cast<Box**>(page) = new Box{ring<Held>()};
    mprotect(page, 4096, PROT_READ);
}

std::uintptr_t tagged;

[[gnu::noinline]] void in_tagged_word() {
    tagged = reinterpret_cast<std::uintptr_t>(new Box{ring<Held>()}) | std::uintptr_t{0x7ffa} << 48;
}

[[gnu::noinline]] void lose() { ring<Lost>(); }

[[gnu::noinline]] void scrub() {
    char frame[10000];
    std::memset(frame, 0, sizeof frame);
    asm volatile("" : : "r"(frame) : "memory");
}

int main(int, char** arguments) {
    lose();
    switch (arguments[1][0]) {
        case 'e': in_epoll(); break;
        case 't': in_timer(); break;
        case 'p': in_closed_page(); break;
        default: in_tagged_word();
    }
    scrub();
    (void)!write(1, "ready\n", 6);
    pause();
}
"""


@pytest.fixture(scope="module")
def program(common_folder):
    return truth.compiled(PROGRAM, common_folder, "-O2")


@pytest.mark.parametrize("where", ["epoll", "timer", "page that is closed", "word with a tag"])
def test_it_is_held(program, where):
    with truth.ready(program, where) as pid:
        found = building.build(analysis.analyze(live.read(pid)))
    assert {each.name: each.grades for each in found.types} == {"Held": {"held": 1}, "Lost": {"leaked": 1}}
