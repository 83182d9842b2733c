#include <gtest/gtest.h>
#include <freehold/reclamation/hazard_pointer.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/key_destructor.hpp"

namespace {

using freehold::hazard_pointer;
using freehold::make_hazard_pointer;

struct counted : freehold::hazard_pointer_obj_base<counted> {
    explicit counted(int& count) : alive(count) { ++alive; }
    counted(const counted& other) : hazard_pointer_obj_base(other), alive(other.alive) { ++alive; }
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }

    int& alive;
};

// The standard's: objects are neither copied nor made from slots, and all but make_hazard_pointer is noexcept.
static_assert(std::is_nothrow_default_constructible_v<hazard_pointer>);
static_assert(std::is_nothrow_move_constructible_v<hazard_pointer> &&
              std::is_nothrow_move_assignable_v<hazard_pointer>);
static_assert(!std::is_copy_constructible_v<hazard_pointer> && !std::is_copy_assignable_v<hazard_pointer>);
static_assert(std::is_nothrow_swappable_v<hazard_pointer>);
static_assert(!noexcept(make_hazard_pointer()));
static_assert(noexcept(std::declval<counted&>().retire()));
static_assert(noexcept(std::declval<hazard_pointer&>().protect(std::declval<std::atomic<counted*>&>())));
static_assert(noexcept(std::declval<hazard_pointer&>().try_protect(std::declval<counted*&>(),
                                                                   std::declval<std::atomic<counted*>&>())));
static_assert(noexcept(std::declval<hazard_pointer&>().reset_protection(nullptr)));

}  // namespace

TEST(hazard_pointer, is_empty_unless_it_is_made) {
    const hazard_pointer empty;
    EXPECT_TRUE(empty.empty());
    EXPECT_FALSE(make_hazard_pointer().empty());
}

TEST(hazard_pointer, protects_what_the_source_points_to_until_it_is_reset) {
    int alive = 0;
    std::atomic<counted*> source = new counted(alive);
    hazard_pointer h = make_hazard_pointer();
    counted* const seen = h.protect(source);
    EXPECT_EQ(seen, source.load());
    source.exchange(nullptr)->retire();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 1);
    h.reset_protection();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

TEST(hazard_pointer, protects_nothing_if_the_source_is_null) {
    const std::atomic<counted*> source = nullptr;
    hazard_pointer h = make_hazard_pointer();
    EXPECT_EQ(h.protect(source), nullptr);
}

TEST(hazard_pointer, tries_to_protect_what_was_seen_before) {
    int alive = 0;
    counted* const first = new counted(alive);
    counted* const second = new counted(alive);
    std::atomic<counted*> source = second;
    hazard_pointer h = make_hazard_pointer();
    counted* seen = first;
    EXPECT_FALSE(h.try_protect(seen, source));
    EXPECT_EQ(seen, second);
    EXPECT_TRUE(h.try_protect(seen, source));
    first->retire();
    second->retire();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 1);
    h.reset_protection(nullptr);
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

TEST(hazard_pointer, protects_one_object_at_a_time) {
    int alive = 0;
    counted* const first = new counted(alive);
    counted* const second = new counted(alive);
    hazard_pointer h = make_hazard_pointer();
    h.reset_protection(first);
    h.reset_protection(second);
    first->retire();
    second->retire();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 1);
    h.reset_protection(static_cast<counted*>(nullptr));
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

TEST(hazard_pointer, takes_its_protection_along_when_it_is_moved_or_swapped) {
    int alive = 0;
    counted* const object = new counted(alive);
    hazard_pointer first = make_hazard_pointer();
    first.reset_protection(object);
    hazard_pointer second(std::move(first));
    EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): it is specified
    hazard_pointer third = make_hazard_pointer();
    swap(second, third);
    hazard_pointer& same = third;
    third = std::move(same);
    object->retire();
    second = hazard_pointer();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 1);
    third = std::move(second);
    EXPECT_TRUE(third.empty());
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

TEST(hazard_pointer, ends_its_protection_when_it_is_destroyed) {
    int alive = 0;
    counted* const object = new counted(alive);
    {
        hazard_pointer h = make_hazard_pointer();
        h.reset_protection(object);
        object->retire();
        freehold::hazard_pointer_clean_up();
        EXPECT_EQ(alive, 1);
    }
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

TEST(hazard_pointer, protects_an_object_through_any_number_of_others) {
    constexpr int many = 3000;  // several times what one look at the hazard pointers can remember
    int alive = 0;
    std::vector<hazard_pointer> protections;
    std::vector<counted*> objects;
    for (int i = 0; i < many; ++i) {
        protections.push_back(make_hazard_pointer());
        objects.push_back(new counted(alive));
        protections.back().reset_protection(objects.back());
    }
    for (counted* const object : objects) object->retire();
    for (int i = 0; i < many; ++i) (new counted(alive))->retire();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, many);
    protections.clear();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

TEST(hazard_pointer, bounds_what_is_not_reclaimed) {
    int alive = 0;
    int most = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        (new counted(alive))->retire();
        most = std::max(most, alive);
    }
    EXPECT_LE(most, 2 * 16'384 + 256);
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

namespace {

struct large : freehold::hazard_pointer_obj_base<large> {
    explicit large(int& count) : alive(count) { ++alive; }
    large(const large&) = delete;
    large& operator=(const large&) = delete;
    ~large() { --alive; }

    int& alive;
    char bytes[1 << 20];
};

}  // namespace

TEST(hazard_pointer, keeps_fewer_objects_if_they_are_large) {
    int alive = 0;
    int most = 0;
    for (int i = 0; i < 100; ++i) {
        (new large(alive))->retire();
        most = std::max(most, alive);
    }
    EXPECT_LE(most, 9);  // 8 MiB in all
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

namespace {

// A list whose nodes retire the next one when they are destroyed.
struct node : freehold::hazard_pointer_obj_base<node> {
    node(int& count, node* after) : alive(count), next(after) { ++alive; }
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    ~node() {
        --alive;
        if (next != nullptr) next->retire();
    }

    int& alive;
    node* next;
};

}  // namespace

TEST(hazard_pointer, reclaims_a_long_list_without_recursion) {
    int alive = 0;
    node* first = nullptr;
    for (int i = 0; i < 10'000; ++i) first = new node(alive, first);
    first->retire();
    while (alive != 0) freehold::hazard_pointer_clean_up();
}

namespace {

struct recorded;

struct recorder {
    void operator()(recorded* object) const { *last = object; }

    recorded** last = nullptr;
};

struct other_base {
    virtual ~other_base() = default;
};

// The base is not at the object's address.
struct recorded : other_base, freehold::hazard_pointer_obj_base<recorded, recorder> {};

}  // namespace

TEST(hazard_pointer, calls_the_deleter_that_retire_was_given) {
    recorded object;
    recorded* last = nullptr;
    hazard_pointer h = make_hazard_pointer();
    h.reset_protection(&object);
    object.retire(recorder{&last});
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(last, nullptr);
    h.reset_protection();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(last, &object);
}

TEST(hazard_pointer, a_copy_of_a_retired_object_is_not_retired) {
    int alive = 0;
    counted* const object = new counted(alive);
    hazard_pointer h = make_hazard_pointer();
    h.reset_protection(object);
    object->retire();
    (new counted(*object))->retire();
    h.reset_protection();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

TEST(hazard_pointer, can_be_used_by_the_last_destructors_of_a_thread) {
    int alive = 0;
    const support::key_destructor last([&alive] {
        hazard_pointer h = make_hazard_pointer();
        counted* const object = new counted(alive);
        h.reset_protection(object);
        object->retire();
    });
    std::thread([&last] {
        last.arm();
        static_cast<void>(make_hazard_pointer());
    }).join();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

TEST(hazard_pointer, is_reused_by_other_threads) {
    // Otherwise 10,000 threads would make as many.
    int alive = 0;
    const auto made = [] { return freehold::detail::hazard_pointers::lanes.readers.slots.size(); };
    const auto before = made();
    for (int i = 0; i < 10'000; ++i) {
        std::thread([&alive] {
            hazard_pointer h = make_hazard_pointer();
            counted* const object = new counted(alive);
            h.reset_protection(object);
            object->retire();
        }).join();
    }
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
    EXPECT_LE(made(), before + 1);
}
