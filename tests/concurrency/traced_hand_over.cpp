// Heaps that threads hand around in a ring, each with a random program on it. ThreadSanitizer sees whether they race.

#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "support/opened_heap.hpp"
#include "support/threads.hpp"
#include "support/traced_program.hpp"
#include "support/tracked.hpp"

namespace {

struct traced_hand_over_tests;

}  // namespace

template struct support::opened_heap<&freehold::traced_heap::collector_, traced_hand_over_tests>;

namespace {

using freehold::traced_heap;
using freehold::traced_heap_options;
using support::traced_program;

constexpr std::size_t threads = 4;
constexpr std::size_t heaps = 9;

int turns() {
    const char* const longer = std::getenv("FREEHOLD_TEST_LONG");  // NOLINT(concurrency-mt-unsafe)
    return longer != nullptr ? 2000 : 40;
}

struct handed {
    std::unique_ptr<traced_program> program;  // null if there are no more
    int turns_left = 0;
};

// A queue of detached heaps, which its mutex hands over.
class mailbox {
public:
    void push(handed added) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(std::move(added));
        }
        arrived_.notify_one();
    }

    // Returns: the next one, when it has arrived; none if the mailbox is closed.
    handed pop() {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return is_closed_ || !waiting_.empty(); });
        if (waiting_.empty()) return {};
        handed next = std::move(waiting_.front());
        waiting_.pop_front();
        return next;
    }

    void close() {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        arrived_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<handed> waiting_;
    bool is_closed_ = false;
};

// Each kind of heap: with a budget, with several threads that mark, with constant collections.
traced_heap_options options_of(std::size_t number) {
    traced_heap_options options;
    if (number % 3 == 0) options.pause_budget = 1;
    if (number % 3 == 1) options.mark_threads = 2;
    if (number % 2 == 0) options.nursery_bytes = options.max_nursery_bytes = options.min_full_bytes = 1;
    return options;
}

class traced_hand_over_ring : public support::tracked_test {};

}  // namespace

TEST_F(traced_hand_over_ring, random_programs_go_on_in_other_threads) {
    std::array<mailbox, threads> ring;
    for (std::size_t i = 0; i < heaps; ++i) {
        auto made = std::make_unique<traced_program>(static_cast<unsigned>(i), options_of(i), i % 3 == 0);
        made->is_alone = false;
        made->heap().detach();
        ring[i % threads].push({std::move(made), turns()});
    }
    std::atomic<std::size_t> unfinished = heaps;
    support::in_threads(threads, [&](int thread) {
        const auto own = static_cast<std::size_t>(thread);
        while (true) {
            handed next = ring[own].pop();
            if (next.program == nullptr) return;
            next.program->heap().attach();
            next.program->go_on(10);
            if (--next.turns_left != 0) {
                next.program->heap().detach();
                ring[(own + 1) % threads].push(std::move(next));
                continue;
            }
            next.program->finish();
            next.program.reset();
            if (--unfinished != 0) continue;
            for (mailbox& each : ring) each.close();
        }
    });
}
