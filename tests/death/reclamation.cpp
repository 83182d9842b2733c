#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <atomic>
#include <mutex>

#include "support/precondition.hpp"

namespace {

struct hazardous : freehold::hazard_pointer_obj_base<hazardous> {};

struct rcu_object : freehold::rcu_obj_base<rcu_object> {};

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
    EXPECT_PRECONDITION(freehold::rcu_default_domain().unlock(), "detail::rcu_thread::is_open\\(\\)");
}

TEST(reclamation_death, a_thread_does_not_wait_for_its_own_region) {
    const std::scoped_lock region(freehold::rcu_default_domain());
    EXPECT_PRECONDITION(freehold::rcu_synchronize(), "!thread::is_open\\(\\)");
    EXPECT_PRECONDITION(freehold::rcu_barrier(), "!thread::is_open\\(\\)");
}

TEST(reclamation_death, regions_nest_a_million_times) {
    const auto nest = [] {
        for (int i = 0; i != 1 << 20; ++i) freehold::rcu_default_domain().lock();
    };
    EXPECT_PRECONDITION(nest(), "open_in\\(\\*mine\\) != readers_type::regions");
}
