// Hazard pointers and RCU when memory is exhausted.

#include <gtest/gtest.h>
#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <atomic>
#include <cstdint>
#include <latch>
#include <mutex>
#include <new>
#include <span>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/limited_new.hpp"

namespace {

struct hazardous : freehold::hazard_pointer_obj_base<hazardous> {};
struct rcu_object : freehold::rcu_obj_base<rcu_object> {};

}  // namespace

TEST(reclamation_failure, the_first_64_hazard_pointers_need_no_memory) {
    const support::limited_new limit(0);
    freehold::hazard_pointer made[64];
    for (freehold::hazard_pointer& each : made) each = freehold::make_hazard_pointer();
    EXPECT_THROW(static_cast<void>(freehold::make_hazard_pointer()), std::bad_alloc);
    made[0] = freehold::hazard_pointer();
    EXPECT_FALSE(freehold::make_hazard_pointer().empty());
}

TEST(reclamation_failure, a_batch_that_throws_makes_no_hazard_pointer) {
    const support::limited_new limit(0);
    freehold::hazard_pointer others[50];
    for (freehold::hazard_pointer& each : others) each = freehold::make_hazard_pointer();
    freehold::hazard_pointer batch[20];
    batch[1] = freehold::make_hazard_pointer();
    EXPECT_THROW(freehold::make_hazard_pointer_batch(batch), std::bad_alloc);
    for (const freehold::hazard_pointer& each : batch) EXPECT_EQ(each.empty(), &each != &batch[1]);
    EXPECT_LE(freehold::detail::hazard_pointers::kept, freehold::detail::hazard_pointers::max_kept);
    freehold::make_hazard_pointer_batch(std::span(batch).first(14));  // the 13 that were left are there again
    for (const freehold::hazard_pointer& each : std::span(batch).first(14)) EXPECT_FALSE(each.empty());
    EXPECT_THROW(freehold::make_hazard_pointer_batch(batch), std::bad_alloc);
}

TEST(reclamation_failure, retiring_allocates_nothing) {
    std::vector<hazardous*> objects;
    std::vector<rcu_object*> others;
    for (int i = 0; i < 40'000; ++i) {
        objects.push_back(new hazardous);
        others.push_back(new rcu_object);
    }
    const support::limited_new limit(0);
    for (hazardous* const object : objects) object->retire();
    for (rcu_object* const other : others) other->retire();
    freehold::hazard_pointer_clean_up();
    freehold::rcu_barrier();
}

TEST(reclamation_failure, nothing_is_scheduled_if_rcu_retire_throws) {
    int object = 0;
    const auto set = [](int* p) { *p = 1; };
    {
        const support::limited_new limit(0);
        EXPECT_THROW(freehold::rcu_retire(&object, set), std::bad_alloc);
    }
    freehold::rcu_barrier();
    EXPECT_EQ(object, 0);
}

TEST(reclamation_failure, regions_protect_without_memory) {
    constexpr int threads = 80;  // more than there are slots that need no memory
    std::latch opened(threads);
    std::latch retired(1);
    std::atomic<rcu_object*> current = new rcu_object;
    std::atomic<int> deleted = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < threads; ++i) {
        readers.emplace_back([&] {
            const support::limited_new limit(0);
            const std::scoped_lock region(freehold::rcu_default_domain());
            opened.count_down();
            retired.wait();
        });
    }
    opened.wait();
    freehold::rcu_retire(current.load(), [&deleted](rcu_object* object) {
        delete object;
        ++deleted;
    });
    for (int i = 0; i < 40'000; ++i) (new rcu_object)->retire();
    EXPECT_EQ(deleted, 0);
    retired.count_down();
    for (std::thread& reader : readers) reader.join();
    freehold::rcu_barrier();
    EXPECT_EQ(deleted, 1);
}

TEST(reclamation_failure, a_child_has_the_region_that_its_thread_had_open_without_memory) {
    using thread = freehold::detail::rcu_thread;
    int status = -1;
    std::thread([&status] {
        const support::limited_new limit(0);
        while (thread::shards.readers.all_slots.acquire() != nullptr) {
        }
        const std::scoped_lock region(freehold::rcu_default_domain());
        status = support::in_child([] {
            thread::readers_type::grace_period grace(thread::shards.begin_scan());
            return thread::mine == nullptr && !grace.has_ended(thread::shards.readers, ~std::uint32_t{0}) ? 0 : 1;
        });
    }).join();
    EXPECT_EQ(status, 0);
}
