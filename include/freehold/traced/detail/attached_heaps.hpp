#pragma once
// The heaps that are attached to a thread, for heap_checks.hpp. With NDEBUG there are none.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/thread_key.hpp"
#include "chunk_table.hpp"
#include "container_watch.hpp"

namespace freehold::detail {

// Part of a heap.
struct attached_heap {
    const chunk_table* chunks;
    container_watch* watch;
    attached_heap* next = nullptr;
};

// Trivially destructible and constant-initialized, as the decision on static thread-local variables has it.
class attached_heaps {
public:
    [[nodiscard]] static attached_heaps& of_thread() noexcept { return here; }

    // Effects: the thread has the heap from now on, until remove().
    void add(attached_heap& added) noexcept {
        added.next = first_;
        first_ = &added;
        if (!is_end_watched_) is_end_watched_ = watch_end();
    }

    void remove(attached_heap& removed) noexcept {
        attached_heap** place = &first_;
        while (*place != nullptr && *place != &removed) place = &(*place)->next;
        if (*place != nullptr) *place = removed.next;
    }

    // Returns: the heap with the address in one of its chunks, or a null pointer.
    [[nodiscard]] const attached_heap* heap_of(const void* address) const noexcept {
        for (const attached_heap* each = first_; each != nullptr; each = each->next) {
            if (each->chunks->contains(address)) return each;
        }
        return nullptr;
    }

    [[nodiscard]] const attached_heap* first() const noexcept { return first_; }

private:
    // The end of the calling thread will check that it has no heap. By a key, which comes after the thread_local
    // objects, since these may own heaps. Other keys may own heaps too, so it comes late: not in the last round, after
    // which ThreadSanitizer knows the thread no more. It never comes in the main thread, whose static objects may own
    // heaps. Returns: false if the process has no key left.
    static bool watch_end(std::uintptr_t round = 1) noexcept {
        static const thread_key key(&expect_no_heap);
        return key.set(std::bit_cast<void*>(round));
    }

    static void expect_no_heap(void* value) noexcept {
        const auto round = std::bit_cast<std::uintptr_t>(value);
        if (round < thread_key::rounds - 1 && watch_end(round + 1)) return;
        [[maybe_unused]] const bool the_thread_has_no_heap = here.first_ == nullptr;
        FREEHOLD_EXPECTS(the_thread_has_no_heap,
                         "a thread ends while a heap is attached to it: call detach() there, or destroy the heap",
                         "freehold::traced_heap");
    }

    FREEHOLD_STATIC_TLS static thread_local constinit attached_heaps here;

    attached_heap* first_ = nullptr;
    bool is_end_watched_ = false;
};

FREEHOLD_STATIC_TLS inline thread_local constinit attached_heaps attached_heaps::here{};

}  // namespace freehold::detail
