// What cyclic_ptr has in common with other pointers is tested in contracts/owning_pointer/, and what it has in common
// with those of a shared heap in contracts/cyclic_collection/.

#include <gtest/gtest.h>
#include <freehold/cyclic/cyclic_ptr.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>

#include "support/flat_map.hpp"
#include "support/thread_locals.hpp"
#include "support/tracked.hpp"

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::cyclic_weak_ptr;
using freehold::make_cyclic;

namespace {

struct node {
    cyclic_ptr<node> next;
    support::tracked part;

    void trace(auto& visit) const { visit(next); }
};

struct leaf {
    support::tracked part;
    int value = 7;
};

struct shape : support::tracked {
    shape() = default;
    shape(const shape&) = delete;
    shape& operator=(const shape&) = delete;
    virtual ~shape() = default;
    virtual int corners() const = 0;

    cyclic_ptr<shape> neighbor;
};

struct triangle : shape {
    int corners() const override { return 3; }
    void trace(auto& visit) const { visit(neighbor, others); }

    std::vector<cyclic_ptr<shape>> others;
};

struct other_base {
    virtual ~other_base() = default;
    long padding = 0;
};

struct beside : other_base, leaf {};
struct second : other_base, triangle {};
struct virtually : virtual triangle {};
struct without_virtual_destructor {
    int value = 0;
};
struct of_that : without_virtual_destructor {};

struct incomplete;

class cyclic_ptr_test : public support::tracked_test {
protected:
    void SetUp() override {
        cycle_collector::collect();
        support::tracked_test::SetUp();
    }
};

// Made before any code runs.
constinit cyclic_ptr<int> constant_initialized;

}  // namespace

static_assert(sizeof(cyclic_ptr<int>) == sizeof(void*));
static_assert(sizeof(cyclic_ptr<incomplete>) == sizeof(void*), "a handle may be named before its object is known");

static_assert(freehold::may_be_in_cycle<node>);
static_assert(!freehold::may_be_in_cycle<leaf>);
static_assert(!freehold::may_be_in_cycle<std::string>);

static_assert(!std::is_constructible_v<cyclic_ptr<int>, int*>, "it owns only what make_cyclic made");
static_assert(std::is_convertible_v<cyclic_ptr<node>, cyclic_ptr<const node>>);
static_assert(!std::is_convertible_v<cyclic_ptr<const node>, cyclic_ptr<node>>);
static_assert(std::is_convertible_v<cyclic_ptr<triangle>, cyclic_ptr<shape>>);
static_assert(std::is_convertible_v<cyclic_ptr<triangle>, cyclic_ptr<const shape>>);
static_assert(!std::is_convertible_v<cyclic_ptr<shape>, cyclic_ptr<triangle>>);
static_assert(!std::is_convertible_v<cyclic_ptr<second>, cyclic_ptr<shape>>, "its header does not stand before it");
static_assert(std::is_convertible_v<cyclic_ptr<second>, cyclic_ptr<other_base>>);
static_assert(!std::is_convertible_v<cyclic_ptr<virtually>, cyclic_ptr<shape>>, "nor before a virtual base");
static_assert(!std::is_convertible_v<cyclic_ptr<of_that>, cyclic_ptr<without_virtual_destructor>>, "it is not exact");
static_assert(!std::is_convertible_v<cyclic_ptr<int>, bool>);

static_assert(std::is_nothrow_default_constructible_v<cyclic_ptr<node>>);
static_assert(std::is_nothrow_copy_constructible_v<cyclic_ptr<node>>);
static_assert(std::is_nothrow_move_constructible_v<cyclic_ptr<node>>);
static_assert(std::is_nothrow_copy_assignable_v<cyclic_ptr<node>>);
static_assert(std::is_nothrow_move_assignable_v<cyclic_ptr<node>>);
static_assert(std::is_nothrow_swappable_v<cyclic_ptr<node>>);

namespace {

struct folder {
    std::filesystem::path path;
    support::flat_map<int, cyclic_ptr<folder>> folders = {};
    support::tracked counted = {};
};

}  // namespace

TEST_F(cyclic_ptr_test, a_cycle_behind_a_proxy_is_collected) {
    cyclic_ptr<folder> top = freehold::make_cyclic<folder>("top");
    top->folders[1] = freehold::make_cyclic<folder>("below");
    top->folders[1]->folders[0] = top;
    cycle_collector::collect();
    EXPECT_EQ(support::tracked::alive(), 2);
    EXPECT_EQ(top->folders[1]->path, "below");
    top = nullptr;
    cycle_collector::collect();
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_ptr_test, a_literal_0_is_null) {
    cyclic_ptr<int> p(0);
    p = 0;
    EXPECT_FALSE(p);
}

TEST_F(cyclic_ptr_test, a_constant_initialized_pointer_is_null) {
    EXPECT_FALSE(constant_initialized);
    EXPECT_EQ(constant_initialized.use_count(), 0);
}

TEST_F(cyclic_ptr_test, objects_that_can_not_be_in_a_cycle_are_never_candidates) {
    const auto p = make_cyclic<leaf>();
    const std::size_t before = cycle_collector::candidates();
    auto copy = p;
    copy.reset();
    EXPECT_EQ(cycle_collector::candidates(), before);
}

TEST_F(cyclic_ptr_test, an_object_that_lost_an_owner_is_a_candidate_until_it_is_destroyed) {
    const std::size_t before = cycle_collector::candidates();
    auto p = make_cyclic<node>();
    auto q = make_cyclic<node>();
    auto copy_of_p = p;
    auto copy_of_q = q;
    copy_of_p.reset();
    copy_of_q.reset();
    EXPECT_EQ(cycle_collector::candidates(), before + 2);
    p.reset();
    EXPECT_EQ(cycle_collector::candidates(), before + 1);
    q.reset();
    EXPECT_EQ(cycle_collector::candidates(), before);
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(cyclic_ptr_test, a_thread_that_exits_collects_its_cycles) {
    std::thread([] {
        auto p = make_cyclic<node>();
        p->next = p;
    }).join();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(cyclic_ptr_test, an_owner_may_release_after_its_thread_has_collected_at_exit) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    std::thread([] {
        // Begins before the thread knows of cycles, so it ends later.
        thread_local cyclic_ptr<node> late;
        thread_local cyclic_weak_ptr<node> weak;
        late = make_cyclic<node>();
        late->next = make_cyclic<node>();
        weak = late;
    }).join();
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(cyclic_ptr_test, its_hash_is_that_of_the_address) {
    const auto p = make_cyclic<leaf>();
    EXPECT_EQ(std::hash<cyclic_ptr<leaf>>()(p), std::hash<leaf*>()(p.get()));
}
