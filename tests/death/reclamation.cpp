#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <atomic>
#include <mutex>

#include "support/precondition.hpp"

namespace {

struct hazardous : freehold::hazard_pointer_obj_base<hazardous> {
    ~hazardous() {
        if (cleans_up) freehold::hazard_pointer_clean_up();
    }

    bool cleans_up = false;
};

struct rcu_object : freehold::rcu_obj_base<rcu_object> {
    ~rcu_object() {
        if (waits) freehold::rcu_barrier();
    }

    bool waits = false;
};

}  // namespace

TEST(reclamation_death, an_empty_hazard_pointer_protects_nothing) {
    freehold::hazard_pointer empty;
    const std::atomic<hazardous*> source = nullptr;
    EXPECT_PRECONDITION(empty.protect(source), "!empty\\(\\)");
    EXPECT_PRECONDITION(empty.reset_protection(), "!empty\\(\\)");
}

TEST(reclamation_death, an_object_is_retired_once) {
    hazardous* const object = new hazardous;
    rcu_object* const other = new rcu_object;
    freehold::hazard_pointer h = freehold::make_hazard_pointer();
    h.reset_protection(object);
    object->retire();
    EXPECT_PRECONDITION(object->retire(), "reclaim == nullptr");
    h.reset_protection();
    freehold::hazard_pointer_clean_up();
    freehold::rcu_default_domain().lock();
    other->retire();
    EXPECT_PRECONDITION(other->retire(), "reclaim == nullptr");
    freehold::rcu_default_domain().unlock();
    freehold::rcu_barrier();
}

TEST(reclamation_death, a_region_is_closed_once) {
    EXPECT_PRECONDITION(freehold::rcu_default_domain().unlock(), "detail::rcu_thread::regions != 0");
}

TEST(reclamation_death, a_thread_does_not_wait_for_its_own_region) {
    const std::scoped_lock region(freehold::rcu_default_domain());
    EXPECT_PRECONDITION(freehold::rcu_synchronize(), "thread::regions == 0");
    EXPECT_PRECONDITION(freehold::rcu_barrier(), "thread::regions == 0");
}

TEST(reclamation_death, a_deleter_does_not_wait_for_itself) {
    const auto clean_up = [] {
        hazardous* const object = new hazardous;
        object->cleans_up = true;
        object->retire();
        freehold::hazard_pointer_clean_up();
    };
    EXPECT_PRECONDITION(clean_up(), "!shared::retiring.is_reclaiming");
    const auto wait = [] {
        rcu_object* const object = new rcu_object;
        object->waits = true;
        object->retire();
        freehold::rcu_barrier();
    };
    EXPECT_PRECONDITION(wait(), "!thread::retiring.is_reclaiming");
}
