#include <gtest/gtest.h>
#include <freehold/pointers/default_deleter.hpp>

#include <type_traits>

#include <freehold/pointers/shared_ptr.hpp>

#include "support/ledger_allocator.hpp"
#include "support/tracked.hpp"

using freehold::default_deleter;

namespace {

struct base {};
struct derived : base, support::tracked {};

class default_deleter_test : public support::tracked_test {};

}  // namespace

static_assert(std::is_empty_v<default_deleter>);
static_assert(std::is_nothrow_invocable_v<default_deleter, int*>);

TEST_F(default_deleter_test, it_deletes_a_pointer_to_anything) {
    const default_deleter deleter;
    deleter(new derived);
    deleter(static_cast<const derived*>(new derived));
    deleter(static_cast<int*>(nullptr));
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(default_deleter_test, it_may_precede_an_allocator) {
    support::ledger ledger;
    {
        const freehold::shared_ptr<base> p(new derived, default_deleter(), support::ledger_allocator<int>(ledger));
        EXPECT_EQ(ledger.allocations, 1);
        EXPECT_NE(freehold::get_deleter<default_deleter>(p), nullptr);
    }
    EXPECT_EQ(support::tracked::destroyed(), 1) << "as what it was given as";
}
