#include <gtest/gtest.h>
#include <freehold/diagnosis/dominator_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <random>
#include <set>
#include <vector>

#include "support/built_snapshot.hpp"
#include "support/effort.hpp"
#include "support/limited_address_space.hpp"
#include "support/sanitized.hpp"
#include "support/text_of.hpp"

using freehold::dominator_tree;
using freehold::heap_snapshot;
using support::built;
using support::places;
using support::text_of;

namespace {

constexpr std::size_t nobody = dominator_tree::nobody;

using indices = std::set<std::size_t>;

// Returns: the objects that roots lead to if `without` is not there.
indices reached(const heap_snapshot& snapshot, std::size_t without) {
    indices found;
    std::vector<std::size_t> waiting;
    const auto reach = [&](std::size_t i) {
        if (i != without && found.insert(i).second) waiting.push_back(i);
    };
    for (const heap_snapshot::root& root : snapshot.roots()) reach(root.object);
    while (!waiting.empty()) {
        const std::size_t at = waiting.back();
        waiting.pop_back();
        for (std::size_t k = 0; k < snapshot.degree(at); ++k) reach(snapshot.target(at, k));
    }
    return found;
}

// Effects: expects what the definitions say, of each object: it is removed, and what is then no longer held was its.
void expect_retained(const heap_snapshot& snapshot) {
    const dominator_tree tree(snapshot);
    const indices held = reached(snapshot, nobody);
    std::vector<indices> retained(snapshot.size());
    for (const std::size_t i : held) {
        std::ranges::set_difference(held, reached(snapshot, i), std::inserter(retained[i], retained[i].end()));
    }
    ASSERT_EQ(tree.size(), snapshot.size());
    ASSERT_EQ(indices(tree.order().begin(), tree.order().end()), held);
    for (std::size_t i = 0; i < snapshot.size(); ++i) {
        std::size_t bytes = 0;
        for (const std::size_t each : retained[i]) bytes += snapshot.bytes_of(each);
        ASSERT_EQ(tree.retained_bytes(i), bytes);
        ASSERT_EQ(tree.retained(i).size(), retained[i].size());
        ASSERT_EQ(indices(tree.retained(i).begin(), tree.retained(i).end()), retained[i]);
        std::size_t nearest = nobody;
        for (std::size_t each = 0; each < snapshot.size(); ++each) {
            ASSERT_EQ(tree.retains(each, i), retained[each].contains(i));
            if (each == i || !retained[each].contains(i)) continue;
            if (nearest == nobody || retained[each].size() < retained[nearest].size()) nearest = each;
        }
        ASSERT_EQ(tree.dominator(i), nearest);
    }
}

// Returns: a snapshot of at most `most` objects with pointers to anywhere, also to themselves, and several to one.
heap_snapshot random_snapshot(std::mt19937& random, std::size_t most) {
    const auto below = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    const std::size_t size = 1 + below(most);
    const std::size_t degree = 1 + below(4);
    built builder;
    for (std::size_t i = 0; i < size; ++i) {
        std::vector<std::size_t> targets(below(degree + 1));
        for (std::size_t& each : targets) each = below(3) == 0 ? (std::min)(i + 1, size - 1) : below(size);
        builder.object(below(3), targets, below(2) * below(50));
    }
    for (std::size_t roots = below(4); roots > 0; --roots) builder.root(below(size));
    return builder.finish();
}

// Objects of 16 bytes at addresses where there is nothing. targets_of(i, lead_to) calls lead_to(index) for each
// pointer.
template <class Targets>
heap_snapshot large_snapshot(std::size_t size, Targets targets_of) {
    constexpr std::size_t bytes = 16;
    const auto address = [](std::size_t i) { return reinterpret_cast<const void*>((i + 1) * bytes); };  // NOLINT
    freehold::detail::snapshot_builder builder("test_heap");
    const std::uint32_t type = builder.type(nullptr, "A", bytes);
    for (std::size_t i = 0; i < size; ++i) {
        builder.object(address(i), type, 0);
        targets_of(i, [&](std::size_t to) { builder.edge(address(to)); });
    }
    builder.root("root", address(0));
    return builder.finish();
}

std::size_t many() {
    if (std::getenv("FREEHOLD_TEST_LONG") == nullptr) return 100'000;  // NOLINT(concurrency-mt-unsafe)
    return support::sanitized ? 1'000'000 : 10'000'000;
}

heap_snapshot chain(std::size_t size) {
    return large_snapshot(size, [size](std::size_t i, auto lead_to) {
        if (i + 1 < size) lead_to(i + 1);
    });
}

heap_snapshot tangle(std::size_t size) {
    std::mt19937 random(size);
    std::uniform_int_distribution<std::size_t> any(0, size - 1);
    return large_snapshot(size, [&](std::size_t, auto lead_to) {
        for (int k = 0; k < 3; ++k) lead_to(any(random));
    });
}

// Returns: the tree. Effects: says how long it took if it is of very many objects.
dominator_tree timed(const heap_snapshot& snapshot) {
    const std::clock_t start = std::clock();
    dominator_tree tree(snapshot);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (snapshot.size() > 1'000'000) std::printf("%zu objects: %.1f s\n", snapshot.size(), seconds);
    return tree;
}

// Effects: expects that a tree is made with at most 64 bytes of memory for each object.
void expect_64_bytes_each(const heap_snapshot& snapshot) {
    if (support::sanitized) return;           // it needs addresses of its own
    constexpr std::size_t slack = 4'000'000;  // a heap grows by more than it is asked for
    support::expect_0_in_limited_address_space(64 * snapshot.size() + slack,
                                               [&] { return dominator_tree(snapshot).order().empty() ? 1 : 0; });
}

}  // namespace

TEST(dominator_tree, without_an_object_what_it_retains_is_garbage) {
    const unsigned seed = 1;
    std::mt19937 random(seed);
    const int graphs = support::effort(5000, 500);
    for (int i = 0; i < graphs && !testing::Test::HasFatalFailure(); ++i) {
        SCOPED_TRACE(testing::Message() << "graph " << i << " of seed " << seed);
        expect_retained(random_snapshot(random, i % 50 == 0 ? 60 : 9));
    }
}

TEST(dominator_tree, an_object_that_two_lead_to_has_a_farther_dominator) {
    const heap_snapshot snapshot =
        built().object(0, {1, 2}).object(1, {3}).object(1, {3}).object(2, {}, 6).root(0).finish();
    const dominator_tree tree(snapshot);
    EXPECT_EQ(tree.dominator(0), nobody) << "a root holds it";
    EXPECT_EQ(tree.dominator(1), 0U);
    EXPECT_EQ(tree.dominator(3), 0U);
    EXPECT_EQ(tree.retained_bytes(0), 22U);
    EXPECT_EQ(tree.retained_bytes(1), 4U);
    EXPECT_EQ(tree.retained_bytes(3), 10U);
    EXPECT_TRUE(tree.retains(0, 3));
    EXPECT_FALSE(tree.retains(1, 3));
}

TEST(dominator_tree, what_two_roots_hold_has_no_dominator) {
    const heap_snapshot snapshot = built().object(0, {2}).object(0, {2}).object(1, {}).root(0).root(1).finish();
    const dominator_tree tree(snapshot);
    EXPECT_EQ(tree.dominator(2), nobody);
    EXPECT_EQ(tree.retained_bytes(0), 4U);
}

TEST(dominator_tree, garbage_retains_nothing) {
    const heap_snapshot snapshot =
        built().object(0, {1}).object(0, {}).object(1, {1, 3}).object(1, {}).root(0).finish();
    const dominator_tree tree(snapshot);
    EXPECT_EQ(tree.dominator(1), 0U) << "garbage holds nothing";
    EXPECT_EQ(tree.dominator(3), nobody);
    EXPECT_EQ(tree.retained_bytes(2), 0U);
    EXPECT_TRUE(tree.retained(2).empty());
    EXPECT_FALSE(tree.retains(2, 2));
    EXPECT_FALSE(tree.retains(0, 2));
}

TEST(dominator_tree, an_empty_heap_has_one) {
    EXPECT_EQ(dominator_tree().size(), 0U);
    EXPECT_EQ(dominator_tree(heap_snapshot()).largest(3).size(), 0U);
    EXPECT_TRUE(dominator_tree(built().object(0, {0}).finish()).order().empty()) << "nothing is held";
}

TEST(dominator_tree, all_objects_that_lead_to_all_later_ones_are_below_the_first) {
    constexpr std::size_t size = 30;
    const heap_snapshot snapshot = large_snapshot(size, [](std::size_t i, auto lead_to) {
        for (std::size_t to = i + 1; to < size; ++to) lead_to(to);
    });
    expect_retained(snapshot);
    const dominator_tree tree(snapshot);
    for (std::size_t i = 1; i < size; ++i) EXPECT_EQ(tree.dominator(i), 0U);
}

TEST(dominator_tree, in_a_long_list_each_retains_the_rest) {
    const std::size_t size = many();
    const heap_snapshot snapshot = chain(size);
    const dominator_tree tree = timed(snapshot);
    for (std::size_t i = 1; i < size; ++i) ASSERT_EQ(tree.dominator(i), i - 1);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(tree.retained_bytes(i), (size - i) * 16);
    EXPECT_EQ(tree.largest(3), (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(largest_retained(snapshot, tree, 3), std::vector<std::size_t>{0}) << "the nodes of a list are one line";
    expect_64_bytes_each(snapshot);
}

TEST(dominator_tree, a_long_ring_is_a_list) {
    const std::size_t size = many();
    const dominator_tree tree =
        timed(large_snapshot(size, [size](std::size_t i, auto lead_to) { lead_to((i + 1) % size); }));
    EXPECT_EQ(tree.dominator(0), nobody);
    for (std::size_t i = 1; i < size; ++i) ASSERT_EQ(tree.dominator(i), i - 1);
}

TEST(dominator_tree, in_a_long_list_with_links_back_each_retains_the_rest) {
    const std::size_t size = many();
    const dominator_tree tree = timed(large_snapshot(size, [size](std::size_t i, auto lead_to) {
        if (i > 0) lead_to(i - 1);
        if (i + 1 < size) lead_to(i + 1);
    }));
    for (std::size_t i = 1; i < size; ++i) ASSERT_EQ(tree.dominator(i), i - 1);
}

TEST(dominator_tree, in_a_long_ladder_only_the_first_retains) {
    const std::size_t size = many();
    const dominator_tree tree = timed(large_snapshot(size, [size](std::size_t i, auto lead_to) {
        if (i + 1 < size) lead_to(i + 1);
        if (i + 2 < size) lead_to(i + 2);
    }));
    EXPECT_EQ(tree.dominator(1), 0U);
    for (std::size_t i = 2; i < size; ++i) ASSERT_EQ(tree.dominator(i), i == 2 ? 0U : tree.dominator(i - 1));
    EXPECT_EQ(tree.retained_bytes(0), size * 16);
}

TEST(dominator_tree, a_table_holds_what_a_long_list_ends_in) {
    const std::size_t size = many();
    const std::size_t last = size / 2;
    const dominator_tree tree = timed(large_snapshot(size, [size, last](std::size_t i, auto lead_to) {
        if (i < last) lead_to(i + 1);
        if (i != last && i != 0) return;
        for (std::size_t to = last + 1; to < size; ++to) lead_to(to);
    }));
    EXPECT_EQ(tree.dominator(last), last - 1);
    for (std::size_t i = last + 1; i < size; ++i) ASSERT_EQ(tree.dominator(i), 0U);
}

TEST(dominator_tree, what_is_retained_in_a_tangle_adds_up) {
    const heap_snapshot snapshot = tangle(many());
    const dominator_tree tree = timed(snapshot);
    std::size_t held_bytes = 0;
    std::size_t without_dominator = 0;
    std::vector<std::size_t> bytes(snapshot.size());
    for (std::size_t i = 0; i < snapshot.size(); ++i) {
        if (!snapshot.is_held(i)) continue;
        held_bytes += snapshot.bytes_of(i);
        bytes[i] += snapshot.bytes_of(i);
        if (tree.dominator(i) == nobody) {
            without_dominator += tree.retained_bytes(i);
        } else {
            bytes[tree.dominator(i)] += tree.retained_bytes(i);
        }
    }
    EXPECT_EQ(without_dominator, held_bytes);
    for (std::size_t i = 0; i < snapshot.size(); ++i) ASSERT_EQ(tree.retained_bytes(i), bytes[i]);
    expect_64_bytes_each(snapshot);
}

TEST(dominator_tree, types_retain_together_what_several_of_them_retain) {
    const heap_snapshot snapshot =
        built().object(0, {1, 2}).object(1, {3}).object(0, {4}, 10).object(1, {}, 100).object(2, {}).root(0).finish();
    const auto lines = retained_by_type(snapshot, dominator_tree(snapshot));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].type, "A");
    EXPECT_EQ(lines[0].objects, 2U);
    EXPECT_EQ(lines[0].retained_objects, 5U);
    EXPECT_EQ(lines[0].retained_bytes, 130U);
    EXPECT_EQ(lines[1].type, "B");
    EXPECT_EQ(lines[1].objects, 2U);
    EXPECT_EQ(lines[1].retained_bytes, 108U);
    EXPECT_EQ(lines[2].type, "C");
    EXPECT_EQ(text_of([&](std::FILE* out) { report_retained_by_type(snapshot, dominator_tree(snapshot), out); }),
              "freehold: what the types of the test_heap retain\n"
              "         bytes    in objects   own objects  type\n"
              "           130             5             2  A\n"
              "           108             2             2  B\n"
              "             4             1             1  C\n");
}

TEST(dominator_tree, the_objects_that_retain_most_come_first) {
    const heap_snapshot snapshot = built()
                                       .object(2, {})
                                       .object(0, {2, 3})
                                       .object(1, {}, 10)
                                       .object(0, {}, 90)
                                       .object(2, {})
                                       .root(0)
                                       .root(1)
                                       .finish();
    const dominator_tree tree(snapshot);
    EXPECT_EQ(tree.largest(3), (std::vector<std::size_t>{1, 3, 2}));
    EXPECT_EQ(tree.largest(9).size(), 4U);
    EXPECT_EQ(largest_retained(snapshot, tree, 9), (std::vector<std::size_t>{1, 2, 0})) << "object 3 is within 1";
    EXPECT_EQ(text_of([&](std::FILE* out) { report_retained(snapshot, tree, out, 2); }),
              "freehold: what the objects of the test_heap retain\n"
              "         bytes    in objects        itself  object\n"
              "           112             3             4  A #2\n"
              "            14             1            14  B #3\n");
}

TEST(dominator_tree, the_dominators_of_an_object_are_printed) {
    const heap_snapshot snapshot =
        built().object(0, {1}).object(1, {2}).object(2, {}, 6).object(0, {}).root(0).finish();
    const dominator_tree tree(snapshot);
    const auto text = [&](std::size_t i, std::size_t most) {
        return text_of([&](std::FILE* out) { report_dominators(snapshot, tree, &places[i], out, most); });
    };
    EXPECT_EQ(text(2, 20),
              "freehold: C #3 retains 10 bytes in 1 objects\n"
              "    within B #2, which retains 14 bytes in 2 objects\n"
              "    within A #1, which retains 18 bytes in 3 objects\n");
    EXPECT_TRUE(text(2, 1).ends_with("in 2 objects\n    …\n"));
    EXPECT_EQ(text(3, 20), "freehold: nothing holds A #4; a full collection destroys it\n");
    EXPECT_EQ(text(9, 20), "freehold: there is no object of the test_heap at that address\n");
}

TEST(dominator_tree, it_is_written_as_json) {
    const heap_snapshot snapshot = built().object(0, {1}).object(1, {}).object(0, {}).root(0).finish();
    EXPECT_NE(text_of([&](std::FILE* out) {
                  EXPECT_TRUE(write_json(snapshot, dominator_tree(snapshot), out));
              }).find("\"pointers\": [1,0,0],\n\"dominators\": [0,1,0]},\n"),
              std::string::npos);
}
