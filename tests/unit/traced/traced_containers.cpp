// Containers in traced objects whose elements allocate while the containers are changed.

#include <gtest/gtest.h>
#include <freehold/memory/page_cache.hpp>
#include <freehold/traced/traced_heap.hpp>

#include <cstddef>
#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

#include "support/flat_map.hpp"
#include "support/tracked.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using support::tracked;

struct leaf {
    int value;
    traced_ptr<leaf> next = {};
};

// Makes two objects. While it makes the second, only the new element refers to the first.
struct part {
    explicit part(traced_heap& heap, int value = 1) : first(heap.make<leaf>(value)), second(heap.make<leaf>(-value)) {}

    bool is_whole(int value = 1) const { return first->value == value && second->value == -value; }
    void trace(auto& visit) const { visit(first, second); }

    traced_ptr<leaf> first;
    traced_ptr<leaf> second;
};

traced_heap* heap_of_defaults = nullptr;

struct default_part : part {
    default_part() : part(*heap_of_defaults) {}
    void trace(auto& visit) const { part::trace(visit); }
};

// Stores its neighbor in a vector when it dies.
struct testator {
    testator(std::vector<traced_ptr<leaf>>& given, traced_ptr<leaf> first) : heirs(&given), left(first) {}
    testator(const testator&) = delete;
    testator& operator=(const testator&) = delete;
    ~testator() { heirs->push_back(left); }
    void trace(auto& visit) const { visit(left); }

    freehold::untraced<std::vector<traced_ptr<leaf>>*> heirs;
    traced_ptr<leaf> left;
};

struct holder {
    std::vector<part> vector;
    std::vector<default_part> defaults;
    std::list<part> list;
    std::deque<part> deque;
    std::map<int, part> map;
    std::optional<part> maybe;
};

traced_heap_options small(bool always) {
    traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = 10'000;
    options.collect_at_every_allocation = always;
    return options;
}

}  // namespace

TEST(traced_containers, elements_may_allocate_during_a_deferral) {
    for (const bool always : {false, true}) {
        traced_heap heap(small(always));
        heap_of_defaults = &heap;
        const traced_local<holder> kept = heap.make<holder>();
        const int many = always ? 50 : 2000;
        {
            const traced_heap::deferral change(heap);
            kept->defaults.resize(static_cast<std::size_t>(many));
            for (int i = 0; i < many; ++i) {
                kept->vector.emplace_back(heap, i);
                kept->list.emplace_front(heap, i);
                kept->deque.emplace_back(heap, i);
                kept->map.try_emplace(i, heap, i);
                kept->maybe.emplace(heap, i);
            }
        }
        for (int i = 0; i < 1000; ++i) static_cast<void>(heap.make<leaf>(0));
        heap.collect();
        for (int i = 0; i < many; ++i) {
            const auto place = static_cast<std::size_t>(i);
            ASSERT_TRUE(kept->vector[place].is_whole(i));
            ASSERT_TRUE(kept->defaults[place].is_whole());
            ASSERT_TRUE(kept->deque[place].is_whole(i));
            ASSERT_TRUE(kept->map.at(i).is_whole(i));
        }
        for (int i = many; const part& each : kept->list) ASSERT_TRUE(each.is_whole(--i));
        ASSERT_TRUE(kept->maybe->is_whole(many - 1));
    }
}

TEST(traced_containers, the_collection_comes_after_the_deferral) {
    int collections = 0;
    traced_heap_options options = small(false);
    options.on_collection = [&collections](const freehold::traced_collection&) { ++collections; };
    traced_heap heap(options);
    {
        const traced_heap::deferral outer(heap);
        const traced_heap::deferral inner(heap);
        for (int i = 0; i < 10'000; ++i) static_cast<void>(heap.make<leaf>(i));
        heap.collect();
        EXPECT_EQ(collections, 0);
    }
    for (int i = 0; i < 10'000; ++i) static_cast<void>(heap.make<leaf>(i));
    EXPECT_GE(collections, 1);
    EXPECT_LE(heap.live_bytes(), 10'000U);
}

TEST(traced_containers, what_only_deferrals_allocate_is_collected_between_them) {
    int collections = 0;
    traced_heap_options options = small(false);
    options.on_collection = [&collections](const freehold::traced_collection&) { ++collections; };
    traced_heap heap(options);
    heap.collect_if_due();
    EXPECT_EQ(collections, 0);
    for (int unit = 0; unit < 20; ++unit) {
        {
            const traced_heap::deferral change(heap);
            for (int i = 0; i < 10'000; ++i) static_cast<void>(heap.make<leaf>(i));
            heap.collect_if_due();
            EXPECT_EQ(collections, unit);
        }
        heap.collect_if_due();
        EXPECT_EQ(collections, unit + 1);
        heap.collect_if_due();
        EXPECT_EQ(collections, unit + 1);
    }
    EXPECT_EQ(heap.live_bytes(), 0U);
}

TEST(traced_containers, a_heap_that_always_collects_does_when_asked_whether_it_is_due) {
    traced_heap heap(small(true));
    static_cast<void>(heap.make<leaf>(1));
    heap.collect_if_due();
    EXPECT_EQ(heap.live_bytes(), 0U);
}

// No other store looks like one into a container that is being changed.
TEST(traced_containers, other_changes_need_no_deferral) {
    traced_heap heap(small(false));
    const traced_local<holder> kept = heap.make<holder>();
    const traced_local<holder> other = heap.make<holder>();
    struct pointers {
        std::vector<traced_ptr<leaf>> many;
        std::map<int, traced_ptr<leaf>> named;
        std::unique_ptr<traced_ptr<leaf>> owned;
    };
    const traced_local<pointers> one = heap.make<pointers>();
    traced_local<pointers> two = heap.make<pointers>();
    for (int i = 0; i < 20'000; ++i) {
        one->many.push_back(heap.make<leaf>(i));
        one->named[i % 100] = heap.make<leaf>(i);
        one->owned = std::make_unique<traced_ptr<leaf>>(heap.make<leaf>(i));
        if (i % 7 == 0) one->many.swap(two->many);
        if (i % 13 == 0) one->many.clear();
        if (i % 17 == 0) one->many.shrink_to_fit();
        if (i % 101 == 0) two = heap.make<pointers>();
        if (i % 5 == 0) one->named.erase(i % 100);
        for (const auto& each : one->many) ASSERT_GE(each->value, 0);
    }
    heap.collect();
    EXPECT_EQ(kept->vector.size() + other->vector.size(), 0U);
}

TEST(traced_containers, the_heap_may_reuse_the_memory_of_a_container) {
    struct node {
        traced_ptr<leaf> value;
        traced_ptr<node> next;
    };
    struct table {
        std::pmr::vector<traced_ptr<leaf>> slots{&freehold::page_cache::shared()};
    };
    traced_heap heap;
    {
        const traced_local<leaf> value = heap.make<leaf>(1);
        const traced_local<table> made = heap.make<table>();
        made->slots.reserve(std::size_t{1} << 19);  // as large as a chunk of the heap, and from the same cache
        made->slots.assign(200'000, value);
    }
    heap.collect();
    const traced_local<leaf> value = heap.make<leaf>(2);  // in the cell of the other
    traced_local<node> list;
    for (int i = 0; i < 500'000; ++i) list = heap.make<node>(value, list);
    heap.collect();
    EXPECT_EQ(list->value->value, 2);
}

namespace {

struct folder {
    std::filesystem::path path;
    support::flat_map<int, traced_ptr<folder>> folders = {};
    support::flat_map<int, std::filesystem::path> files = {};
    tracked counted = {};
};

}  // namespace

TEST(traced_containers, elements_behind_a_proxy_are_kept_and_freed) {
    traced_heap heap;
    traced_root<folder> top = heap.make<folder>("top");
    top->folders[2] = heap.make<folder>("below");
    top->folders[1] = heap.make<folder>("beside");
    top->folders[2]->folders[0] = top;
    top->files[0] = "file";
    for (int i = 0; i < 3; ++i) heap.collect();
    ASSERT_EQ(tracked::alive(), 3);
    EXPECT_EQ(top->folders[2]->path, "below");
    EXPECT_EQ(top->folders[2]->folders[0]->folders[1]->path, "beside");
    top->folders[2] = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 2);
    top.reset();
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST(traced_containers, a_destructor_may_store_what_lives_or_where_nothing_looks) {
    struct table {
        std::vector<traced_ptr<leaf>> heirs;
    };
    traced_heap heap;
    const auto kept = heap.make<table>();
    const auto alive = heap.make<leaf>(1);
    static_cast<void>(heap.make<testator>(kept->heirs, alive));
    std::vector<traced_ptr<leaf>> unused;
    static_cast<void>(heap.make<testator>(unused, heap.make<leaf>(2)));
    heap.collect();
    ASSERT_EQ(kept->heirs.size(), 1U);
    EXPECT_EQ(kept->heirs[0]->value, 1);
    unused.clear();
    unused.push_back(alive);
    EXPECT_EQ(unused[0]->value, 1) << "in the same place";
    heap.collect();
}
