// How deep destructors nest, apart from any pointer. Chains and trees of objects are in contracts/deep_destruction/.

#include <gtest/gtest.h>
#include <freehold/pointers/detail/destruction_depth.hpp>

#include <algorithm>
#include <thread>
#include <vector>

namespace {

constexpr int most_nested = 64;

// An object whose destruction includes that of the next one.
struct link {
    int number;
};

// A list that can't hold every object.
struct picky_list {
    bool empty() const noexcept { return waiting().empty(); }

    bool push(const link* added) noexcept {
        if (added->number == refused) return false;
        waiting().push_back(added->number);
        return true;
    }

    void destroy_one() noexcept;

    static std::vector<int>& waiting() {
        static thread_local std::vector<int> numbers;
        return numbers;
    }

    static inline thread_local int refused = -1;
};

using destruction_depth = freehold::detail::destruction_depth<picky_list>;

constexpr int length = 5000;

thread_local int nested = 0;
thread_local int deepest = 0;
thread_local int destroyed = 0;

void destroy_chain(const link* first) {
    destruction_depth::run(first, [](const link* object) {
        deepest = std::max(deepest, ++nested);
        ++destroyed;
        const link next{object->number + 1};
        if (next.number < length) destroy_chain(&next);
        --nested;
    });
}

void picky_list::destroy_one() noexcept {
    const link last{waiting().back()};
    waiting().pop_back();
    destroy_chain(&last);
}

// Returns: how deep the destructors of a chain nest, in which object number `refused` can't be deferred.
int depth_of_a_chain(int refused) {
    picky_list::refused = refused;
    nested = deepest = destroyed = 0;
    const link first{0};
    destroy_chain(&first);
    EXPECT_EQ(destroyed, length);
    return deepest;
}

}  // namespace

TEST(destruction_depth, it_is_bounded) { EXPECT_EQ(depth_of_a_chain(-1), most_nested); }

TEST(destruction_depth, it_is_bounded_each_time_and_in_each_thread) {
    EXPECT_EQ(depth_of_a_chain(-1), most_nested);
    EXPECT_EQ(depth_of_a_chain(-1), most_nested);
    std::thread([] { EXPECT_EQ(depth_of_a_chain(-1), most_nested); }).join();
}

// An object that can't be deferred makes destructors nest one deeper, but not all that follow.
TEST(destruction_depth, it_is_bounded_below_an_object_that_can_not_be_deferred) {
    EXPECT_LE(depth_of_a_chain(most_nested), most_nested + 1);
}
