// N1851's spelling: what it makes is what make_shared makes.

#include <gtest/gtest.h>
#include <freehold/pointers/make_shared_object.hpp>

#include <new>
#include <type_traits>

#include "support/ledger_allocator.hpp"
#include "support/tracked.hpp"

using freehold::shared_ptr;

namespace {

struct object : support::tracked {
    explicit object(int initial = 7) : value(initial) {}

    int value;
};

class make_shared_object : public support::tracked_test {
protected:
    support::ledger ledger;
    support::ledger_allocator<object> allocator{ledger};
};

}  // namespace

static_assert(std::is_same_v<decltype(freehold::make_shared_array<int>(3)), shared_ptr<int>>);

TEST_F(make_shared_object, an_object_is_housed_in_its_block) {
    const auto p = freehold::make_shared_object<object>(8);
    EXPECT_EQ(p->value, 8);
    EXPECT_EQ(p.use_count(), 1);
}

TEST_F(make_shared_object, an_object_and_its_count_are_one_allocation) {
    {
        const auto p = freehold::make_shared_object_with_alloc<object>(allocator, 8);
        EXPECT_EQ(p->value, 8);
        EXPECT_EQ(ledger.allocations, 1);
        EXPECT_EQ(ledger.constructed, 1);
    }
    EXPECT_EQ(ledger.destroyed, 1);
}

TEST_F(make_shared_object, an_array_is_handed_out_as_its_first_element_and_destroyed_whole) {
    {
        const shared_ptr<object> p = freehold::make_shared_array<object>(3);
        EXPECT_EQ(p.get()[2].value, 7);
        EXPECT_EQ(support::tracked::alive(), 3);
        EXPECT_EQ(p.use_count(), 1);
    }
    EXPECT_EQ(support::tracked::destroyed(), 3);
}

TEST_F(make_shared_object, an_array_and_its_count_are_one_allocation) {
    {
        const auto p = freehold::make_shared_array_with_alloc<object>(allocator, 3);
        EXPECT_EQ(p.get()[0].value, 7);
        EXPECT_EQ(ledger.allocations, 1);
        EXPECT_EQ(ledger.constructed, 3);
    }
    EXPECT_EQ(ledger.destroyed, 3);
}

TEST_F(make_shared_object, an_array_is_value_initialized) {
    const auto p = freehold::make_shared_array<long>(100);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(p.get()[i], 0);
}

TEST_F(make_shared_object, an_array_whose_size_is_not_representable_is_refused) {
    EXPECT_THROW(static_cast<void>(freehold::make_shared_array<char>(static_cast<std::size_t>(-1))),
                 std::bad_array_new_length);
}
