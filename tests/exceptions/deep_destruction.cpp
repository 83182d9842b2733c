// A chain of ten million objects (in a plain ./freehold test of a tenth) ends in little stack and without any memory:
// an allocation would end the program.

#include <utility>

#include "contracts/deep_destruction/families.hpp"
#include "support/contract.hpp"
#include "support/effort.hpp"
#include "support/limited_new.hpp"
#include "support/small_stack.hpp"
#include "support/tracked.hpp"

namespace {

// A hundredth overflows the stack twenty times.
const int length = support::sanitized ? 100'000 : support::full_effort(10'000'000, 100'000);

template <class Family>
struct node : Family::template base<node<Family>>, support::tracked {
    typename Family::template back<node> before;
    typename Family::template pointer<node> next;
};

template <class Family>
class deep_destruction : public support::tracked_test {
protected:
    using pointer = typename Family::template pointer<node<Family>>;

    void SetUp() override {
        support::tracked_test::SetUp();
        Family::begin();
    }

    static pointer make_chain() {
        pointer first;
        for (int i = 0; i < length; ++i) {
            auto made = Family::template make<node<Family>>();
            if (first) first->before.point_to(made);
            made->next = std::move(first);
            first = std::move(made);
        }
        return first;
    }
};

}  // namespace

template <>
struct support::implementations<deep_destruction> {
    using types = contracts::chained_pointers;
};

CONTRACT(deep_destruction, a_chain_of_ten_million_is_destroyed_in_little_stack_and_without_memory) {
    support::with_small_stack([] {
        auto first = TestFixture::make_chain();
        const support::limited_new none(0);
        first.reset();
    });
    EXPECT_EQ(support::tracked::destroyed(), length);
}
