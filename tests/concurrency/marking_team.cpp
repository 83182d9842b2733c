// Collections that several threads mark. ThreadSanitizer sees whether they race.

#include <freehold/traced/detail/marking_team.hpp>

#include <gtest/gtest.h>
#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/shared_traced_heap.hpp>
#include <freehold/traced/traced_heap.hpp>

#include <array>
#include <barrier>
#include <cstddef>
#include <vector>

#include "support/threads.hpp"

namespace {

using freehold::shared_traced_heap;
using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_view;

struct leaf {
    int value = 1;
    std::array<char, 100> unused = {};
};

struct branch {
    std::vector<freehold::traced_ptr<branch>> children = {};
    freehold::traced_ptr<leaf> shared = {};
    freehold::traced_ptr<leaf> own = {};
};

traced_heap_options with_threads(std::size_t threads) {
    traced_heap_options options;
    options.mark_threads = threads;
    return options;
}

template <class Heap>
traced_local<branch> grow(Heap& heap, int depth, const traced_view<leaf>& shared) {
    const traced_local<branch> made = heap.template make<branch>();
    made->shared = shared;
    made->own = heap.template make_unrooted<leaf>();
    for (int i = 0; depth > 0 && i < 4; ++i) {
        const traced_local<branch> child = grow(heap, depth - 1, shared);
        made->children.push_back(child);
    }
    return made;
}

std::size_t leaves_of(const branch& tree) {
    auto found = static_cast<std::size_t>(tree.own->value);
    for (const auto& child : tree.children) found += leaves_of(*child);
    return found;
}

constexpr int depth = 8;
constexpr std::size_t branches = ((std::size_t{1} << 2 * (depth + 1)) - 1) / 3;

}  // namespace

TEST(marking_team, marks_what_one_thread_marks) {
    for (const std::size_t threads : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
        std::size_t survivors = 0;
        traced_heap_options options = with_threads(threads);
        options.on_collection = [&survivors](const auto& done) { survivors = done.surviving_objects; };
        traced_heap heap(options);
        const traced_local<leaf> shared = heap.make<leaf>();
        traced_local<branch> tree = grow(heap, depth, shared);
        for (int i = 0; i < 5; ++i) {
            heap.collect();
            EXPECT_EQ(survivors, 2 * branches + 1);
        }
        EXPECT_EQ(leaves_of(*tree), branches);
        tree = nullptr;
        heap.collect();
        EXPECT_EQ(survivors, 1U);
    }
}

// Each session collects in turn, and the others help it.
TEST(marking_team, sessions_mark_what_one_thread_marks) {
    std::size_t survivors = 0;
    shared_traced_heap heap({.nursery_bytes = std::size_t{512} * 1024 * 1024,
                             .on_collection = [&](const auto& done) { EXPECT_EQ(done.surviving_objects, survivors); }});
    constexpr int sessions = 3;
    survivors = sessions * (2 * branches + 1);
    std::barrier all_have_trees(sessions);
    support::in_threads(sessions, [&](int) {
        shared_traced_heap::session session(heap);
        const traced_local<leaf> shared = heap.make<leaf>();
        const traced_local<branch> tree = grow(heap, depth, shared);
        {
            const shared_traced_heap::pause waiting(session);
            all_have_trees.arrive_and_wait();
        }
        for (int i = 0; i < 5; ++i) heap.collect();
        EXPECT_EQ(leaves_of(*tree), branches);
        const shared_traced_heap::pause waiting(session);
        all_have_trees.arrive_and_wait();
    });
}

TEST(marking_team, marks_a_list_in_which_there_is_nothing_to_share) {
    struct link {
        freehold::traced_ptr<link> next = {};
        std::array<char, 100> unused = {};
    };
    traced_heap heap(with_threads(4));
    traced_local<link> list;
    constexpr int length = 200'000;
    for (int i = 0; i < length; ++i) {
        const traced_local<link> next = list;
        list = heap.make<link>(next);
    }
    heap.collect();
    int found = 0;
    for (traced_local<link> each = list; each; each = each->next) ++found;
    EXPECT_EQ(found, length);
    EXPECT_EQ(heap.live_bytes(), length * sizeof(link));
}

TEST(marking_team, large_objects_are_marked_once) {
    struct large {
        std::array<freehold::traced_ptr<leaf>, 700'000> leaves = {};
    };
    traced_heap heap(with_threads(4));
    const traced_local<large> one = heap.make<large>();
    for (auto& each : one->leaves) each = heap.make_unrooted<leaf>();
    heap.collect();
    EXPECT_EQ(heap.live_bytes(), sizeof(large) + one->leaves.size() * sizeof(leaf));
}
