#pragma once
// The heaps that are attached to a thread, for heap_checks.hpp. With NDEBUG there are none.

#if __has_include(<pthread.h>)
#include <climits>  // PTHREAD_DESTRUCTOR_ITERATIONS

#include <pthread.h>
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
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
        if (!is_end_watched_) is_end_watched_ = end_of_thread::watch();
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
    // A key of the thread, whose destructor runs after those of thread_local objects, which may own heaps. Other keys
    // may own heaps too, so it runs late: not in the last round of destructors, after which ThreadSanitizer knows the
    // thread no more. It never runs in the main thread, whose static objects may own heaps.
    class end_of_thread {
    public:
        // Effects: the end of the calling thread will check that it has no heap. Returns: false if the process has no
        // key left.
        static bool watch() noexcept { return set(1); }

    private:
        end_of_thread() noexcept : is_made_(::pthread_key_create(&key_, &expect_no_heap) == 0) {}
        end_of_thread(const end_of_thread&) = delete;
        end_of_thread& operator=(const end_of_thread&) = delete;

        // When the library is unloaded, or the process exits.
        ~end_of_thread() {
            if (is_made_) ::pthread_key_delete(key_);
        }

        static bool set(std::uintptr_t round) noexcept {
            static const end_of_thread end;
            return end.is_made_ && ::pthread_setspecific(end.key_, std::bit_cast<void*>(round)) == 0;
        }

        static void expect_no_heap(void* value) noexcept {
            const auto round = std::bit_cast<std::uintptr_t>(value);
            if (round < PTHREAD_DESTRUCTOR_ITERATIONS - 1 && set(round + 1)) return;
            [[maybe_unused]] const bool the_thread_has_no_heap = here.first_ == nullptr;
            FREEHOLD_EXPECTS(the_thread_has_no_heap,
                             "a thread ends while a heap is attached to it: call detach() there, or destroy the heap",
                             "freehold::traced_heap");
        }

        pthread_key_t key_ = {};
        bool is_made_;
    };

    FREEHOLD_STATIC_TLS static thread_local constinit attached_heaps here;

    attached_heap* first_ = nullptr;
    bool is_end_watched_ = false;
};

FREEHOLD_STATIC_TLS inline thread_local constinit attached_heaps attached_heaps::here{};

}  // namespace freehold::detail
