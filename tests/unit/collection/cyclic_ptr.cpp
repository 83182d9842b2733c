// What cyclic_ptr has in common with other pointers is tested in contracts/owning_pointer/.

#include <gtest/gtest.h>
#include <freehold/collection/cyclic_ptr.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/collection/cycle_collector.hpp>
#include <freehold/collection/cyclic_weak_ptr.hpp>
#include <freehold/pointers/managed_ptr.hpp>

#include "support/small_stack.hpp"
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

    cyclic_ptr<shape> neighbour;
};

struct triangle : shape {
    int corners() const override { return 3; }
    void trace(auto& visit) const { visit(neighbour, others); }

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

struct alignas(256) over_aligned : support::tracked {
    void trace(auto& visit) const { visit(next); }

    cyclic_ptr<over_aligned> next;
};

template <std::size_t Bytes, std::size_t Alignment = alignof(void*)>
struct alignas(Alignment) sized : support::tracked {
    void trace(auto& visit) const { visit(next); }

    cyclic_ptr<sized> next;
    std::array<std::byte, Bytes> bytes{};
};

struct incomplete;

struct refusing : support::tracked {
    explicit refusing(bool refuse) {
        if (refuse) throw 7;
    }
    std::string text = "constructed";
    void trace(auto&) const {}
};

class cyclic_ptr_test : public support::tracked_test {
protected:
    void SetUp() override {
        cycle_collector::collect();
        support::tracked_test::SetUp();
    }
};

// Made before any code runs.
constinit cyclic_ptr<int> constant_initialised;

// Effects: expects that objects are aligned, do not overlap, and end promptly and in cycles.
template <class T>
void expect_objects_of_any_size() {
    std::vector<cyclic_ptr<T>> owners;
    for (int i = 0; i < 20; ++i) owners.push_back(make_cyclic<T>());
    for (const auto& owner : owners) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(owner.get()) % alignof(T), 0U);
        owner->bytes.fill(std::byte(&owner - owners.data()));
        owner->next = owners[static_cast<std::size_t>(&owner - owners.data()) / 2];
    }
    for (const auto& owner : owners) {
        for (const std::byte each : owner->bytes) ASSERT_EQ(each, std::byte(&owner - owners.data()));
    }
    EXPECT_EQ(owners[0].use_count(), 3) << "owned by its variable, itself and the next";
    owners.clear();
    EXPECT_EQ(support::tracked::alive(), 1) << "the first owns itself";
    EXPECT_EQ(cycle_collector::collect(), 1U);
    EXPECT_EQ(support::tracked::alive(), 0);
}

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

TEST_F(cyclic_ptr_test, a_constant_initialised_pointer_is_null) {
    EXPECT_FALSE(constant_initialised);
    EXPECT_EQ(constant_initialised.use_count(), 0);
}

TEST_F(cyclic_ptr_test, what_is_in_no_cycle_ends_promptly) {
    auto last = make_cyclic<node>();
    auto first = make_cyclic<node>();
    first->next = last;
    last.reset();
    EXPECT_EQ(support::tracked::destroyed(), 0);
    first.reset();
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(cyclic_ptr_test, objects_that_can_not_be_in_a_cycle_are_never_candidates) {
    const auto p = make_cyclic<leaf>();
    const std::size_t before = cycle_collector::candidates();
    auto copy = p;
    copy.reset();
    EXPECT_EQ(cycle_collector::candidates(), before);
}

TEST_F(cyclic_ptr_test, an_object_that_lost_an_owner_is_a_candidate_until_it_ends) {
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

TEST_F(cyclic_ptr_test, a_pointer_to_a_base_ends_the_object_whole) {
    cyclic_ptr<shape> base = make_cyclic<triangle>();
    EXPECT_EQ(base->corners(), 3);
    EXPECT_EQ(base.use_count(), 1);
    auto other = base;
    base.reset();
    EXPECT_EQ(support::tracked::destroyed(), 0);
    other.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(cyclic_ptr_test, cycles_through_pointers_to_a_base_are_found) {
    auto p = make_cyclic<triangle>();
    auto q = make_cyclic<triangle>();
    p->neighbour = q;
    q->others.push_back(p);
    p.reset();
    q.reset();
    EXPECT_EQ(cycle_collector::collect(), 2U);
}

TEST_F(cyclic_ptr_test, a_conversion_from_an_rvalue_takes_over) {
    auto p = make_cyclic<triangle>();
    const cyclic_ptr<shape> base = std::move(p);
    EXPECT_FALSE(p);
    EXPECT_EQ(base.use_count(), 1);
}

TEST_F(cyclic_ptr_test, a_constant_object_can_be_made) {
    const auto p = make_cyclic<const leaf>();
    EXPECT_EQ(p->value, 7);
}

TEST_F(cyclic_ptr_test, objects_of_any_size_and_alignment_work) {
    expect_objects_of_any_size<sized<1>>();
    expect_objects_of_any_size<sized<24, 16>>();
    expect_objects_of_any_size<sized<300, 256>>();
    expect_objects_of_any_size<sized<5000>>();
    expect_objects_of_any_size<sized<20'000>>();
    expect_objects_of_any_size<sized<40'000>>();
    expect_objects_of_any_size<sized<200'000>>();
    expect_objects_of_any_size<sized<100, 32'768>>();
    expect_objects_of_any_size<sized<100, 65'536>>();
    expect_objects_of_any_size<sized<100, 131'072>>();
    expect_objects_of_any_size<sized<5'000'000>>();
}

TEST_F(cyclic_ptr_test, a_constructor_that_throws_leaves_nothing_behind) {
    const std::size_t before = cycle_collector::objects();
    const auto first = make_cyclic<refusing>(false);
    EXPECT_THROW(static_cast<void>(make_cyclic<refusing>(true)), int);
    EXPECT_EQ(cycle_collector::objects(), before + 1);
    EXPECT_EQ(support::tracked::alive(), 1);
    const auto next = make_cyclic<refusing>(false);
    EXPECT_EQ(next->text, "constructed");
}

TEST_F(cyclic_ptr_test, chains_of_any_length_are_destroyed_in_little_stack) {
    support::with_small_stack([] {
        constexpr int length = support::sanitized ? 1'000'000 : 10'000'000;
        cyclic_ptr<node> first;
        for (int i = 0; i < length; ++i) {
            auto added = make_cyclic<node>();
            added->next = std::move(first);
            first = std::move(added);
        }
        first.reset();
        EXPECT_EQ(support::tracked::destroyed(), length);
    });
}

TEST_F(cyclic_ptr_test, cycles_of_any_length_are_collected_in_little_stack) {
    support::with_small_stack([] {
        constexpr int length = support::sanitized ? 1'000'000 : 10'000'000;
        auto last = make_cyclic<node>();
        auto first = last;
        for (int i = 1; i < length; ++i) {
            auto added = make_cyclic<node>();
            added->next = std::move(first);
            first = std::move(added);
        }
        last->next = std::move(first);
        last.reset();
        EXPECT_EQ(cycle_collector::collect(), static_cast<std::size_t>(length));
        EXPECT_EQ(support::tracked::destroyed(), length);
    });
}

TEST_F(cyclic_ptr_test, a_shared_ptr_can_keep_a_root) {
    auto p = make_cyclic<node>();
    p->next = make_cyclic<node>();
    p->next->next = p;
    freehold::shared_ptr<node> root = freehold::shared_root(p);
    EXPECT_EQ(root.get(), p.get());
    p.reset();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    EXPECT_EQ(support::tracked::destroyed(), 0);
    root.reset();
    EXPECT_EQ(cycle_collector::collect(), 2U);
    EXPECT_FALSE(freehold::shared_root(cyclic_ptr<node>()));
}

TEST_F(cyclic_ptr_test, a_cyclic_object_may_hold_other_owners) {
    struct holder {
        cyclic_ptr<holder> self;
        freehold::shared_ptr<leaf> shared = freehold::make_shared<leaf>();
        freehold::managed_ptr<leaf> managed = freehold::managed_ptr<leaf>(new leaf);
        std::unique_ptr<leaf> unique = std::make_unique<leaf>();
    };
    auto p = make_cyclic<holder>();
    p->self = p;
    EXPECT_EQ(support::tracked::alive(), 3);
    p.reset();
    EXPECT_EQ(cycle_collector::collect(), 1U);
    EXPECT_EQ(support::tracked::destroyed(), 3);
}

TEST_F(cyclic_ptr_test, a_thread_that_ends_collects_its_cycles) {
    std::thread([] {
        auto p = make_cyclic<node>();
        p->next = p;
    }).join();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(cyclic_ptr_test, an_owner_that_ends_after_its_thread_has_collected_may_release) {
    std::thread([] {
        // Begins before the thread knows of cycles, so it ends later.
        thread_local cyclic_ptr<node> late;
        thread_local cyclic_weak_ptr<node> observer;
        late = make_cyclic<node>();
        late->next = make_cyclic<node>();
        observer = late;
    }).join();
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(cyclic_ptr_test, its_hash_is_that_of_the_address) {
    const auto p = make_cyclic<leaf>();
    EXPECT_EQ(std::hash<cyclic_ptr<leaf>>()(p), std::hash<leaf*>()(p.get()));
}
