// Random programs on heaps whose helper marks beside them. Each node knows the numbers of the nodes that its pointers
// should lead to, so one that was freed and used again is found. ThreadSanitizer sees whether the helper races.

#include <freehold/traced/detail/marking_helper.hpp>

#include <gtest/gtest.h>
#include <freehold/traced/traced_deque.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_vector.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "support/opened_heap.hpp"
#include "support/thread_sanitizer.hpp"
#include "support/threads.hpp"

namespace {

struct marking_helper_tests;

}  // namespace

template struct support::opened_heap<&freehold::traced_heap::collector_, marking_helper_tests>;

namespace {

using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;

// Whether this is the long run.
bool is_long() {
    return std::getenv("FREEHOLD_TEST_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

struct node;

// What the helper leaves to the program.
struct left_alone {
    std::optional<traced_ptr<node>> maybe = {};
};

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

constexpr int none = -1;

struct node {
    int number = 0;
    std::array<int, 3> expected = {none, none, none};
    std::array<traced_ptr<node>, 3> edges = {};
    freehold::traced_vector<int> numbers = {};
    freehold::traced_vector<traced_ptr<node>> many = {};
    freehold::traced_deque<traced_ptr<node>> queue = {};
    traced_ptr<left_alone> other = {};
    int expected_other = none;

    [[nodiscard]] bool is_intact() const {
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if ((edges[i] ? edges[i]->number : none) != expected[i]) return false;
        }
        for (std::size_t i = 0; i < many.size(); ++i) {
            if (many[i]->number != numbers[i]) return false;
        }
        for (const auto& each : queue) {
            if (each->number < 0) return false;
        }
        return !other || (*other->maybe)->number == expected_other;
    }
};

static_assert(freehold::detail::is_traced_concurrently<node>());
static_assert(!freehold::detail::is_traced_concurrently<left_alone>());

traced_heap_options helped(std::size_t budget = 64) {
    traced_heap_options options;
    options.helper = true;
    options.pause_budget = budget;
    options.nursery_bytes = options.max_nursery_bytes = 32 * 1024;
    options.min_full_bytes = 256 * 1024;
    return options;
}

class program {
public:
    program(unsigned seed, const traced_heap_options& options) : random_(seed), heap_(options), roots_(20) {
        for (auto& each : roots_) each = heap_.make<node>(next_++);
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) step();
    }

    // Returns: whether all nodes that can be reached in some hundred steps are as the model says.
    [[nodiscard]] bool is_intact() {
        for (int i = 0; i < 2000; ++i) {
            if (!any(roots_[below(roots_.size())])->is_intact()) return false;
        }
        return true;
    }

    [[nodiscard]] traced_heap& heap() { return heap_; }

    [[nodiscard]] bool marks() { return support::collector_of(heap_).has_steps(); }

private:
    [[nodiscard]] std::size_t below(std::size_t count) { return random_() % count; }

    // Returns: a node at the end of a random way.
    [[nodiscard]] traced_local<node> any(const traced_root<node>& root) {
        traced_local<node> at = root;
        for (std::size_t way = below(12); way != 0; --way) {
            const std::size_t choice = below(5);
            if (choice < 3 && at->edges[choice]) at = at->edges[choice];
            if (choice == 3 && !at->many.empty()) at = at->many[below(at->many.size())];
            if (choice == 4 && !at->queue.empty()) at = at->queue.front();
        }
        return at;
    }

    void step() {
        traced_root<node>& root = roots_[below(roots_.size())];
        const traced_local<node> from = any(root);
        const bool is_new = below(3) != 0;
        traced_local<node> to = is_new ? heap_.make<node>(next_++) : any(root);
        const std::size_t choice = below(10);
        if (choice < 5) {
            const std::size_t i = choice % 3;
            from->edges[i] = to;
            from->expected[i] = to->number;
        } else if (choice < 7) {
            from->many.push_back(to);
            from->numbers.push_back(to->number);
            if (from->many.size() > 20) {
                from->many.erase(from->many.begin() + 3, from->many.begin() + 13);
                from->numbers.erase(from->numbers.begin() + 3, from->numbers.begin() + 13);
            }
        } else if (choice == 7) {
            from->many.swap(to->many);
            from->numbers.swap(to->numbers);
        } else if (choice == 8) {
            from->queue.push_back(to);
            if (from->queue.size() > 5) from->queue.pop_front();
        } else {
            from->other = heap_.make<left_alone>();
            from->other->maybe.emplace(to);
            from->expected_other = to->number;
        }
        if (below(200) == 0) root = heap_.make<node>(next_++);
    }

    std::mt19937 random_;
    traced_heap heap_;
    std::vector<traced_root<node>> roots_;
    int next_ = 0;
};

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
