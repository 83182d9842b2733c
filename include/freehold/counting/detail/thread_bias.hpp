#pragma once
// thread_bias: the right to count some objects with plain instructions, and an inbox for objects whose last owner was
// released in another thread.
//
// One thread at a time holds a bias. It takes one when it makes its first object, and leaves it at its exit, with the
// objects that are still biased toward it. The next thread that needs a bias takes it over, and counts them from then
// on. So a bias is never confused with that of an exited thread, and their number is the greatest number of threads at
// once. They are linked in one list and never freed.
//
// One word says both whether a thread holds the bias and what is in the inbox. So nothing can be queued to a bias at
// the moment when its holder leaves it, and be lost.
//
// Count provides:
//   link()                   an atomic number, for the address of the next one in a list
//   merge_received(expired)  merges the two counts, less the owner of the inbox; returns the list `expired`, with the
//                            count in front if the object has no owner left. Requires: the caller holds the bias and
//                            has read the link
//   destroy_merged()         destroys such an object
// Threading: core/threading.hpp.

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/c_memory.hpp"
#include "../../core/platform/thread_local.hpp"
#include "../../core/thread_end.hpp"

namespace freehold::inline v0_2::detail {

template <class Count, class Threading>
class alignas(64) thread_bias {
    template <class T>
    using atomic = typename Threading::template atomic<T>;

public:
    // The address of the first in a list, or nobody. Never 0, which means the bias of a thread without one.
    using list = std::uintptr_t;
    static constexpr list nobody = 1;

    // The bias of the calling thread, or null before its first object and from its exit on.
    [[nodiscard]] static thread_bias* mine() noexcept {
        FREEHOLD_EXPECTS(held == mine_by_call(), "a fiber with biased owners goes on in another thread",
                         "freehold::biased_shared_ptr");
        return held;
    }

    // Effects: merge_queued(). Returns: the bias of the calling thread, which has one from now on; null if out of
    // memory or if the thread is exiting.
    [[nodiscard]] static thread_bias* of_maker() noexcept {
        thread_bias* const mine = held;
        if (mine == nullptr) [[unlikely]]
            return take_until_end();
        if (mine->has_queued()) [[unlikely]]
            mine->receive();
        return mine;
    }

    // Returns: a bias, which the calling thread holds from now on; null if out of memory or if the thread is exiting.
    [[nodiscard]] static thread_bias* take() noexcept {
        if (is_ending) return nullptr;
        // acquire: pairs with the release below, which publishes a bias
        for (thread_bias* each = all.load(std::memory_order_acquire); each != nullptr; each = each->next_) {
            if (each->try_hold()) return held = each;
        }
        // Not operator new: a program that replaces it to find leaks would report the bias.
        void* const place = detail::take_c_memory(alignof(thread_bias), sizeof(thread_bias));
        if (place == nullptr) return nullptr;
        auto* const fresh = ::new (place) thread_bias;
        // relaxed: only compared and linked to
        fresh->next_ = all.load(std::memory_order_relaxed);
        // release: pairs with the acquire above
        while (!all.compare_exchange_weak(fresh->next_, fresh, std::memory_order_release, std::memory_order_relaxed)) {
        }
        return held = fresh;
    }

    // Effects: merges all that is queued to the calling thread, and destroys the objects without owner.
    static void merge_queued() noexcept {
        if (held != nullptr && held->has_queued()) held->receive();
    }

    // Effects: the calling thread holds no bias. Returns: the one that it held, for leave(), or null.
    static thread_bias* resign() noexcept { return std::exchange(held, nullptr); }

    // Effects: merge_queued(), and the calling thread counts no object apart, until it makes one again.
    static void leave_thread() noexcept {
        if (thread_bias* const resigned = resign()) resigned->leave(nobody);
    }

    // Effects: holds the bias if no thread does. Returns: whether it did.
    [[nodiscard]] bool try_hold() noexcept {
        list expected = left;
        // acquire: pairs with the release of try_leave()
        return inbox_.compare_exchange_strong(expected, nobody, std::memory_order_acquire, std::memory_order_relaxed);
    }

    // Effects: queues the count to the thread that holds the bias; if there is none, the caller holds the bias instead.
    // Returns: whether there was one.
    [[nodiscard]] bool queue(Count& count) noexcept {
        // relaxed: only compared and linked to, never followed here
        list seen = inbox_.load(std::memory_order_relaxed);
        for (;;) {
            if (seen == left) {
                if (try_hold()) return false;
                seen = inbox_.load(std::memory_order_relaxed);
                continue;
            }
            // release: pairs with the acquire of merge(), which may take the link for a bias until it reads the word
            count.link().store(seen, std::memory_order_release);
            // release: pairs with the acquire of empty(). The holder sees what all queueing threads did with their
            // objects, the earlier ones through the release sequence that this read-modify-write continues.
            if (inbox_.compare_exchange_weak(seen, reinterpret_cast<list>(&count), std::memory_order_release,
                                             std::memory_order_relaxed))
                return true;
        }
    }

    // Effects: merges the inbox, leaves the bias, and destroys the objects without owner, also those in the list
    // `expired`. In this order, because a destructor may take long, or wait for another thread that queues something.
    // Requires: the caller holds the bias.
    void leave(list expired) noexcept {
        while (!try_leave()) expired = merge_all(empty(), expired);
        destroy_all(expired);
    }

private:
    static constexpr list left = 2;  // in place of a list: no thread holds the bias

    static Count& at(list address) noexcept { return *reinterpret_cast<Count*>(address); }

    FREEHOLD_NOINLINE static thread_bias* take_until_end() noexcept {
        // What is queued to a bias that no thread leaves would never be destroyed.
        return thread_end<end_thread>::arm() ? take() : nullptr;
    }

    // In this order: destructors may make objects, and would take a bias that no thread leaves.
    static void end_thread() noexcept {
        is_ending = true;
        leave_thread();
    }

    // relaxed: only a hint; empty() acquires the contents
    [[nodiscard]] bool has_queued() const noexcept { return inbox_.load(std::memory_order_relaxed) != nobody; }

    // Requires: the caller holds the bias.
    FREEHOLD_NOINLINE void receive() noexcept { destroy_all(merge_all(empty(), nobody)); }

    // Effects: empties the inbox. Returns: its list. Requires: the caller holds the bias.
    [[nodiscard]] list empty() noexcept {
        // acquire: pairs with the release of each queue()
        return inbox_.exchange(nobody, std::memory_order_acquire);
    }

    // Effects: if the inbox is empty, no thread holds the bias any longer. Returns: whether it was empty.
    // Requires: the caller holds the bias.
    [[nodiscard]] bool try_leave() noexcept {
        list expected = nobody;
        // release: pairs with the acquire of try_hold(); the next holder sees all plain counts of this one
        return inbox_.compare_exchange_strong(expected, left, std::memory_order_release, std::memory_order_relaxed);
    }

    static list merge_all(list received, list expired) noexcept {
        while (received != nobody) {
            Count& each = at(received);
            received = each.link().load(std::memory_order_relaxed);  // relaxed: acquired by empty()
            expired = each.merge_received(expired);
        }
        return expired;
    }

    static void destroy_all(list expired) noexcept {
        while (expired != nobody) {
            Count& each = at(expired);
            expired = each.link().load(std::memory_order_relaxed);  // relaxed: written by this thread
            each.destroy_merged();
        }
    }

    // Not by FREEHOLD_PER_THREAD in mine() itself: each copy would take a call.
    FREEHOLD_PER_THREAD_ACCESS [[nodiscard]] static thread_bias* mine_by_call() noexcept { return held; }

    // Constant-initialized and trivially destructible: threads count until their last instruction.
    FREEHOLD_STATIC_TLS static inline constinit thread_local thread_bias* held = nullptr;
    FREEHOLD_STATIC_TLS static inline constinit thread_local bool is_ending = false;
    static inline constinit atomic<thread_bias*> all = nullptr;

    atomic<list> inbox_ = nobody;
    thread_bias* next_ = nullptr;  // set before the bias is published, never changed
};

}  // namespace freehold::detail
