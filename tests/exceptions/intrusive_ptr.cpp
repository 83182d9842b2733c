// make_intrusive when the allocation or the constructor fails.

#include <gtest/gtest.h>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/ref_counted.hpp>

#include <new>
#include <stdexcept>

#include "support/limited_new.hpp"
#include "support/tracked.hpp"

namespace {

struct node : freehold::ref_counted<node>, support::tracked {
    explicit node(bool refuse) {
        if (refuse) throw std::invalid_argument("refused");
    }
};

class make_intrusive_failure : public support::tracked_test {};

}  // namespace

TEST_F(make_intrusive_failure, an_allocation_that_fails_constructs_nothing) {
    const auto attempt = [] {
        const support::limited_new none(0);
        return freehold::make_intrusive<node>(false);
    };
    EXPECT_THROW(attempt(), std::bad_alloc);
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

TEST_F(make_intrusive_failure, a_constructor_that_throws_leaves_nothing_behind) {
    EXPECT_THROW(static_cast<void>(freehold::make_intrusive<node>(true)), std::invalid_argument);
    EXPECT_EQ(support::tracked::alive(), 0);
}
