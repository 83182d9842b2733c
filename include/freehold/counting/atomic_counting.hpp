#pragma once
// atomic_counting: counts with atomic instructions once the process has a second thread, with plain ones before.
//
// Thread safety: owners of one object may be in any threads of one process. Not for memory that several processes
// share: each may have one thread.
// Exceptions: none. Complexity: constant, lock-free.
// Cost: an increase or a decrease is one locked operation, or none while the process has one thread; the test between
// the two is one load that is always in the cache and one branch that is always predicted.
//
// The compiler's __atomic operations are used on a plain word, because the word is changed both atomically and
// plainly: std::atomic offers only the former, and its relaxed load and store would be three instructions for one.

#include "../core/config.hpp"
#include "../core/platform/thread_state.hpp"
#include "counting_policy.hpp"
#include "plain_counting.hpp"

namespace freehold::inline v0_2 {

namespace detail {

struct process_threading;

}  // namespace detail

struct atomic_counting {
    static constexpr bool concurrent = true;

    // How whatever else is shared with these counts synchronizes: core/threading.hpp.
    using threading = detail::process_threading;

    template <class Rare>
    FREEHOLD_ALWAYS_INLINE static void increase(count_word& word, count_word n, Rare rare) noexcept {
        if (detail::is_single_threaded()) {
            static_cast<void>(__builtin_add_overflow(word, n, &word));  // wraps, as the atomic operation does
            if (word < 0) [[unlikely]]
                rare();
            return;
        }
        // relaxed: the caller is an owner or weak pointer itself, so the count can't reach zero meanwhile, and nothing
        // is published.
        if (__atomic_add_fetch(&word, n, __ATOMIC_RELAXED) < 0) [[unlikely]]
            rare();
    }

    template <class Rare>
    FREEHOLD_ALWAYS_INLINE static void decrease(count_word& word, count_word n, Rare rare) noexcept {
        if (detail::is_single_threaded()) {
            static_cast<void>(__builtin_sub_overflow(word, n, &word));
            if (word < 0) [[unlikely]]
                rare();
            return;
        }
        // release: pairs with the acquire of the decrease or observe by which another owner finds itself the last;
        // its destructor must see all that this one did. acquire: this may be the last.
        // An addition: of a subtracted constant clang 19 fetches the value, and adds once more to find the sign.
        if (__atomic_add_fetch(&word, -n, __ATOMIC_ACQ_REL) < 0) [[unlikely]]
            rare();
    }

    static bool decrease_to(count_word& word, count_word n, count_word end) noexcept {
        if (detail::is_single_threaded()) return plain_counting::decrease_to(word, n, end);
        // acquire and release: as in decrease; the thread that reaches `end` frees what the others have used.
        return __atomic_sub_fetch(&word, n, __ATOMIC_ACQ_REL) == end;
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static count_word observe(const count_word& word) noexcept {
        // acquire: pairs with the release in decrease; a caller that finds itself alone acts on the object next.
        return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static count_word fetch_add(count_word& word, count_word seen,
                                                                     count_word n) noexcept {
        if (detail::is_single_threaded()) return plain_counting::fetch_add(word, seen, n);
        // acquire: pairs with the release in decrease; a new owner sees what earlier owners did before they left.
        return __atomic_fetch_add(&word, n, __ATOMIC_ACQUIRE);
    }

    static bool replace(count_word& word, count_word& seen, count_word value) noexcept {
        if (detail::is_single_threaded()) return plain_counting::replace(word, seen, value);
        // acquire: pairs with the release in decrease; a last owner sees what earlier owners did before they left.
        // release: as in decrease, where an owner leaves by this.
        // relaxed on failure: the value is only compared and tried again.
        return __atomic_compare_exchange_n(&word, &seen, value, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }

    static void store(count_word& word, count_word value) noexcept {
        // relaxed: no stored value lets another thread destroy or free anything, so none acts on what the store orders.
        __atomic_store_n(&word, value, __ATOMIC_RELAXED);
    }
};

static_assert(counting_policy<atomic_counting>);

}  // namespace freehold
