#pragma once
// process_shared_counting: counts in memory that several processes share, always with atomic instructions.
//
// atomic_counting is for one process: it counts with plain instructions while that process has one thread.
// Thread safety: any thread of any process. Exceptions: none. Complexity: constant, lock-free, without a lock
// elsewhere: the operations work on memory that is mapped at different addresses.

#include "../../counting/counting_policy.hpp"

namespace freehold::inline v0_2::detail {

struct process_shared_counting {
    static constexpr bool concurrent = true;

    static_assert(__atomic_always_lock_free(sizeof(count_word), nullptr), "a lock would be in one process only");

    template <class Rare>
    static void increase(count_word& word, count_word n, Rare rare) noexcept {
        // relaxed: the caller is counted itself, so the count can't reach zero meanwhile, and nothing is published
        if (__atomic_add_fetch(&word, n, __ATOMIC_RELAXED) < 0) [[unlikely]]
            rare();
    }

    template <class Rare>
    static void decrease(count_word& word, count_word n, Rare rare) noexcept {
        // release: pairs with the acquire of the decrease, observe or replace by which another owner finds itself the
        // last; its destructor must see all that this one did. acquire: this may be the last.
        if (__atomic_sub_fetch(&word, n, __ATOMIC_ACQ_REL) < 0) [[unlikely]]
            rare();
    }

    static bool decrease_to(count_word& word, count_word n, count_word end) noexcept {
        // acquire and release: as in decrease; who reaches `end` frees what the others have used
        return __atomic_sub_fetch(&word, n, __ATOMIC_ACQ_REL) == end;
    }

    [[nodiscard]] static count_word observe(const count_word& word) noexcept {
        // acquire: pairs with the release in decrease; a caller that finds itself alone acts on the object next
        return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
    }

    [[nodiscard]] static count_word fetch_add(count_word& word, count_word, count_word n) noexcept {
        // acquire: pairs with the release in decrease; a new owner sees what earlier owners did before they left
        return __atomic_fetch_add(&word, n, __ATOMIC_ACQUIRE);
    }

    static bool replace(count_word& word, count_word& seen, count_word value) noexcept {
        // acquire: pairs with the release in decrease; a last owner sees what earlier owners did before they left.
        // release: as in decrease, where an owner leaves by this.
        // relaxed on failure: the value is only compared and tried again.
        return __atomic_compare_exchange_n(&word, &seen, value, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }

    static void store(count_word& word, count_word value) noexcept {
        // relaxed: no stored value lets another thread destroy or free anything, so none acts on what the store orders
        __atomic_store_n(&word, value, __ATOMIC_RELAXED);
    }
};

static_assert(counting_policy<process_shared_counting>);

}  // namespace freehold::detail
