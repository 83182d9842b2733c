// What one thread publishes through a word that is one for the program, another may use. The threads meet through what
// orders nothing: if the word orders nothing either, ThreadSanitizer reports a race.

#include <gtest/gtest.h>
#include <freehold/core/assert.hpp>
#include <freehold/memory/concurrent_monotonic_resource.hpp>
#include <freehold/memory/detail/arena_thread.hpp>
#include <freehold/memory/detail/pool_thread.hpp>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/deferred_releases.hpp>
#include <freehold/pointers/make_shared.hpp>

#include <chrono>
#include <thread>

#include "support/relaxed_flag.hpp"

namespace {

int written = 0;

void first_handler(const freehold::precondition_failure&) {}
void second_handler(const freehold::precondition_failure&) {}

// Effects: one thread calls `publish`, then another one `use`.
template <class Publish, class Use>
void in_two_threads(Publish publish, Use use) {
    support::relaxed_flag is_published;
    std::thread second([&] {
        is_published.wait();
        use();
    });
    std::thread first([&] {
        publish();
        is_published.raise();
    });
    first.join();
    second.join();
}

void set_first_handler() {
    written = 1;
    freehold::set_precondition_handler(first_handler);
}

}  // namespace

TEST(publication, who_gets_a_precondition_handler_sees_what_was_written_before_it_was_set) {
    in_two_threads(set_first_handler, [] {
        EXPECT_EQ(freehold::get_precondition_handler(), first_handler);
        EXPECT_EQ(written, 1);
    });
    freehold::set_precondition_handler(nullptr);
}

TEST(publication, who_replaces_a_precondition_handler_sees_what_was_written_before_it_was_set) {
    in_two_threads(set_first_handler, [] {
        EXPECT_EQ(freehold::set_precondition_handler(second_handler), first_handler);
        EXPECT_EQ(written, 1);
    });
    freehold::set_precondition_handler(nullptr);
}

TEST(publication, the_registry_of_threads_may_be_used_by_a_thread_that_did_not_make_it) {
    using registry = freehold::detail::thread_registry;
    freehold::detail::thread_record* taken = nullptr;
    in_two_threads([] { EXPECT_NE(registry::get(), nullptr); }, [&] { taken = registry::get()->take(); });
    ASSERT_NE(taken, nullptr);
    const freehold::detail::static_lock held(*registry::get());
    registry::get()->give_back(taken);
}

// The second thread has its record before the first one begins, here and below: to get what that gives back orders,
// too.
TEST(publication, who_takes_over_the_part_of_an_arena_sees_it_as_the_thread_that_ended_has_left_it) {
    freehold::concurrent_monotonic_resource arena;
    support::relaxed_flag is_ready;
    support::relaxed_flag is_used;
    std::thread second([&] {
        EXPECT_TRUE(freehold::detail::this_arena_thread.begin());
        is_ready.raise();
        is_used.wait();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));  // meanwhile the first one ends
        static_cast<void>(arena.allocate(16));
    });
    std::thread first([&] {
        is_ready.wait();
        for (int i = 0; i < 10; ++i) static_cast<void>(arena.allocate(16));
        is_used.raise();
    });
    first.join();
    second.join();
}

TEST(publication, who_flushes_atomic_pointers_sees_what_the_flush_before_has_written) {
    support::relaxed_flag is_ready;
    support::relaxed_flag is_flushed;
    const auto flush = [] { EXPECT_EQ(freehold::flush_deferred_releases(), 0U); };
    std::thread second([&] {
        EXPECT_NE(freehold::detail::atomic_pointers.own(), nullptr);
        is_ready.raise();
        is_flushed.wait();
        flush();
    });
    std::thread first([&] {
        is_ready.wait();
        flush();
        is_flushed.raise();
    });
    first.join();
    second.join();
}

// A snapshot keeps what the first thread has deferred, and the second one takes it over when the first has been idle.
TEST(publication, who_takes_over_what_another_has_deferred_may_change_it) {
    support::relaxed_flag is_flushed;
    support::relaxed_flag is_taken_over;
    freehold::atomic_shared_ptr<int> atomic(freehold::make_shared<int>(1));
    std::thread second([&] {
        EXPECT_NE(freehold::detail::atomic_pointers.own(), nullptr);
        is_flushed.wait();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        freehold::atomic_shared_ptr<int> other(freehold::make_shared<int>(2));
        for (int i = 0; i < 3; ++i) other.store(freehold::make_shared<int>(i));
        is_taken_over.raise();
    });
    std::thread first([&] {
        const auto read = atomic.snapshot();
        atomic.store(freehold::make_shared<int>(3));
        EXPECT_EQ(freehold::flush_deferred_releases(), 1U);
        is_flushed.raise();
        is_taken_over.wait();
    });
    first.join();
    second.join();
}
