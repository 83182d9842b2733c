// What a program calls that was compiled with the header of ./freehold advise --shim: whenever a shared pointer is
// copied, moved, assigned, locked or dies. With FREEHOLD_COPIES=FILE, it writes there at the end which copies were
// needless. The program needs frame pointers.

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "copies_owners.hpp"
#include "copies_report.hpp"
#include "copies_sites.hpp"

namespace copies {
namespace {

std::atomic<bool> is_on = false;
char file[PATH_MAX];  // no constructor may run after begin()
pid_t process = 0;

struct state {
    sites places;
    owners known;
};

state& all() {
    static auto* const only = new state;  // threads may copy until the end
    return *only;
}

std::uint32_t thread() noexcept {
    static std::atomic<std::uint32_t> next = 0;
    thread_local const std::uint32_t mine = next.fetch_add(1, std::memory_order_relaxed);  // relaxed: need only differ
    return mine;
}

figure kind(const copy& made, const void* place, address frame) noexcept {
    if (made.is_converted) return converted;
    if (!stack::holds(reinterpret_cast<address>(place), frame)) return kept;
    return made.is_changed ? changed : needless;
}

void judge_source(const copy& made) noexcept {
    made.place->count(source_first);
    // relaxed: a copy of a local owner is made by its thread
    if (made.is_of_local && made.number == made.source->copies.load(std::memory_order_relaxed))
        made.place->count(movable);
}

void judge(const copy& made, const void* place, address frame) noexcept {
    if (made.place == nullptr) return;
    const life::state source =
        made.source->now.load(std::memory_order_relaxed);  // relaxed: of this thread, else unused
    if (source == life::died) judge_source(made);
    if (made.thread != thread())
        made.place->count(crossed);
    else if (source == life::going_on)
        made.place->count(kind(made, place, frame));
    made.source->release();
}

void add(const void* place, const void* source, address frame, bool is_assigned) {
    copy made;
    made.place = &all().places.at(frame);
    made.place->count(copied);
    made.source = all().known.life_of(source);
    made.number = made.source->copies.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: as in judge_source
    made.thread = thread();
    made.is_of_local = stack::holds(reinterpret_cast<address>(source), frame);
    made.is_changed = is_assigned;
    all().known.insert(place, {nullptr, made});
}

void remove(const void* place, address frame, life::state how) {
    auto found = all().known.take(place);
    if (!found) return;
    found->made.is_changed |= how == life::changed;
    judge(found->made, place, frame);
    found->end(how);
}

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
    std::fclose(to);
}

// relaxed: it is set before the program begins, and what is missed at the end is not reported
bool is_recording() noexcept { return is_on.load(std::memory_order_relaxed); }

}  // namespace
}  // namespace copies

#define FRAME reinterpret_cast<copies::address>(__builtin_frame_address(0))
#define EXPORTED extern "C" [[gnu::visibility("default")]] void

EXPORTED freehold_copies_copied(const void* owner, const void* source) noexcept {
    if (copies::is_recording()) copies::add(owner, source, FRAME, false);
}

EXPORTED freehold_copies_converted(const void* owner) noexcept {
    if (copies::is_recording()) copies::all().known.mark_converted(owner);
}

EXPORTED freehold_copies_assigned(const void* owner, const void* source, const void* before,
                                  const void* after) noexcept {
    if (!copies::is_recording() || before == after) return;
    if (before != nullptr) copies::remove(owner, FRAME, copies::life::changed);
    if (after != nullptr) copies::add(owner, source, FRAME, true);
}

EXPORTED freehold_copies_moved(const void* one, const void* other) noexcept {
    if (!copies::is_recording() || one == other) return;
    auto first = copies::all().known.take(one);
    auto second = copies::all().known.take(other);
    for (auto* const each : {&first, &second}) {
        if (!*each) continue;
        (*each)->end(copies::life::changed);
        (*each)->made.is_changed = true;
    }
    if (first && first->made.place != nullptr) copies::all().known.insert(other, *first);
    if (second && second->made.place != nullptr) copies::all().known.insert(one, *second);
}

EXPORTED freehold_copies_locked() noexcept {
    if (copies::is_recording()) copies::all().places.at(FRAME).count(copies::locked);
}

EXPORTED freehold_copies_died(const void* owner) noexcept {
    if (copies::is_recording()) copies::remove(owner, FRAME, copies::life::died);
}
