#pragma once
// What the program and the library of with_a_library_that_retires.cpp each do with objects that they share.

#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <atomic>
#include <mutex>

namespace builds {

struct hazardous : freehold::hazard_pointer_obj_base<hazardous> {
    hazardous() = default;
    hazardous(const hazardous&) = delete;
    hazardous& operator=(const hazardous&) = delete;
    ~hazardous() { value = 0; }

    std::atomic<int> value = 1;
};

struct rcu_object : freehold::rcu_obj_base<rcu_object> {
    rcu_object() = default;
    rcu_object(const rcu_object&) = delete;
    rcu_object& operator=(const rcu_object&) = delete;
    ~rcu_object() { value = 0; }

    std::atomic<int> value = 1;
};

struct shared_objects {
    std::atomic<hazardous*> first = nullptr;
    std::atomic<rcu_object*> second = nullptr;
};

struct module {
    void (*replace)(shared_objects& shared);
    bool (*read)(const shared_objects& shared);  // returns whether both are alive
    void (*clean_up)();
    void (*open_region)();
    void (*close_region)();
};

inline module this_module() {
    return {[](shared_objects& shared) {
                if (hazardous* const old = shared.first.exchange(new hazardous)) old->retire();
                if (rcu_object* const old = shared.second.exchange(new rcu_object)) old->retire();
            },
            [](const shared_objects& shared) {
                freehold::hazard_pointer h = freehold::make_hazard_pointer();
                const std::scoped_lock region(freehold::rcu_default_domain());
                const hazardous* const first = h.protect(shared.first);
                const rcu_object* const second = shared.second.load(std::memory_order_acquire);
                for (int i = 0; i < 10; ++i) {
                    if (first->value != 1 || second->value != 1) return false;
                }
                return true;
            },
            [] {
                freehold::hazard_pointer_clean_up();
                freehold::rcu_barrier();
            },
            [] { freehold::rcu_default_domain().lock(); }, [] { freehold::rcu_default_domain().unlock(); }};
}

}  // namespace builds
