// What a program calls that was compiled with the header of ./freehold advise --shim: whenever a shared pointer is
// copied, moved, assigned, locked or dies. With FREEHOLD_COPIES=FILE, it writes there at the end which copies were
// needless. The program needs frame pointers.

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "copies_judging.hpp"
#include "copies_report.hpp"

namespace copies {
namespace {

std::atomic<bool> is_on = false;
char file[PATH_MAX];  // no constructor may run after begin()
pid_t process = 0;

[[gnu::constructor]] void begin() {
    const char* const name = std::getenv("FREEHOLD_COPIES");
    if (name == nullptr || std::strlen(name) >= sizeof file) return;
    std::strcpy(file, name);
    process = getpid();
    unsetenv("FREEHOLD_COPIES");                   // not for programs that this one begins
    is_on.store(true, std::memory_order_relaxed);  // relaxed: before any thread
}

[[gnu::destructor]] void end() {
    if (!is_on.exchange(false, std::memory_order_relaxed) || getpid() != process) return;  // relaxed: see `is_on`
    FILE* const to = std::fopen(file, "w");
    if (to == nullptr) return;
    all().known.for_each([](const owner& each) {
        // relaxed: it is the end
        if (each.made.place != nullptr && each.made.source->now.load(std::memory_order_relaxed) == life::died)
            judge_source(each.made);
    });
    write(all().places, to);
    write(all().kinds, to);
    std::fclose(to);
}

// relaxed: it is set before the program begins, and what is missed at the end is not reported
bool is_recording() noexcept { return is_on.load(std::memory_order_relaxed); }

}  // namespace
}  // namespace copies

#define FRAME reinterpret_cast<copies::address>(__builtin_frame_address(0))
#define EXPORTED extern "C" [[gnu::visibility("default")]] void

EXPORTED freehold_copies_copied(const void* owner, const void* source, const void* block) noexcept {
    if (!copies::is_recording()) return;
    copies::add(owner, source, FRAME, false);
    copies::touch(block, true);
}

EXPORTED freehold_copies_converted(const void* owner) noexcept {
    if (copies::is_recording()) copies::all().known.mark_converted(owner);
}

EXPORTED freehold_copies_assigned(const void* owner, const void* source, const void* before,
                                  const void* after) noexcept {
    if (!copies::is_recording() || before == after) return;
    if (before != nullptr) {
        copies::remove(owner, FRAME, copies::life::changed);
        copies::touch(before, false);
    }
    if (after != nullptr) {
        copies::add(owner, source, FRAME, true);
        copies::touch(after, true);
    }
}

EXPORTED freehold_copies_moved(const void* one, const void* other) noexcept {
    if (copies::is_recording() && one != other) copies::exchange(one, other);
}

EXPORTED freehold_copies_locked(const void* block) noexcept {
    if (!copies::is_recording()) return;
    copies::all().places.at(FRAME).count(copies::locked);
    if (block != nullptr) copies::touch(block, false);
}

EXPORTED freehold_copies_died(const void* owner, const void* block) noexcept {
    if (!copies::is_recording()) return;
    copies::remove(owner, FRAME, copies::life::died);
    copies::touch(block, false);
}

// The count of weak pointers changes.
EXPORTED freehold_copies_weakly(const void* block) noexcept {
    if (copies::is_recording()) copies::touch(block, false);
}

EXPORTED freehold_copies_block_ended(const void* block) noexcept {
    if (copies::is_recording()) copies::all().kinds.end(block);
}
