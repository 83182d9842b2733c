#pragma once
// How a collection finds the traced_locals of its thread.
//
// A root on the stack is in no list. Its first word is its own address plus a number by which no program adds to an
// address, and a collection looks for such words on the stack. (Plus 1 is not enough: functions leave such words behind
// in what is not in use.) So a root is made by two stores and a comparison, which asks whether it is on the stack, and
// is gone with one store, in any order. The decision on the traced heap says what this was compared with.
//
// A root elsewhere (in a container, a coroutine or a static object) is in a doubly linked list of the thread. So are
// all of them where a checker watches the reads of a stack. In the frame of a coroutine that is in a heap, it is no
// root of a thread, but in a list of the frame.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/platform/page_changes.hpp"
#include "thread_stack.hpp"

namespace freehold::inline v0_2::detail {

class local_root;

// The lists of roots that are not the thread's: those of the frames in a heap.
struct root_lists {
    // Returns: the list for a root at the place; null if the place is in no frame.
    local_root** (*list_for)(const root_lists&, const void* place) noexcept;
    root_lists* next = nullptr;

    void add_to(struct local_roots& thread) noexcept;
    void remove_from(struct local_roots& thread) noexcept;
};

// Where the roots of a thread are. Trivially destructible and constant-initialized, as the decision on static
// thread-local variables has it.
struct local_roots {
    std::uintptr_t lowest_mark = 0;  // of a root in the lowest place
    std::uintptr_t bytes = 0;        // of the stack
    std::uintptr_t lowest = 0;       // address there
    local_root* listed = nullptr;    // the roots elsewhere,
    root_lists* others = nullptr;    // except those in the lists of heaps that the thread has
    bool is_stack_known = false;     // whether it was asked for

    FREEHOLD_STATIC_TLS static thread_local constinit local_roots here;

    // The first word of a root on the stack is its address plus this. Added to an address, it costs no instruction.
    static constexpr std::uintptr_t distance = 0x2e98'5bd1;

    [[nodiscard]] bool is_on_stack(std::uintptr_t address) const noexcept { return address - lowest < bytes; }

    // Returns: whether the root that has this mark is on the stack.
    [[nodiscard]] bool is_mark(std::uintptr_t mark) const noexcept { return mark - lowest_mark < bytes; }

    // Effects: calls use(root) for each root. Requires: these are the calling thread's.
    template <class Use>
    void each(Use use);

private:
    friend local_root;

    // What main's stack may grow to is reserved down to here whatever its limit, so no container is there.
    static constexpr std::size_t max_bytes = std::size_t{64} << 20;

    void find_stack() noexcept {
        is_stack_known = true;
#ifndef FREEHOLD_ADDRESS_SANITIZER
        if (is_memcheck()) return;
        const stack_bounds& stack = stack_of_thread();
        bytes = detail::smaller(static_cast<std::size_t>(stack.base - stack.lowest), max_bytes);
        lowest = std::bit_cast<std::uintptr_t>(stack.base) - bytes;
        lowest_mark = lowest + distance;
#endif
    }

    // Returns: a place on the stack below all of its variables.
    [[nodiscard]] std::uintptr_t below_variables(std::uintptr_t frame) const noexcept {
        if (is_on_stack(frame)) return frame;
        // This runs on another stack, a fiber's: all is read that has ever been used. Below that, main's is not mapped.
        constexpr std::uintptr_t step = smallest_page;
        std::uintptr_t mapped = lowest + bytes;
        std::uintptr_t unmapped = lowest / step * step;
        if (is_mapped(lowest / step * step)) return lowest;
        while (mapped - unmapped > step) {
            const std::uintptr_t middle = unmapped + (mapped - unmapped) / 2 / step * step;  // no sum: 32 bits
            (is_mapped(middle) ? mapped : unmapped) = middle;
        }
        return mapped;
    }
};

FREEHOLD_STATIC_TLS inline thread_local constinit local_roots local_roots::here{};

inline void root_lists::add_to(local_roots& thread) noexcept {
    next = thread.others;
    thread.others = this;
}

inline void root_lists::remove_from(local_roots& thread) noexcept {
    root_lists** place = &thread.others;
    while (*place != nullptr && *place != this) place = &(*place)->next;
    if (*place != nullptr) *place = next;
}

// Part of a traced_local: keeps an object alive.
class local_root {
public:
    // Always inline: even unoptimized, these are too short for calls.
    FREEHOLD_ALWAYS_INLINE explicit local_root(const void* object) noexcept : object_(object) {
        const std::uintptr_t mark = own_mark();
        mark_ = mark;
        FREEHOLD_PRETEND_USE(mark);  // from here on, any call may read or change this root
        if (!local_roots::here.is_mark(mark)) [[unlikely]]
            list();
    }

    local_root(const local_root&) = delete;
    local_root& operator=(const local_root&) = delete;

    FREEHOLD_ALWAYS_INLINE ~local_root() {
        if ((mark_ & 1) != 0) [[likely]] {                      // on the stack, since the address of a pointer is even
            *const_cast<volatile std::uintptr_t*>(&mark_) = 0;  // volatile, since a last store would be omitted
        } else {
            unlist();
        }
    }

    [[nodiscard]] local_root* next() const noexcept { return next_; }

    [[nodiscard]] const void* get() const noexcept { return object_; }
    void set(const void* object) noexcept { object_ = object; }

private:
    FREEHOLD_NOINLINE void list() noexcept {
        local_roots& here = local_roots::here;
        if (!here.is_stack_known) {
            here.find_stack();
            if (here.is_on_stack(std::bit_cast<std::uintptr_t>(this))) return;
        }
        local_root** first = &here.listed;
        for (const root_lists* each = here.others; each != nullptr; each = each->next) {
            if (local_root** const found = each->list_for(*each, this)) first = found;
        }
        next_ = *first;
        if (next_ != nullptr) next_->set_link(&next_);
        set_link(first);
        *first = this;
    }

    FREEHOLD_NOINLINE void unlist() noexcept {
        *link() = next_;
        if (next_ != nullptr) next_->set_link(link());
    }

    [[nodiscard]] std::uintptr_t own_mark() const noexcept {
        return reinterpret_cast<std::uintptr_t>(this) + local_roots::distance;
    }

    void set_link(local_root** link) noexcept { mark_ = reinterpret_cast<std::uintptr_t>(link); }

    [[nodiscard]] local_root** link() const noexcept { return reinterpret_cast<local_root**>(mark_); }

    std::uintptr_t mark_;  // first. On the stack the address of this root plus `distance`; elsewhere that of the
                           // pointer to this root
    const void* object_;
    local_root* next_;  // in the list
};

// Not instrumented for threads: others may write to variables on this stack.
template <class Use>
FREEHOLD_NOINLINE __attribute__((no_sanitize("thread"))) void local_roots::each(Use use) {
    for (local_root* root = listed; root != nullptr; root = root->next()) use(*root);
    if (bytes == 0) return;
    using word [[gnu::may_alias]] = std::uintptr_t;
    const std::uintptr_t end = lowest + bytes;
    std::uintptr_t place = below_variables(std::bit_cast<std::uintptr_t>(__builtin_frame_address(0)));
    place = round_up(place, alignof(local_root));
    for (; place + sizeof(local_root) <= end; place += sizeof(word)) {
        if (*std::bit_cast<const word*>(place) == place + distance) use(*std::bit_cast<local_root*>(place));
    }
}

}  // namespace freehold::detail
