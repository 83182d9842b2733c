// A child of a process that was forked while a drain had taken what is in some of the shards: its own drains are
// complete all the same.

#include <gtest/gtest.h>
#include <freehold/core/threading.hpp>
#include <freehold/reclamation/detail/hazard_readers.hpp>
#include <freehold/reclamation/detail/retired_shards.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <latch>
#include <thread>
#include <utility>

namespace {

struct two_shards : freehold::detail::process_records {
    struct adjustable {
        static constexpr std::uint64_t fence_period() { return 1; }
        static constexpr std::uint64_t chunk() { return 1; }
        static constexpr std::size_t weight_of(std::size_t) { return 1; }
    };

    static constexpr std::size_t shard_count = 2;
    static constexpr int weight_bits = 20;
    static constexpr bool is_first_group_in_place = true;
};

struct observed_threading : freehold::detail::process_threading {
    static constexpr int spins = 0;

    // A thread that finds a shard locked is one that the child does not have.
    static void rest() noexcept {
        set(has_found_a_locked_shard);
        is_over.wait(false);
    }
    static void sleep_while(const std::atomic<std::uint32_t>& number, std::uint32_t seen) noexcept {
        set(is_asleep);
        process_threading::sleep_while(number, seen);
    }

    static void set(std::atomic<bool>& condition) noexcept {
        condition = true;
        condition.notify_all();
    }

    static inline std::atomic<bool> has_found_a_locked_shard = false;
    static inline std::atomic<bool> is_asleep = false;
    static inline std::atomic<bool> is_over = false;
};

// Calls a function in a step of the work in a shard, which is locked meanwhile.
struct observed_readers : freehold::detail::hazard_readers<observed_threading, two_shards> {
    struct scan : hazard_readers::scan {
        bool step(observed_readers& readers, freehold::detail::retired_list& free,
                  freehold::detail::retired_list& kept) noexcept {
            if (const auto now = std::exchange(readers.in_the_next_step, {})) now();
            return hazard_readers::scan::step(readers, free, kept);
        }
    };

    std::function<void()> in_the_next_step;
};

struct object : freehold::detail::retired_object {
    explicit object(std::function<void()> function = {}) : at_end(std::move(function)) {
        reclaim = [](retired_object* retired) noexcept {
            auto& ended = *static_cast<object*>(retired);
            ended.is_alive = false;
            if (ended.at_end) ended.at_end();
        };
    }

    std::function<void()> at_end;
    std::atomic<bool> is_alive = true;
};

using freehold::detail::retiring_thread;

struct shards_type : freehold::detail::retired_shards<observed_threading, observed_readers, two_shards> {
    // Effects: works in the thread's shard until the object has ended.
    void retire_until_end_of(object& ending, retiring_thread& thread) {
        retire(ending, 1, thread);
        while (ending.is_alive) retire(others.emplace_back(), 1, thread);
    }

    std::deque<object> others;
};

shards_type shards;

[[nodiscard]] retiring_thread of_shard(std::uint32_t number) {
    retiring_thread made;
    made.shard = number;
    return made;
}

}  // namespace

TEST(fork_in_a_drain, a_drain_of_the_child_finds_what_a_deleter_of_another_thread_retires) {
    // The drain waits for the second shard, and the fork comes between.
    std::thread lost;
    shards.readers.in_the_next_step = [&lost] {
        lost = std::thread([] {
            retiring_thread draining = of_shard(1);
            shards.drain(draining);
        });
        observed_threading::has_found_a_locked_shard.wait(false);
    };
    object any;
    retiring_thread second = of_shard(2);
    shards.retire_until_end_of(any, second);
    shards.lock_for_fork();
    ASSERT_TRUE(shards.restart_in_child());
    // What is taken out of the first shard retires an object in the second one, which a drain has emptied meanwhile.
    std::latch is_ending(1);
    object nested;
    std::thread working([&] {
        retiring_thread mine = of_shard(1);
        object outer([&] {
            is_ending.count_down();
            observed_threading::is_asleep.wait(false);
            mine.shard = 2;
            shards.retire(nested, 1, mine);
        });
        shards.retire_until_end_of(outer, mine);
    });
    is_ending.wait();
    shards.drain(second);
    EXPECT_FALSE(nested.is_alive);
    working.join();
    observed_threading::set(observed_threading::is_over);
    lost.join();
    shards.drain(second);
}
