#pragma once
// What the program and the library of with_a_library_that_stores.cpp each do with atomic pointers of either.

#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

namespace builds {

using number = freehold::shared_ptr<const int>;
using atomic_number = freehold::atomic_shared_ptr<const int>;

struct module {
    // Effects: stores an owner of the same object, which points to another number.
    void (*store_alias)(atomic_number& shared, const number& owner, const int* points_to);
    void (*store)(atomic_number& shared, number value);
    int (*read)(const atomic_number& shared);
    void (*flush)();
    bool (*pays_no_fence)();  // returns whether the readers of this module's atomic pointers pay none
};

inline module this_module() {
    return {[](atomic_number& shared, const number& owner, const int* points_to) {
                shared.store(number(owner, points_to));
            },
            [](atomic_number& shared, number value) { shared.store(std::move(value)); },
            [](const atomic_number& shared) { return *shared.snapshot(); }, [] { freehold::flush_deferred_releases(); },
            [] { return freehold::detail::atomic_pointers.barrier.is_asymmetric(); }};
}

}  // namespace builds
