#pragma once
// thread_bias: the right to count some objects with plain instructions, and the inbox of those that others have let go.
//
// One thread at a time holds a bias. It takes one when it makes its first object, and leaves it behind at its end, with
// the objects that are still biased towards it; the next thread that needs one takes it over, and counts them from then
// on. So a bias is never confused with that of a thread that has ended, and there are as many as there were threads at
// once. They are linked in one list and never freed.
//
// One word tells everything: whether somebody holds the bias, and what has come. So there is no moment at which
// something could come to a bias that is just being left, and be found by nobody.
//
// Count has an atomic number link(), for the address of the next one in an inbox. Atomic is std::atomic, or what a
// test counts with.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "../../core/static_tls.hpp"

namespace freehold::detail {

template <class Count, template <class> class Atomic>
class alignas(64) thread_bias {
public:
    // The address of the first in a list, or nobody. Never 0, which is the address of the bias of a thread without one.
    using list = std::uintptr_t;
    static constexpr list nobody = 1;

    // The bias of the calling thread, or null before its first object and from its end on.
    [[nodiscard]] static thread_bias* mine() noexcept { return held; }

    // Returns: the bias that the calling thread holds from now on, or null: there is no memory for one, or the thread
    // is ending.
    [[nodiscard]] static thread_bias* take() noexcept {
        if (is_ending) return nullptr;
        // acquire: pairs with the release below, which publishes a bias
        for (thread_bias* each = all.load(std::memory_order_acquire); each != nullptr; each = each->next_) {
            if (each->try_hold()) return held = each;
        }
        // Not operator new: a program that replaces it to count would take what is kept for a leak.
        void* const place = std::aligned_alloc(alignof(thread_bias), sizeof(thread_bias));
        if (place == nullptr) return nullptr;
        auto* const fresh = ::new (place) thread_bias;
        // relaxed: only compared and linked to
        fresh->next_ = all.load(std::memory_order_relaxed);
        // release: pairs with the acquire above
        while (!all.compare_exchange_weak(fresh->next_, fresh, std::memory_order_release, std::memory_order_relaxed)) {
        }
        return held = fresh;
    }

    // Effects: the calling thread counts no object apart any more. Returns: what it held, which is for it to leave().
    [[nodiscard]] static thread_bias* resign() noexcept { return std::exchange(held, nullptr); }

    // Effects: the calling thread takes no bias any more: nothing would leave it again.
    static void end_thread() noexcept { is_ending = true; }

    // Returns: whether nobody held the bias, and the caller holds it now.
    [[nodiscard]] bool try_hold() noexcept {
        list expected = left;
        // acquire: pairs with the release of leave()
        return inbox_.compare_exchange_strong(expected, nobody, std::memory_order_acquire, std::memory_order_relaxed);
    }

    // relaxed: only a hint, and what has come is acquired by empty()
    [[nodiscard]] bool has_mail() const noexcept { return inbox_.load(std::memory_order_relaxed) != nobody; }

    // Effects: leaves the count to the thread that holds the bias; if there is none, the caller holds it.
    // Returns: whether there was one.
    [[nodiscard]] bool send(Count& count) noexcept {
        // relaxed: only compared and linked to, never followed here
        list seen = inbox_.load(std::memory_order_relaxed);
        for (;;) {
            if (seen == left) {
                if (try_hold()) return false;
                seen = inbox_.load(std::memory_order_relaxed);
                continue;
            }
            // release: pairs with the acquire of whoever takes a link for a bias, to find out by the word
            count.link().store(seen, std::memory_order_release);
            // release: pairs with the acquire of empty(); the holder sees what the senders did with their objects, the
            // earlier ones' through the release sequence that this read-modify-write continues
            if (inbox_.compare_exchange_weak(seen, reinterpret_cast<list>(&count), std::memory_order_release,
                                             std::memory_order_relaxed))
                return true;
        }
    }

    // Returns: what has come. Requires: the caller holds the bias.
    [[nodiscard]] list empty() noexcept {
        // acquire: pairs with the release of each send()
        return inbox_.exchange(nobody, std::memory_order_acquire);
    }

    // Effects: nobody holds the bias any more, unless something has come. Returns: whether that is so.
    // Requires: the caller holds the bias.
    [[nodiscard]] bool leave() noexcept {
        list expected = nobody;
        // release: pairs with the acquire of try_hold(); the next holder sees all plain counts of this one
        return inbox_.compare_exchange_strong(expected, left, std::memory_order_release, std::memory_order_relaxed);
    }

private:
    static constexpr list left = 2;  // in place of a list: nobody holds the bias

    // Constant-initialised and trivially destructible: threads count until their last instruction.
    FREEHOLD_STATIC_TLS static inline constinit thread_local thread_bias* held = nullptr;
    FREEHOLD_STATIC_TLS static inline constinit thread_local bool is_ending = false;
    static inline constinit std::atomic<thread_bias*> all = nullptr;

    Atomic<list> inbox_ = nobody;
    thread_bias* next_ = nullptr;  // set before the bias is published, never changed
};

}  // namespace freehold::detail
