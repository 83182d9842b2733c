#include <freehold/collection/traced_heap.hpp>

#include <cstdlib>
#include <thread>

#include <freehold/collection/ephemeron.hpp>

#include "support/precondition.hpp"

namespace {

using freehold::borrowed;
using freehold::local;
using freehold::persistent;
using freehold::traced_heap;

struct object {
    int value = 0;
};

struct allocates_in_silence {
    explicit allocates_in_silence(traced_heap& heap) noexcept { static_cast<void>(heap.make<object>()); }
    void trace(auto&) const {}
};

#ifdef FREEHOLD_ADDRESS_SANITIZER
// A list that is built on what nobody holds.
int forget_a_root() {
    freehold::traced_heap_options options;
    options.collect_at_every_allocation = true;
    traced_heap heap(options);
    const borrowed<object> forgotten = heap.make_borrowed<object>();
    static_cast<void>(heap.make<object>());
    return forgotten->value;
}
#endif

}  // namespace

TEST(traced_heap_death, null_is_not_dereferenced) {
    const local<object> none;
    EXPECT_PRECONDITION(*none, "self\\(\\).get\\(\\) != nullptr");
    EXPECT_PRECONDITION(none->value, "self\\(\\).get\\(\\) != nullptr");
}

TEST(traced_heap_death, a_persistent_is_not_used_once_its_heap_has_ended) {
    persistent<object> left;
    {
        traced_heap heap;
        left = heap.make<object>();
    }
    EXPECT_PRECONDITION(left->value, "self\\(\\).get\\(\\) != nullptr");
}

TEST(traced_heap_death, another_thread_does_not_use_it) {
    const auto misuse = [] {
        traced_heap heap;
        std::thread([&heap] { heap.collect(); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "roots_ == &local_root::newest");
}

TEST(traced_heap_death, a_constructor_that_allocates_is_not_noexcept) {
    traced_heap heap;
    EXPECT_PRECONDITION(heap.make<allocates_in_silence>(heap), "constructing_without_exceptions_ == 0");
}

TEST(traced_heap_death, a_finaliser_is_for_an_object_of_the_heap) {
    traced_heap one;
    traced_heap other;
    const local<object> elsewhere = other.make<object>();
    EXPECT_PRECONDITION(one.add_finalizer(elsewhere, [](object&) {}), "collector_.holds");
}

TEST(traced_heap_death, an_ephemeron_has_both) {
    traced_heap heap;
    const local<object> key = heap.make<object>();
    EXPECT_PRECONDITION((freehold::ephemeron<object, object>(key, nullptr)), "key.get() != nullptr && value.get() != nullptr");
}

#ifdef FREEHOLD_ADDRESS_SANITIZER
TEST(traced_heap_death, a_root_that_was_forgotten_shows) {
    EXPECT_DEATH(std::exit(forget_a_root()), "use-after-poison");
}
#endif
