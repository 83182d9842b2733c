#include <freehold/traced/traced_heap.hpp>

#include <cstddef>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_root_vector.hpp>

#include "support/precondition.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_root;
using freehold::traced_view;

struct object {
    int value = 0;
};

struct part {
    freehold::traced_ptr<object> held;
};

traced_heap* heap_of_parts = nullptr;

struct allocating_part : part {
    allocating_part() : part{heap_of_parts->make<object>(1)} {}
    void trace(auto& visit) const { visit(held); }
};

struct parts {
    std::vector<allocating_part> allocating;
    std::vector<part> many;

    void grow(traced_heap& heap, std::size_t count) {
        heap_of_parts = &heap;
        allocating.resize(count);
        heap.collect();
    }
};

freehold::traced_heap_options often_collected() {
    freehold::traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = 100'000;
    return options;
}

// Declares that its pointers are inside, and has some in a buffer.
struct points_elsewhere {
    void trace(auto& visit) const { visit(inside, outside); }
    freehold::traced_ptr<object> inside;
    std::vector<freehold::traced_ptr<object>> outside;
};

}  // namespace

template <>
inline constexpr bool freehold::points_directly<points_elsewhere> = true;

namespace {

struct collects_in_silence {
    explicit collects_in_silence(traced_heap& its) noexcept { its.collect(); }
    void trace(auto&) const {}
};

struct allocates_in_silence {
    explicit allocates_in_silence(traced_heap& heap) noexcept { static_cast<void>(heap.make<object>()); }
    void trace(auto&) const {}
};

#ifdef FREEHOLD_ADDRESS_SANITIZER
// Uses an object that no root keeps alive.
int forget_a_root() {
    freehold::traced_heap_options options;
    options.collect_at_every_allocation = true;
    traced_heap heap(options);
    const traced_view<object> forgotten = heap.make_unrooted<object>();
    static_cast<void>(heap.make<object>());
    return forgotten.get()->value;
}
#endif

}  // namespace

TEST(traced_heap_death, null_is_not_dereferenced) {
    const traced_local<object> none;
    EXPECT_PRECONDITION(*none, "self\\(\\).get\\(\\) != nullptr");
    EXPECT_PRECONDITION(none->value, "self\\(\\).get\\(\\) != nullptr");
}

TEST(traced_heap_death, an_array_is_not_indexed_beyond_its_end) {
    traced_heap heap;
    const auto array = heap.make_array<int>(3);
    EXPECT_PRECONDITION((*array)[3], "i < size_");
    freehold::traced_root_vector<object> roots(heap);
    roots.emplace_back();
    EXPECT_PRECONDITION(roots[1], "i < size\\(\\)");
}

TEST(traced_heap_death, a_traced_root_is_not_used_once_its_heap_is_destroyed) {
    traced_root<object> left;
    {
        traced_heap heap;
        left = heap.make<object>();
    }
    EXPECT_PRECONDITION(left->value, "self\\(\\).get\\(\\) != nullptr");
}

TEST(traced_heap_death, another_thread_does_not_use_the_heap) {
    const auto misuse = [] {
        traced_heap heap;
        std::thread([&heap] { heap.collect(); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "only.stack.is_attached_here\\(\\)");
}

TEST(traced_heap_death, a_constructor_that_collects_is_not_noexcept) {
    traced_heap heap;
    EXPECT_PRECONDITION(heap.make<collects_in_silence>(heap), "constructing_without_exceptions == 0");
}

TEST(traced_heap_death, a_constructor_that_allocates_is_not_noexcept) {
    traced_heap heap;
    EXPECT_PRECONDITION(heap.make<allocates_in_silence>(heap), "constructing_without_exceptions == 0");
}

TEST(traced_heap_death, a_finalizer_is_for_an_object_of_the_heap) {
    traced_heap one;
    traced_heap other;
    const traced_local<object> elsewhere = other.make<object>();
    EXPECT_PRECONDITION(one.add_finalizer(elsewhere, [](object&) {}), "here\\(\\).heap.holds");
}

TEST(traced_heap_death, a_container_is_not_changed_by_elements_that_allocate) {
    traced_heap heap(often_collected());
    const traced_local<parts> kept = heap.make<parts>();
    EXPECT_PRECONDITION(kept->grow(heap, 20'000), "no_collection_came_while_a_container_was_changed");
#ifndef NDEBUG
    EXPECT_DEATH(kept->grow(heap, 20'000), "a traced_heap::deferral lives.*\n.*type: .*parts");
#endif
}

TEST(traced_heap_death, a_container_is_filled_inside_an_object_of_the_heap) {
    traced_heap heap(often_collected());
    const traced_local<parts> kept = heap.make<parts>();
    const auto misuse = [&] {
        std::vector<part> made;
        made.reserve(20'000);
        for (int i = 0; i < 20'000; ++i) made.push_back({heap.make<object>(i)});
        kept->many = std::move(made);
        heap.collect();
    };
    EXPECT_PRECONDITION(misuse(), "no_collection_came_while_a_container_was_changed");
}

TEST(traced_heap_death, an_object_that_points_directly_has_no_pointer_outside) {
    traced_heap heap;
    const traced_local<points_elsewhere> kept = heap.make<points_elsewhere>();
    kept->inside = heap.make<object>();
    heap.collect();
    kept->outside.emplace_back();
    EXPECT_PRECONDITION(heap.collect(), "the_pointer_is_in_the_object");
#ifndef NDEBUG
    EXPECT_DEATH(heap.collect(), "visits a traced pointer outside of the object.*\n.*type: .*points_elsewhere");
#endif
    kept->outside.clear();
}

TEST(traced_heap_death, an_ephemeron_has_a_key_and_a_value) {
    traced_heap heap;
    const traced_local<object> key = heap.make<object>();
    EXPECT_PRECONDITION((freehold::ephemeron<object, object>(key, nullptr)),
                        "key.get\\(\\) != nullptr && value.get\\(\\) != nullptr");
}

#ifdef FREEHOLD_ADDRESS_SANITIZER
TEST(traced_heap_death, a_missing_root_is_reported) { EXPECT_DEATH(std::exit(forget_a_root()), "use-after-poison"); }
#endif
