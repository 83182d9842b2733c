#include <gtest/gtest.h>
#include <freehold/interop/shared_memory.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/child.hpp"
#include "support/shared_segment.hpp"
#include "support/tracked.hpp"

namespace shm = freehold::shared_memory;

using support::shared_segment;

namespace {

struct node : support::tracked {
    explicit node(int number = 0, shm::shared_ptr<node> following = {}) : value(number), next(std::move(following)) {}

    int value;
    shm::shared_ptr<node> next;
};

// A segment that this process maps twice, with a pool and some handles of all processes.
class shared_memory : public support::tracked_test {
protected:
    template <class... Arguments>
    shm::shared_ptr<node> make(Arguments&&... arguments) {
        return shm::make_shared<node>(pool, std::forward<Arguments>(arguments)...);
    }

    // Returns: all objects that the pool has room for.
    template <class T>
    static std::vector<shm::shared_ptr<T>> fill(shm::pool& filled) {
        std::vector<shm::shared_ptr<T>> all;
        try {
            for (;;) all.push_back(shm::make_shared<T>(filled));
        } catch (const std::bad_alloc&) {
        }
        return all;
    }

    shared_segment segment{64 * 1024};
    shared_segment again{segment};
    shm::pool& pool = segment.make<shm::pool>(segment, 4096);
    shm::shared_ptr<node>& root = segment.make<shm::shared_ptr<node>>();
    shm::weak_ptr<node>& watch = segment.make<shm::weak_ptr<node>>();
    shm::shared_ptr<node>& root_again = again.here(root, segment);
};

}  // namespace

TEST_F(shared_memory, a_handle_in_the_segment_is_right_wherever_the_segment_is_mapped) {
    ASSERT_NE(segment.get_address(), again.get_address());
    root = make(1, make(2));
    EXPECT_EQ(root_again->value, 1);
    EXPECT_EQ(root_again->next->value, 2);
    EXPECT_NE(root_again.get(), root.get());
    EXPECT_EQ(root_again.get(), &again.here(*root, segment));
    root_again->next->value = 3;
    EXPECT_EQ(root->next->value, 3);
    root_again.reset();
    EXPECT_EQ(root, nullptr);
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(shared_memory, a_handle_is_a_word) {
    EXPECT_EQ(sizeof(shm::shared_ptr<node>), 8U);
    EXPECT_EQ(sizeof(shm::weak_ptr<node>), 8U);
}

TEST_F(shared_memory, owners_are_counted_wherever_they_are) {
    root = make(1);
    const shm::shared_ptr<node> outside = root;
    const shm::shared_ptr<node> through_the_other_mapping = root_again;
    EXPECT_EQ(root.use_count(), 3);
    EXPECT_EQ(root_again.use_count(), 3);
    root.reset();
    EXPECT_EQ(outside->value, 1);
    EXPECT_EQ(outside.use_count(), 2);
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

TEST_F(shared_memory, moves_take_over_and_assignments_release) {
    shm::shared_ptr<node> first = make(1);
    shm::shared_ptr<node> second = std::move(first);
    EXPECT_EQ(first, nullptr);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(second.use_count(), 1);
    first = make(2);
    second = first;
    EXPECT_EQ(support::tracked::destroyed(), 1);
    second = std::move(first);
    EXPECT_EQ(second.use_count(), 1);
    const auto& alias = second;
    second = alias;
    EXPECT_EQ(second->value, 2);
    second = nullptr;
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(shared_memory, handles_swap_between_the_segment_and_the_stack) {
    root = make(1);
    auto mine = make(2);
    swap(root, mine);
    EXPECT_EQ(root_again->value, 2);
    EXPECT_EQ(mine->value, 1);
    mine.swap(root);
    EXPECT_EQ(root_again->value, 1);
    mine.swap(mine);
    EXPECT_EQ(mine->value, 2);
    root.reset();
}

TEST_F(shared_memory, handles_are_compared_as_pointers_and_ordered_by_owners) {
    const auto first = make(1);
    const auto second = make(2);
    const shm::shared_ptr<const node> same = first;
    const shm::weak_ptr<node> weak = first;
    EXPECT_EQ(first, same);
    EXPECT_NE(first, second);
    EXPECT_NE(first < second, second < first);
    EXPECT_TRUE(first);
    EXPECT_FALSE(shm::shared_ptr<node>());
    EXPECT_TRUE(first.owner_equal(same) && first.owner_equal(weak));
    EXPECT_FALSE(first.owner_before(weak) || weak.owner_before(first));
    EXPECT_NE(first.owner_before(second), second.owner_before(first));
    EXPECT_EQ(std::hash<shm::shared_ptr<node>>()(first), std::hash<node*>()(first.get()));
}

TEST_F(shared_memory, only_const_is_added) {
    struct derived : node {};
    static_assert(std::is_convertible_v<shm::shared_ptr<node>, shm::shared_ptr<const node>>);
    static_assert(std::is_convertible_v<shm::shared_ptr<node>, shm::weak_ptr<const node>>);
    static_assert(std::is_convertible_v<shm::weak_ptr<node>, shm::weak_ptr<const node>>);
    static_assert(!std::is_constructible_v<shm::shared_ptr<node>, shm::shared_ptr<const node>>);
    static_assert(!std::is_constructible_v<shm::shared_ptr<node>, shm::shared_ptr<derived>>);
    static_assert(!std::is_constructible_v<shm::weak_ptr<node>, shm::weak_ptr<derived>>);
    static_assert(!std::is_constructible_v<shm::shared_ptr<node>, node*>);
    shm::shared_ptr<node> owner = make(1);
    shm::shared_ptr<const node> read_only = std::move(owner);
    EXPECT_EQ(owner, nullptr);  // NOLINT(bugprone-use-after-move)
    read_only.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(shared_memory, a_weak_pointer_locks_as_long_as_there_is_an_owner) {
    root = make(1);
    watch = root;
    const shm::weak_ptr<const node> copy = watch;
    EXPECT_EQ(again.here(watch, segment).lock(), root_again);
    EXPECT_EQ(root.use_count(), 1);
    EXPECT_FALSE(watch.expired());
    root.reset();
    EXPECT_TRUE(watch.expired());
    EXPECT_EQ(watch.lock(), nullptr);
    EXPECT_EQ(copy.lock(), nullptr);
    EXPECT_EQ(shm::weak_ptr<node>().lock(), nullptr);
}

TEST_F(shared_memory, a_weak_pointer_keeps_the_block_and_not_the_object) {
    const std::size_t room = fill<node>(pool).size();
    root = make(1);
    watch = root;
    root.reset();
    EXPECT_EQ(support::tracked::destroyed(), static_cast<int>(room) + 1);
    EXPECT_EQ(fill<node>(pool).size(), room - 1);
    watch.reset();
    EXPECT_EQ(fill<node>(pool).size(), room);
}

TEST_F(shared_memory, a_full_pool_throws_and_nothing_is_lost) {
    auto all = fill<node>(pool);
    const std::size_t room = all.size();
    EXPECT_EQ(room, 4096 / (16 + sizeof(node)));
    EXPECT_THROW(static_cast<void>(make()), std::bad_alloc);
    all.pop_back();
    root = make(1);
    EXPECT_THROW(static_cast<void>(make()), std::bad_alloc);
    root.reset();
    all.clear();
    EXPECT_EQ(fill<node>(pool).size(), room);
}

TEST_F(shared_memory, the_block_comes_back_when_the_constructor_throws) {
    struct refuses {
        refuses() { throw std::runtime_error("no"); }
        std::byte bytes[100];
    };
    for (int i = 0; i < 1000; ++i) EXPECT_THROW(static_cast<void>(shm::make_shared<refuses>(pool)), std::runtime_error);
}

TEST_F(shared_memory, an_object_larger_than_the_pool_throws) {
    struct large {
        std::byte bytes[4096];
    };
    struct huge {
        std::byte bytes[sizeof(std::size_t) == 8 ? std::size_t{1} << 40 : std::size_t{1} << 30];
    };
    EXPECT_THROW(static_cast<void>(shm::make_shared<large>(pool)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(shm::make_shared<huge>(pool)), std::bad_alloc);
}

template <std::size_t size>
void expect_blocks_apart(shared_segment& segment) {
    struct object {
        alignas(16) std::array<std::byte, size> bytes;
    };
    auto& pool = segment.make<shm::pool>(segment, 20 * size + 1024);
    std::vector<shm::shared_ptr<object>> all;
    for (std::size_t i = 0; i < 16; ++i) {
        all.push_back(shm::make_shared<object>(pool));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.back().get()) % 16, 0U);
        all.back()->bytes.fill(static_cast<std::byte>(i));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (const std::byte each : all[i]->bytes) ASSERT_EQ(each, static_cast<std::byte>(i));
    }
}

TEST(shared_memory_blocks, blocks_of_all_sizes_are_aligned_and_apart) {
    shared_segment segment(std::size_t{4} << 20);
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (expect_blocks_apart<16 * (i + 1)>(segment), ...);
    }(std::make_index_sequence<40>());
    expect_blocks_apart<4096 - 16>(segment);
    expect_blocks_apart<4096>(segment);
    expect_blocks_apart<20'000>(segment);
}

TEST_F(shared_memory, the_pool_returns_the_memory_that_it_took) {
    auto* const begin = static_cast<std::byte*>(pool.memory());
    const auto first = make(1);
    EXPECT_GE(reinterpret_cast<std::byte*>(first.get()), begin);
    EXPECT_LT(reinterpret_cast<std::byte*>(first.get()), begin + 4096);
}

TEST_F(shared_memory, two_pools_and_two_segments_at_once) {
    shared_segment other(16 * 1024);
    auto& beside = segment.make<shm::pool>(segment, 1024);
    auto& elsewhere = other.make<shm::pool>(other, 1024);
    root = make(1, shm::make_shared<node>(beside, 2));  // of one segment, from another pool
    const auto theirs = shm::make_shared<node>(elsewhere, 3);
    auto mine = theirs;
    mine = root;
    EXPECT_EQ(mine->next->value, 2);
    mine = theirs;
    EXPECT_EQ(mine->value, 3);
    root.reset();
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(shared_memory, another_process_owns_what_this_one_has_made) {
    if (!support::can_fork) GTEST_SKIP() << "the system has no fork";
    struct item {
        int value;
        shm::shared_ptr<item> next = {};
    };
    auto& first = segment.make<shm::shared_ptr<item>>();
    auto& weak = segment.make<shm::weak_ptr<item>>();
    first = shm::make_shared<item>(pool, 1, shm::make_shared<item>(pool, 2));
    weak = first;
    EXPECT_EQ(support::in_child([&] {
                  const shared_segment mapped(segment);
                  auto& theirs = mapped.here(first, segment);
                  shm::shared_ptr<item> kept = theirs->next;
                  kept->value = 7;
                  theirs = kept;
                  return mapped.here(weak, segment).expired() && kept.use_count() == 2 ? 0 : 1;
              }),
              0);
    EXPECT_EQ(first->value, 7);
    EXPECT_EQ(first.use_count(), 1);
    EXPECT_TRUE(weak.expired());
}
