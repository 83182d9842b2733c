// What local_shared_ptr does is tested in contracts/; here is what sets it apart.

#include <gtest/gtest.h>
#include <freehold/pointers/local_shared_ptr.hpp>

#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/counting/plain_counting.hpp>
#include <freehold/pointers/shared_ptr.hpp>

using freehold::local_shared_ptr;

static_assert(std::is_same_v<local_shared_ptr<int>, freehold::shared_ptr<int, freehold::plain_counting>>);
static_assert(std::is_same_v<local_shared_ptr<int>::weak_type, freehold::local_weak_ptr<int>>);
static_assert(std::is_same_v<decltype(freehold::make_local_shared<int>(7)), local_shared_ptr<int>>);

TEST(local_shared_ptr, a_group_of_owners_may_move_to_another_thread) {
    std::vector<local_shared_ptr<int>> owners(10, freehold::make_local_shared<int>(7));
    std::thread([group = std::move(owners)] {
        EXPECT_EQ(group.front().use_count(), 10);
        EXPECT_EQ(*group.back(), 7);
    }).join();
}
