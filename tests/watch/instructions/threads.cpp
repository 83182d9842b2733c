// What several threads read and replace: atomic pointers, hazard pointers, RCU.

#include <freehold/pointers.hpp>

#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <atomic>
#include <mutex>

#include "row.hpp"

using watch::keep;
using watch::row;

namespace {

struct hazardous : freehold::hazard_pointer_obj_base<hazardous> {
    int value = 1;
};

struct rcu_object : freehold::rcu_obj_base<rcu_object> {
    int value = 1;
};

void atomic_pointers() {
    freehold::atomic_shared_ptr<int> shared(freehold::make_shared<int>(1));
    row("atomic_shared_ptr snapshot", [&shared] {
        auto read = shared.snapshot();
        keep(read);
    });
    row("atomic_shared_ptr load, destroy", [&shared] {
        auto read = shared.load();
        keep(read);
    });
    freehold::cached_snapshot cached(shared);
    row("cached_snapshot read", [&cached] {
        int value = *cached;
        keep(value);
    });
    row(
        "atomic_shared_ptr 1000 stores, flush",
        [&shared] {
            for (int i = 0; i < 1000; ++i) shared.store(freehold::make_shared<int>(i));
            freehold::flush_deferred_releases();
        },
        4);
    row(
        "atomic_shared_ptr 1000 compare_exchanges, flush",
        [&shared] {
            for (int i = 0; i < 1000; ++i) {
                auto expected = shared.snapshot();
                shared.compare_exchange_strong(expected, freehold::make_shared<int>(i));
            }
            freehold::flush_deferred_releases();
        },
        4);
    row("atomic_shared_ptr make, destroy", [] {
        freehold::atomic_shared_ptr<int> made(freehold::make_shared<int>(1));
        keep(made);
    });
}

void hazard_pointers() {
    hazardous object;
    std::atomic<hazardous*> source = &object;
    freehold::hazard_pointer hazard = freehold::make_hazard_pointer();
    row("hazard_pointer protect, reset", [&source, &hazard] {
        int value = hazard.protect(source)->value;
        keep(value);
        hazard.reset_protection();
    });
    row("hazard_pointer make, protect, destroy", [&source] {
        freehold::hazard_pointer made = freehold::make_hazard_pointer();
        int value = made.protect(source)->value;
        keep(value);
    });
    row(
        "hazard_pointer 1000 retirements, clean up",
        [] {
            for (int i = 0; i < 1000; ++i) (new hazardous)->retire();
            freehold::hazard_pointer_clean_up();
        },
        4);
}

void rcu() {
    rcu_object object;
    std::atomic<rcu_object*> source = &object;
    row("rcu_domain region", [&source] {
        const std::scoped_lock region(freehold::rcu_default_domain());
        int value = source.load(std::memory_order_acquire)->value;
        keep(value);
    });
    row(
        "rcu_domain 1000 retirements, barrier",
        [] {
            for (int i = 0; i < 1000; ++i) (new rcu_object)->retire();
            freehold::rcu_barrier();
        },
        4);
    row("rcu_synchronize", [] { freehold::rcu_synchronize(); }, 100);
}

}  // namespace

int main(int argc, char**) {
    return watch::in_state(argc, [] {
        atomic_pointers();
        hazard_pointers();
        rcu();
    });
}
