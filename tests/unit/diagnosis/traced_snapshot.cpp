#include <gtest/gtest.h>
#include <freehold/diagnosis/traced_snapshot.hpp>

#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <latch>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_frame.hpp>
#include <freehold/traced/traced_vector.hpp>

#include "support/heap_in_thread.hpp"
#include "support/text_of.hpp"

using freehold::heap_snapshot;
using freehold::shared_traced_heap;
using freehold::snapshot_of;
using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using support::heap_in_thread;
using support::text_of;

namespace {

struct node {
    int value = 0;
    traced_ptr<node> left = {};
    traced_ptr<node> right = {};
};

struct image {
    std::vector<char> pixels = {};
    std::vector<traced_ptr<node>> nodes = {};
};

struct list {
    freehold::traced_vector<traced_ptr<node>> all;
};

struct wide {
    std::array<char, 5'000'000> text = {};
    traced_ptr<node> last = {};
};

struct waiting {
    struct promise_type : freehold::traced_promise<promise_type> {
        waiting get_return_object() { return {frame()}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };

    traced_local<freehold::traced_frame> frame;
};

template <class Heap>
waiting wait_with(Heap& /*heap*/, traced_local<node> held) {
    co_await std::suspend_always();
    held->value = 0;
}

// Makes a node when it dies.
template <class Heap>
struct mourned {
    explicit mourned(Heap& its) : heap(&its) {}
    mourned(const mourned&) = delete;
    mourned& operator=(const mourned&) = delete;
    ~mourned() { static_cast<void>(heap->template make_unrooted<node>()); }

    void trace(auto&) const {}

    Heap* heap;
};

template <class Function>
[[gnu::noinline]] auto in_a_call(Function function) {
    return function();
}

template <class Heap>
class snapshot_of_a_heap : public testing::Test {};

using heaps = testing::Types<traced_heap, shared_traced_heap>;
TYPED_TEST_SUITE(snapshot_of_a_heap, heaps);

std::ptrdiff_t objects_of(const heap_snapshot& snapshot, const std::string& type) {
    std::ptrdiff_t found = 0;
    for (const auto& line : census(snapshot)) {
        if (line.type.find(type) != std::string::npos) found += line.objects + line.garbage;
    }
    return found;
}

}  // namespace

TYPED_TEST(snapshot_of_a_heap, it_has_the_objects_and_their_pointers) {
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    const traced_local<node> one = heap.template make<node>(1);
    one->right = heap.template make<node>(2, one);
    const heap_snapshot snapshot = snapshot_of(heap);
    ASSERT_EQ(snapshot.size(), 2U);
    EXPECT_STREQ(snapshot.heap(), (std::is_same_v<TypeParam, traced_heap> ? "traced_heap" : "shared_traced_heap"));
    EXPECT_NE(snapshot.type_of(0).name.find("node"), std::string::npos);
    const std::size_t first = snapshot.at(one.get());
    const std::size_t second = snapshot.at(one->right.get());
    ASSERT_EQ(snapshot.degree(first), 1U);
    EXPECT_EQ(snapshot.target(first, 0), second);
    EXPECT_EQ(snapshot.target(second, 0), first);
}

TYPED_TEST(snapshot_of_a_heap, roots_of_every_kind_hold_objects) {
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    const traced_local<node> old = heap.template make<node>(1);
    traced_root<node> root = heap.template make<node>(2);
    traced_root<node> other = heap.template make<node>(3);
    const traced_local<node> none;
    const node* young = nullptr;
    const heap_snapshot snapshot = in_a_call([&] {
        const traced_local<node> last = heap.template make<node>(4);
        young = last.get();
        return snapshot_of(heap);
    });
    EXPECT_STREQ(who_owns(snapshot, old.get()).begin.kind, "traced_local");
    EXPECT_EQ(who_owns(snapshot, old.get()).begin.number, 1U) << "the oldest";
    EXPECT_EQ(who_owns(snapshot, young).begin.number, 2U);
    EXPECT_STREQ(who_owns(snapshot, root.get()).begin.kind, "traced_root");
    EXPECT_STREQ(who_owns(snapshot, other.get()).begin.kind, "traced_root");
}

TEST(traced_snapshot, a_word_on_a_conservative_stack_is_a_root) {
    traced_heap_options options;
    options.conservative_stack = true;
    traced_heap heap(options);
    node* volatile const raw = heap.make_unrooted<node>(1).get();
    const heap_snapshot snapshot = snapshot_of(heap);
    EXPECT_STREQ(who_owns(snapshot, raw).begin.kind, "word on the stack");
}

TEST(traced_snapshot, roots_of_other_heaps_are_left_out) {
    traced_heap heap;
    traced_heap other;
    const traced_local<node> here = heap.make<node>(1);
    const traced_local<node> there = other.make<node>(1);
    EXPECT_EQ(snapshot_of(heap).roots().size(), 1U);
}

TYPED_TEST(snapshot_of_a_heap, garbage_is_there_until_a_collection) {
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    {
        const traced_local<node> one = heap.template make<node>(1);
        one->left = heap.template make<node>(2, one);
    }
    EXPECT_EQ(find_cycles(snapshot_of(heap)).size(), 1U);
    EXPECT_EQ(snapshot_of(heap).size(), 2U);
    heap.collect();
    EXPECT_EQ(snapshot_of(heap).size(), 0U);
}

TYPED_TEST(snapshot_of_a_heap, cells_that_were_not_handed_out_hold_nothing) {
    int collections = 0;
    traced_heap_options options;
    options.nursery_bytes = 64 * 1024;
    options.on_collection = [&collections](const freehold::traced_collection&) { ++collections; };
    heap_in_thread<TypeParam> own(options);
    TypeParam& heap = own.heap;
    static_cast<void>(heap.template make<mourned<TypeParam>>(heap));
    while (collections == 0) static_cast<void>(heap.template make<node>());
    // One from the destructor, and one from the make that has collected.
    EXPECT_EQ(objects_of(snapshot_of(heap), "node"), 2);
}

TYPED_TEST(snapshot_of_a_heap, objects_made_after_a_snapshot_are_in_the_next) {
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    std::vector<traced_root<node>> kept;
    for (int i = 0; i < 300; ++i) {
        kept.push_back(heap.template make<node>(i));
        ASSERT_EQ(snapshot_of(heap).size(), kept.size());
        if (i % 100 == 50) heap.collect_young();
    }
    heap.collect();
    for (int i = 0; i < 300; ++i) ASSERT_EQ(kept[static_cast<std::size_t>(i)]->value, i);
}

TYPED_TEST(snapshot_of_a_heap, pointers_in_buffers_and_far_in_large_objects_count) {
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    const traced_local<image> picture = heap.template make<image>();
    picture->nodes.push_back(heap.template make<node>(1));
    const traced_local<wide> large = heap.template make<wide>();
    large->last = heap.template make<node>(2);
    const heap_snapshot snapshot = snapshot_of(heap);
    EXPECT_EQ(who_owns(snapshot, picture->nodes[0].get()).owners.at(0).object, picture.get());
    EXPECT_EQ(who_owns(snapshot, large->last.get()).owners.at(0).object, large.get());
    EXPECT_EQ(snapshot.at(&large->last), snapshot.at(large.get()));
    EXPECT_EQ(objects_of(snapshot, "wide"), 1);
}

TYPED_TEST(snapshot_of_a_heap, a_coroutine_in_the_heap_holds_its_variables) {
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    traced_root<node> held = heap.template make<node>(1);
    const waiting made = wait_with(heap, traced_local<node>(held));
    const heap_snapshot snapshot = snapshot_of(heap);
    EXPECT_EQ(objects_of(snapshot, "traced_frame"), 1);
    const std::size_t frame = snapshot.at(made.frame.get());
    ASSERT_EQ(snapshot.degree(frame), 1U);
    EXPECT_EQ(snapshot.target(frame, 0), snapshot.at(held.get()));
}

TYPED_TEST(snapshot_of_a_heap, memory_outside_of_the_heap_counts) {
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    const traced_local<image> picture = heap.template make<image>();
    picture->pixels.reserve(1000);
    heap.external_bytes(picture, 10);
    const heap_snapshot snapshot = snapshot_of(heap);
    EXPECT_EQ(snapshot.objects()[snapshot.at(picture.get())].external_bytes, 1010U);
}

TYPED_TEST(snapshot_of_a_heap, an_ephemeron_holds_its_value) {
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    const traced_local<node> key = heap.template make<node>(1);
    const traced_local<node> unused_key = heap.template make<node>(3);
    const freehold::ephemeron<node, node> pair(key, heap.template make<node>(2));
    const heap_snapshot snapshot = snapshot_of(heap);
    ASSERT_EQ(snapshot.degree(snapshot.at(key.get())), 1U);
    EXPECT_TRUE(snapshot.is_held(snapshot.target(snapshot.at(key.get()), 0)));
    EXPECT_EQ(snapshot.degree(snapshot.at(unused_key.get())), 0U);
}

TYPED_TEST(snapshot_of_a_heap, what_a_container_that_grows_needs_is_held) {
    traced_heap_options options;
    options.collect_at_every_allocation = true;
    heap_in_thread<TypeParam> own(options);
    TypeParam& heap = own.heap;
    const traced_local<list> owner = heap.template make<list>();
    traced_local<node> dying = heap.template make<node>(1);
    heap_snapshot snapshot;
    heap.add_finalizer(dying, [&](node&) { snapshot = snapshot_of(heap); });
    const traced_view<node> added = heap.template make_unrooted<node>(2);
    dying = nullptr;
    owner->all.push_back(added);
    EXPECT_STREQ(who_owns(snapshot, added.get()).begin.kind, "call of a container");
}

TYPED_TEST(snapshot_of_a_heap, it_changes_nothing) {
    int collections = 0;
    traced_heap_options options;
    options.on_collection = [&](const freehold::traced_collection&) { ++collections; };
    heap_in_thread<TypeParam> own(options);
    TypeParam& heap = own.heap;
    const traced_local<node> one = heap.template make<node>(1);
    const std::size_t heap_bytes = heap.heap_bytes();
    const auto text = [&] { return text_of([&](std::FILE* out) { write_json(snapshot_of(heap), out); }); };
    EXPECT_EQ(text(), text());
    EXPECT_EQ(heap.heap_bytes(), heap_bytes);
    EXPECT_EQ(heap.live_bytes(), 0U);
    EXPECT_EQ(collections, 0);
}

TYPED_TEST(snapshot_of_a_heap, the_same_program_numbers_objects_in_the_same_way) {
    const auto text = [] {
        heap_in_thread<TypeParam> own;
        TypeParam& heap = own.heap;
        std::vector<traced_root<node>> kept(100);
        for (int i = 0; i < 20'000; ++i) {
            auto& each = kept[static_cast<std::size_t>(i * 7 % 100)];
            each = heap.template make<node>(i, i % 3 == 0 ? each : traced_root<node>());
            if (i % 5000 == 4999) heap.collect();
        }
        return text_of([&](std::FILE* out) { write_json(snapshot_of(heap), out); });
    };
    const std::string first = text();
    const std::vector<char> other_addresses(10'000'000);
    const TypeParam other_chunks;
    EXPECT_EQ(first, text());
}

TEST(traced_snapshot, the_locals_of_all_sessions_are_roots) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    const traced_local<node> own = heap.make<node>(1);
    const node* pausing = nullptr;
    const node* running = nullptr;
    std::latch ready(3);
    std::latch done(1);
    std::atomic<bool> has_ended = false;
    std::thread second([&] {
        shared_traced_heap::session its(heap);
        const traced_local<node> held = heap.make<node>(2);
        pausing = held.get();
        const shared_traced_heap::pause waiting(its);
        ready.count_down();
        done.wait();
    });
    std::thread third([&] {
        shared_traced_heap::session its(heap);
        const traced_local<node> held = heap.make<node>(3);
        running = held.get();
        ready.count_down();
        while (!has_ended) its.safepoint();
    });
    {
        const shared_traced_heap::pause waiting(session);
        ready.arrive_and_wait();
    }
    const heap_snapshot snapshot = snapshot_of(heap);
    has_ended = true;
    done.count_down();
    second.join();
    third.join();
    EXPECT_EQ(snapshot.size(), 3U);
    EXPECT_EQ(snapshot.roots().size(), 3U);
    EXPECT_EQ(who_owns(snapshot, own.get()).begin.session, 1U);
    const heap_snapshot::root one = who_owns(snapshot, pausing).begin;
    const heap_snapshot::root other = who_owns(snapshot, running).begin;
    EXPECT_EQ(one.session + other.session, 2U + 3U);
    EXPECT_EQ(one.name(), "traced_local 1 of session " + std::to_string(one.session));
    const std::string json = text_of([&](std::FILE* out) { write_json(snapshot, out); });
    EXPECT_NE(json.find(R"("kind": "traced_local", "number": 1, "session": 3)"), std::string::npos);
}
