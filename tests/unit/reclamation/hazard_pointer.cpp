// What hazard pointers and RCU have in common is tested in contracts/reclamation_domain.

#include <gtest/gtest.h>
#include <freehold/reclamation/hazard_pointer.hpp>

#include <array>
#include <atomic>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

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
static_assert(!noexcept(freehold::make_hazard_pointer_batch(std::span<hazard_pointer>())));
static_assert(noexcept(freehold::clear_hazard_pointer_batch(std::span<hazard_pointer>())));
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

TEST(hazard_pointer, protects_nothing_when_it_has_tried_in_vain) {
    int alive = 0;
    counted* const first = new counted(alive);
    counted second(alive);
    const std::atomic<counted*> source = &second;
    hazard_pointer h = make_hazard_pointer();
    counted* seen = first;
    EXPECT_FALSE(h.try_protect(seen, source));
    first->retire();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 1);
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

TEST(hazard_pointer, a_batch_makes_the_empty_ones_and_leaves_the_others) {
    int alive = 0;
    std::array<counted*, 12> objects;  // more than a thread keeps
    for (counted*& each : objects) each = new counted(alive);
    std::array<hazard_pointer, 12> batch;
    batch[1] = make_hazard_pointer();
    batch[1].reset_protection(objects[1]);
    freehold::make_hazard_pointer_batch(batch);
    for (const hazard_pointer& each : batch) EXPECT_FALSE(each.empty());
    for (std::size_t i = 0; i < objects.size(); ++i) {
        if (i != 1) batch[i].reset_protection(objects[i]);
    }
    for (counted* const each : objects) each->retire();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 12) << "each protects an object of its own";
    batch[2] = hazard_pointer();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 11);
    freehold::clear_hazard_pointer_batch(batch);
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

TEST(hazard_pointer, a_batch_is_cleared_with_its_protections) {
    int alive = 0;
    std::array<hazard_pointer, 3> batch;
    freehold::make_hazard_pointer_batch(std::span(batch).first(2));
    EXPECT_TRUE(batch[2].empty());
    for (hazard_pointer& each : std::span(batch).first(2)) {
        counted* const object = new counted(alive);
        each.reset_protection(object);
        object->retire();
    }
    freehold::clear_hazard_pointer_batch(batch);
    for (const hazard_pointer& each : batch) EXPECT_TRUE(each.empty());
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
    freehold::clear_hazard_pointer_batch(batch);
    freehold::make_hazard_pointer_batch({});
}

// The thread retires enough for a scan to look at them, and the others find what that has left.
TEST(hazard_pointer, what_it_protected_is_deleted_by_other_threads_than_that_which_retired_it) {
    int alive = 0;
    int others = 0;
    const auto retire_others = [&others] {
        for (int i = 0; i < 100'000; ++i) (new counted(others))->retire();
    };
    retire_others();
    std::atomic<counted*> source = new counted(alive);
    hazard_pointer h = make_hazard_pointer();
    h.protect(source);
    std::thread([&] {
        source.exchange(nullptr)->retire();
        for (int i = 0; i < 300; ++i) (new counted(alive))->retire();
    }).join();
    retire_others();
    EXPECT_EQ(alive, 1);
    h.reset_protection();
    retire_others();
    EXPECT_EQ(alive, 0);
    freehold::hazard_pointer_clean_up();  // they refer to `others`
}

// The thread that has cleaned up retires nothing more.
TEST(hazard_pointer, what_a_clean_up_has_found_protected_is_deleted_by_other_threads) {
    int alive = 0;
    int others = 0;
    std::atomic<counted*> source = new counted(alive);
    hazard_pointer h = make_hazard_pointer();
    h.protect(source);
    std::thread([&source] {
        source.exchange(nullptr)->retire();
        freehold::hazard_pointer_clean_up();
    }).join();
    EXPECT_EQ(alive, 1);
    h.reset_protection();
    for (int i = 0; i < 100'000; ++i) (new counted(others))->retire();
    EXPECT_EQ(alive, 0);
    freehold::hazard_pointer_clean_up();  // they refer to `others`
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
