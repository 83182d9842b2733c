// Random programs on heaps whose helper marks beside them. ThreadSanitizer sees whether the helper races.

#include <freehold/traced/detail/marking_helper.hpp>

#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "support/helped_program.hpp"
#include "support/opened_heap.hpp"
#include "support/thread_sanitizer.hpp"
#include "support/threads.hpp"

namespace {

struct marking_helper_tests;

}  // namespace

template struct support::opened_heap<&freehold::traced_heap::collector_, marking_helper_tests>;

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using support::helped;
using support::none;

using node = support::helped_node;
using program = support::helped_program;

// Whether this is the long run.
bool is_long() {
    return std::getenv("FREEHOLD_TEST_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

// It has a destructor, and says that it holds nothing but traced_ptrs.
struct closed_node {
    closed_node() = default;
    closed_node(const closed_node&) = delete;
    closed_node& operator=(const closed_node&) = delete;
    ~closed_node() {}  // NOLINT(modernize-use-equals-default): not trivial

    void trace(auto& visit) const { visit(next); }

    traced_ptr<closed_node> next;
};

}  // namespace

template <>
inline constexpr bool freehold::traces_concurrently<closed_node> = true;

namespace {

int steps() { return is_long() ? 2'000'000 : 30'000; }

// Effects: goes on until a cycle is running.
void begin_cycle(program& on) {
    for (int i = 0; i < 1'000'000 && !on.marks(); ++i) on.run(1);
    ASSERT_TRUE(on.marks());
}

}  // namespace

TEST(marking_helper, marks_all_that_is_reachable_in_several_heaps_at_once) {
    support::in_threads(4, [](int thread) {
        program one(static_cast<unsigned>(thread), helped(thread % 2 == 0 ? 64 : 8192));
        program other(static_cast<unsigned>(thread) + 100, helped());
        for (int i = 0; i < steps(); i += 100) {
            one.run(100);
            other.run(50);
        }
        EXPECT_TRUE(one.is_intact());
        EXPECT_TRUE(other.is_intact());
    });
}

TEST(marking_helper, frees_what_is_unreachable) {
    program one(1, helped());
    one.run(steps());
    const std::size_t before = one.heap().heap_bytes();
    one.run(10 * steps());
    EXPECT_LT(one.heap().heap_bytes(), 2 * before);
}

TEST(marking_helper, a_heap_may_end_in_the_middle) {
    for (unsigned i = 0; i < 50; ++i) {
        program one(i, helped());
        begin_cycle(one);
    }
}

TEST(marking_helper, a_full_collection_may_come_in_the_middle) {
    program one(1, helped());
    for (int i = 0; i < 50; ++i) {
        begin_cycle(one);
        one.heap().collect();
        ASSERT_TRUE(one.is_intact());
    }
}

TEST(marking_helper, goes_on_in_the_thread_that_a_heap_is_handed_to) {
    const auto one = std::make_unique<program>(1U, helped());
    for (int i = 0; i < 20; ++i) {
        begin_cycle(*one);
        one->heap().detach();
        support::in_threads(1, [&](int) {
            const traced_heap::attachment here(one->heap());
            one->run(500);
            EXPECT_TRUE(one->is_intact());
        });
        one->heap().attach();
    }
}

TEST(marking_helper, a_child_that_is_forked_goes_on_in_steps) {
    program one(1, helped());
    program other(2, helped());
    for (int i = 0; i < 10; ++i) {
        begin_cycle(one);
        begin_cycle(other);
        const pid_t child = ::fork();
        if (child == 0) {
            one.run(5000);
            other.run(5000);
            bool are_intact = one.is_intact() && other.is_intact();
#ifndef THREAD_SANITIZER  // which starts no thread in a child
            program made_here(3, helped());
            made_here.run(5000);
            are_intact = are_intact && made_here.is_intact();
#endif
            ::_exit(are_intact ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        one.run(500);
        EXPECT_TRUE(one.is_intact());
    }
}

TEST(marking_helper, large_arrays_are_marked_beside_the_program) {
    traced_heap heap(helped(8192));
    const auto all = heap.make_array<traced_ptr<node>>(600'000);
    for (std::size_t i = 0; i < 100'000; ++i) (*all)[i * 6] = heap.make_unrooted<node>(static_cast<int>(i));
    std::mt19937 random(1);
    for (int i = 0; i < 10 * steps(); ++i) {
        traced_ptr<node>& one = (*all)[random() % all->size()];
        traced_ptr<node>& other = (*all)[random() % all->size()];
        std::swap(one, other);
        (void)heap.make_unrooted<node>(none);
    }
    std::vector<bool> found(100'000);
    for (const auto& each : *all) {
        if (each) found.at(static_cast<std::size_t>(each->number)) = true;
    }
    for (const bool each : found) ASSERT_TRUE(each);
}

TEST(marking_helper, marks_while_other_heaps_of_the_thread_get_and_lose_arrays_of_megabytes) {
    program one(1, helped());
    traced_heap with_arrays(helped(8192));
    const auto kept = with_arrays.make_array<traced_ptr<node>>(600'000);
    for (int i = 0; i < 30; ++i) {
        begin_cycle(one);
        const auto also_kept = with_arrays.make_array<traced_ptr<node>>(700'000);
        (*kept)[599'999] = with_arrays.make<node>(i);
        (*also_kept)[0] = (*kept)[599'999];
        traced_heap short_lived(helped());
        (void)short_lived.make_array<int>(2'000'000);
        one.run(200);
        with_arrays.collect();
        ASSERT_EQ((*kept)[599'999]->number, i);
    }
    EXPECT_TRUE(one.is_intact());
}

#ifdef FREEHOLD_LINUX

namespace {

// Returns: the status of the thread that marks, as the kernel tells it; nothing if there is none.
std::string status_of_thread() {
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(each.path() / "status");
        const std::string status{std::istreambuf_iterator<char>(file), {}};
        if (status.starts_with("Name:\tfreehold-marks\n")) return status;
    }
    return {};
}

// Returns: the same, as soon as there is one.
std::string status_of_begun_thread() {
    std::string status;
    for (int i = 0; i < 1000 && status.empty(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        status = status_of_thread();
    }
    return status;
}

}  // namespace

TEST(marking_helper, is_one_thread_that_blocks_signals_and_ends_with_the_last_heap) {
    {
        const traced_heap one(helped());
        const traced_heap other(helped());
        EXPECT_NE(status_of_begun_thread(), "");
    }
    EXPECT_EQ(status_of_thread(), "");
    const traced_heap again(helped());
    const std::string status = status_of_begun_thread();
    const std::size_t blocked = status.find("SigBlk:\t");
    ASSERT_NE(blocked, std::string::npos) << status;
    const auto signals = std::stoull(status.substr(blocked + 8, 16), nullptr, 16);
    for (const int each : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM}) {
        EXPECT_NE(signals >> (each - 1) & 1U, 0U) << each;
    }
}

TEST(marking_helper, objects_with_destructors_are_marked_by_it) {
    traced_heap heap(helped());
    const traced_local<closed_node> first = heap.make<closed_node>();
    traced_local<closed_node> last = first;
    for (int i = 0; i < 100'000; ++i) {
        last->next = heap.make<closed_node>();
        last = last->next;
    }
    heap.collect();
    int count = 0;
    for (const closed_node* each = first.get(); each != nullptr; each = each->next.get()) ++count;
    EXPECT_EQ(count, 100'001);
}

TEST(marking_helper, begins_and_ends_with_heaps_of_several_threads) {
    support::in_threads(4, [](int) {
        for (int i = 0; i < 200; ++i) {
            traced_heap heap(helped());
            static_cast<void>(heap.make<node>(i));
        }
    });
    EXPECT_EQ(status_of_thread(), "");
}

#endif
