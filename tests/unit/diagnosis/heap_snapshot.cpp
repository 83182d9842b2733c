#include <gtest/gtest.h>
#include <freehold/diagnosis/heap_snapshot.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <freehold/diagnosis/diagnosis.hpp>

#include "support/built_snapshot.hpp"
#include "support/text_of.hpp"

using freehold::heap_snapshot;
using support::built;
using support::places;
using support::text_of;

namespace {

std::string words(std::string text) {
    std::string result;
    for (const char letter : text) {
        if (letter != ' ' || (!result.empty() && result.back() != ' ')) result.push_back(letter);
    }
    return result;
}

}  // namespace

TEST(heap_snapshot, an_address_within_an_object_stands_for_it) {
    const heap_snapshot snapshot = built().object(0, {}).object(0, {}).finish();
    EXPECT_EQ(snapshot.at(&places[1]), 1U);
    EXPECT_EQ(snapshot.at(reinterpret_cast<const char*>(&places[1]) + 3), 1U);
    EXPECT_EQ(snapshot.at(&places[2]), heap_snapshot::nobody);
    EXPECT_EQ(heap_snapshot().at(&places[0]), heap_snapshot::nobody);
}

TEST(heap_snapshot, pointers_that_lead_elsewhere_are_left_out) {
    const heap_snapshot snapshot = built().object(0, {1, 9, 0}).object(0, {8}).finish();
    ASSERT_EQ(snapshot.degree(0), 2U);
    EXPECT_EQ(snapshot.target(0, 0), 1U);
    EXPECT_EQ(snapshot.target(0, 1), 0U);
    EXPECT_EQ(snapshot.degree(1), 0U);
}

TEST(heap_snapshot, what_roots_lead_to_is_held) {
    const heap_snapshot snapshot = built().object(0, {1}).object(0, {}).object(0, {1}).root(0).finish();
    EXPECT_TRUE(snapshot.is_held(0));
    EXPECT_TRUE(snapshot.is_held(1));
    EXPECT_FALSE(snapshot.is_held(2));
}

TEST(heap_snapshot, a_shortest_path_from_a_root_is_found) {
    const heap_snapshot snapshot =
        built().object(0, {1}).object(1, {2}).object(2, {3}).object(0, {}).object(1, {0, 2}).root(0).root(4).finish();
    const heap_snapshot::path path = who_owns(snapshot, &places[3]);
    EXPECT_STREQ(path.begin.kind, "root");
    EXPECT_EQ(path.begin.number, 2U);
    ASSERT_EQ(path.owners.size(), 2U);
    EXPECT_EQ(path.owners[0].object, &places[4]);
    EXPECT_EQ(path.owners[0].place, 2U);
    EXPECT_EQ(path.owners[1].type, "C");
    EXPECT_EQ(path.owners[1].number, 3U);
    EXPECT_EQ(text_of([&](std::FILE* out) { report_owners(snapshot, &places[3], out); }),
              "freehold: A #4 is held\n    by root 2\n    through pointer 2 in B #5\n    through pointer 1 in C #3\n");
}

TEST(heap_snapshot, all_referrers_are_found) {
    const heap_snapshot snapshot = built().object(0, {1, 0, 1}).object(1, {1}).object(2, {1}).root(1).root(0).finish();
    const freehold::heap_referrers found = referrers_of(snapshot, 1);
    EXPECT_EQ(found.roots.size(), 1U);
    ASSERT_EQ(found.pointers.size(), 4U);
    EXPECT_EQ(found.pointers[1].object, 0U);
    EXPECT_EQ(found.pointers[1].place, 2U);
    EXPECT_EQ(text_of([&](std::FILE* out) { report_referrers(snapshot, &places[1], out); }),
              "freehold: B #2 is referred to by 1 roots and 4 pointers\n    root 1\n"
              "    pointer 1 in A #1\n    pointer 3 in A #1\n    pointer 1 in B #2\n"
              "    pointer 1 in C #3, which is garbage\n");
    EXPECT_EQ(text_of([&](std::FILE* out) { report_referrers(snapshot, &places[1], out, 1); }),
              "freehold: B #2 is referred to by 1 roots and 4 pointers\n    root 1\n    pointer 1 in A #1\n    …\n");
    EXPECT_EQ(text_of([&](std::FILE* out) { report_referrers(snapshot, &places[5], out); }),
              "freehold: there is no object of the test_heap at that address\n");
}

TEST(heap_snapshot, garbage_has_no_path) {
    const heap_snapshot snapshot = built().object(0, {}).finish();
    EXPECT_FALSE(who_owns(snapshot, &places[0]));
    EXPECT_FALSE(who_owns(snapshot, &places[5]));
    EXPECT_EQ(text_of([&](std::FILE* out) { report_owners(snapshot, &places[0], out); }),
              "freehold: nothing holds A #1; a full collection destroys it\n");
    EXPECT_EQ(text_of([&](std::FILE* out) { report_owners(snapshot, &places[5], out); }),
              "freehold: there is no object of the test_heap at that address\n");
}

TEST(heap_snapshot, an_owner_outside_is_a_root) {
    built builder;
    builder.object(0, {1}).owned_by(0);
    builder.object(0, {2}).owned_by(2);
    builder.object(0, {1}).owned_by(3);
    const heap_snapshot snapshot = builder.finish();
    ASSERT_EQ(snapshot.roots().size(), 1U);
    EXPECT_STREQ(snapshot.roots()[0].kind, "owner outside");
    EXPECT_EQ(snapshot.roots()[0].object, 2U);
    EXPECT_FALSE(snapshot.is_held(0));
    EXPECT_TRUE(snapshot.is_held(1));
}

TEST(heap_snapshot, roots_are_numbered_by_their_kind) {
    const heap_snapshot snapshot =
        built().object(0, {}).object(0, {}).root(1, "one").root(0, "other").root(9, "one").root(0, "one").finish();
    ASSERT_EQ(snapshot.roots().size(), 3U) << "one leads elsewhere";
    EXPECT_EQ(snapshot.roots()[0].number, 1U);
    EXPECT_EQ(snapshot.roots()[1].number, 1U);
    EXPECT_EQ(snapshot.roots()[2].number, 3U);
}

TEST(heap_snapshot, cycles_of_garbage_are_found) {
    const heap_snapshot snapshot = built()
                                       .object(0, {1})
                                       .object(0, {0})  // a cycle that is held
                                       .object(1, {3})
                                       .object(2, {0, 2})  // and one that is not
                                       .object(1, {4})     // leads to itself
                                       .object(1, {4})
                                       .root(0)
                                       .finish();
    const auto cycles = find_cycles(snapshot);
    ASSERT_EQ(cycles.size(), 2U);
    ASSERT_EQ(cycles[0].size(), 2U);
    EXPECT_EQ(cycles[0][0].number, 3U);
    EXPECT_EQ(cycles[0][1].place, 2U);
    EXPECT_EQ(cycles[1].size(), 1U);
    EXPECT_EQ(text_of([&](std::FILE* out) { EXPECT_EQ(report_cycles(snapshot, out), 2U); }),
              "freehold: cycle 1 of 2 waits for a full collection:\n"
              "    B #3 owns, by its owner 1, C #4\n"
              "    C #4 owns, by its owner 2, B #3\n"
              "freehold: cycle 2 of 2 waits for a full collection:\n"
              "    B #5 owns, by its owner 1, B #5\n");
}

TEST(heap_snapshot, a_census_counts_what_is_held) {
    const heap_snapshot snapshot =
        built().object(0, {1, 2}, 10).object(0, {}, 5).object(1, {}, 100).object(0, {}, 1000).root(0).finish();
    const auto lines = census(snapshot);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].type, "B");
    EXPECT_EQ(lines[0].objects, 1);
    EXPECT_EQ(lines[0].external_bytes, 100);
    EXPECT_EQ(lines[1].objects, 2);
    EXPECT_EQ(lines[1].bytes, 8);
    EXPECT_EQ(lines[1].external_bytes, 15);
    EXPECT_EQ(lines[1].garbage, 1);
    EXPECT_EQ(words(text_of([&](std::FILE* out) { report_census(snapshot, out); })),
              "freehold: the objects of the test_heap\n objects bytes external garbage type\n"
              " 1 4 100 0 B\n 2 8 15 1 A\n");
}

TEST(heap_snapshot, the_difference_of_two_is_what_has_grown) {
    const heap_snapshot before = built().object(0, {}).object(1, {}).object(2, {}).root(0).root(1).root(2).finish();
    const heap_snapshot after = built().object(0, {}).object(0, {}, 50).object(1, {}).root(0).root(1).root(2).finish();
    const auto lines = growth(before, after);
    ASSERT_EQ(lines.size(), 2U) << "B has not changed";
    EXPECT_EQ(lines[0].type, "A");
    EXPECT_EQ(lines[0].objects, 1);
    EXPECT_EQ(lines[0].external_bytes, 50);
    EXPECT_EQ(lines[1].type, "C");
    EXPECT_EQ(lines[1].objects, -1);
    EXPECT_EQ(words(text_of([&](std::FILE* out) { report_growth(before, after, out); })),
              "freehold: what the test_heap has more than before\n objects bytes external garbage type\n"
              " +1 +4 +50 +0 A\n -1 -4 +0 +0 C\n");
}

TEST(heap_snapshot, it_is_drawn) {
    const heap_snapshot snapshot = built().object(0, {1, 1}).object(1, {}, 6).object(2, {0}).root(0).finish();
    EXPECT_EQ(text_of([&](std::FILE* out) { draw_ownership(snapshot, out); }),
              "digraph ownership {\n"
              "    n1 [label=\"A #1\"];\n    n1 -> n2;\n    n1 -> n2;\n    n2 [label=\"B #2\"];\n"
              "    n3 [label=\"C #3\", color=red];\n    n3 -> n1;\n"
              "    r1 [label=\"root 1\", shape=plaintext];\n    r1 -> n1;\n}\n");
    EXPECT_EQ(text_of([&](std::FILE* out) { draw_types(snapshot, out); }),
              "digraph types {\n    node [shape=box];\n"
              "    t1 [label=\"A: 1 objects, 4 bytes\"];\n    t2 [label=\"B: 1 objects, 10 bytes\"];\n"
              "    t1 -> t2 [label=\"2\"];\n}\n");
}

TEST(heap_snapshot, it_is_written_as_json) {
    const heap_snapshot snapshot = built().object(0, {1}).object(1, {0, 1}, 6).root(1).finish();
    EXPECT_EQ(text_of([&](std::FILE* out) { EXPECT_TRUE(write_json(snapshot, out)); }),
              "{\"format\": \"freehold heap snapshot\", \"version\": 1, \"heap\": \"test_heap\",\n"
              "\"types\": [\n    {\"name\": \"A\", \"bytes\": 4},\n    {\"name\": \"B\", \"bytes\": 4}],\n"
              "\"roots\": [\n    {\"kind\": \"root\", \"number\": 1, \"object\": 2}],\n"
              "\"objects\": {\n\"type\": [0,1],\n\"external_bytes\": [0,6],\n\"pointers\": [1,2]},\n"
              "\"targets\": [2,1,2]}\n");
}

TEST(heap_snapshot, a_full_disk_is_noticed) {
    std::FILE* const full = std::fopen("/dev/full", "w");
    if (full == nullptr) GTEST_SKIP() << "the system has no disk that is always full";
    EXPECT_FALSE(write_json(built().object(0, {}).finish(), full));
    std::fclose(full);
}
