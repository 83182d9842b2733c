// The order in which the objects of a chain are destroyed: the standard's as deep as destructors nest, and below that
// after those have returned.

#include <cstddef>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "families.hpp"
#include "support/contract.hpp"
#include "support/tracked.hpp"

namespace contracts {

namespace {

constexpr int long_chain = 1000;

// The minimum of nested destructors. For collected objects it follows from the stack that they use, which is large with
// sanitizers and without optimization; the others are counted.
template <class Family>
constexpr int least_nested = std::is_base_of_v<collected_object, Family> ? 8 : 64;

// The numbers of the nodes whose destructors have begun, and of those that have returned.
struct destruction_log {
    std::vector<int> begun;
    std::vector<int> returned;
};

destruction_log ends;

struct end_of_node {
    ~end_of_node() { ends.returned.push_back(number); }

    int number = 0;
};

template <class Family>
struct numbered_node : Family::template base<numbered_node<Family>>, support::tracked {
    ~numbered_node() { ends.begun.push_back(last.number); }

    end_of_node last;  // destroyed last
    typename Family::template back<numbered_node> before;
    typename Family::template pointer<numbered_node> next;
};

template <class Family>
class destruction_order : public support::tracked_test {
protected:
    using node = numbered_node<Family>;
    using pointer = typename Family::template pointer<node>;

    void SetUp() override {
        support::tracked_test::SetUp();
        Family::begin();
        ends = destruction_log();
    }

    static pointer make(int number) {
        auto made = Family::template make<node>();
        made->last.number = number;
        return made;
    }

    // Returns: the first of `length` nodes, numbered from 0, each owning the next.
    static pointer make_chain(int length) {
        pointer first;
        for (int number = length; number-- > 0;) {
            auto made = make(number);
            if (first) first->before.point_to(made);
            made->next = std::move(first);
            first = std::move(made);
        }
        return first;
    }
};

std::vector<int> ascending(int from, int to) {
    std::vector<int> numbers(static_cast<std::size_t>(to - from));
    std::iota(numbers.begin(), numbers.end(), from);
    return numbers;
}

std::vector<int> descending(int from, int to) {
    const auto numbers = ascending(from, to);
    return {numbers.rbegin(), numbers.rend()};
}

}  // namespace

}  // namespace contracts

template <>
struct support::implementations<contracts::destruction_order> {
    using types = contracts::chained_pointers;
};

namespace contracts {

CONTRACT(destruction_order, destructors_nest_down_to_a_bounded_depth) {
    constexpr int length = least_nested<TypeParam>;
    auto first = TestFixture::make_chain(length);
    first.reset();
    EXPECT_EQ(ends.begun, ascending(0, length));
    EXPECT_EQ(ends.returned, descending(0, length));
}

CONTRACT(destruction_order, what_lies_deeper_is_destroyed_when_the_outermost_has_returned) {
    auto first = TestFixture::make_chain(long_chain);
    first.reset();
    EXPECT_EQ(ends.begun, ascending(0, long_chain));
    ASSERT_EQ(ends.returned.size(), std::size_t{long_chain});
    const int nested = ends.returned.front() + 1;
    EXPECT_GE(nested, least_nested<TypeParam>);
    EXPECT_LT(nested, long_chain);
    EXPECT_EQ(std::vector<int>(ends.returned.begin(), ends.returned.begin() + nested), descending(0, nested));
}

CONTRACT(destruction_order, all_are_destroyed_when_the_outermost_reset_returns) {
    for (int length = 0; length < long_chain; length += 9) {
        const int before = support::tracked::destroyed();
        auto first = TestFixture::make_chain(length);
        first.reset();
        ASSERT_EQ(support::tracked::destroyed(), before + length);
    }
}

CONTRACT(destruction_order, a_chain_may_be_destroyed_while_another_is) {
    // The last of a long chain, which waits, owns a chain that is long as well.
    auto first = TestFixture::make_chain(long_chain);
    auto* last = first.get();
    while (last->next) last = last->next.get();
    last->next = TestFixture::make_chain(long_chain);
    first.reset();
    EXPECT_EQ(support::tracked::destroyed(), 2 * long_chain);
}

CONTRACT(destruction_order, what_another_owner_has_in_the_depth_stays) {
    auto first = TestFixture::make_chain(long_chain);
    auto kept = first;
    for (int i = 0; i < long_chain / 2; ++i) kept = kept->next;
    first.reset();
    EXPECT_EQ(support::tracked::destroyed(), long_chain / 2);
    EXPECT_EQ(kept->last.number, long_chain / 2);
    kept.reset();
    EXPECT_EQ(support::tracked::destroyed(), long_chain);
}

}  // namespace contracts
