// Heaps whose helper hardly runs, as where the system has no processor for it: the program takes part, and marks all.

#include <freehold/traced/detail/marking_helper.hpp>

#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

#include "support/helped_program.hpp"
#include "support/opened_heap.hpp"
#include "support/threads.hpp"

namespace support {

// Effects: no heap is marked by the helper until let_helper_go_on(), which the same thread calls: as in a fork.
void stop_helper() noexcept;
void let_helper_go_on() noexcept;

template <auto Stop, auto GoOn>
struct opened_helper {
    friend void stop_helper() noexcept { Stop(); }
    friend void let_helper_go_on() noexcept { GoOn(); }
};

}  // namespace support

using freehold::detail::marking_helper;

// An explicit instantiation may name private members.
template struct support::opened_helper<&marking_helper::stop_for_fork, &marking_helper::go_on_after_fork>;

namespace {

struct starved_marking_helper_tests;

}  // namespace

template struct support::opened_heap<&freehold::traced_heap::collector_, starved_marking_helper_tests>;

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_pause;
using freehold::traced_ptr;

// The helper runs a millisecond of 20 during the lifetime.
class starved_helper {
public:
    starved_helper() = default;
    starved_helper(const starved_helper&) = delete;
    starved_helper& operator=(const starved_helper&) = delete;
    ~starved_helper() {
        is_over_ = true;
        thread_.join();
    }

private:
    void starve() const {
        while (!is_over_) {
            support::stop_helper();
            std::this_thread::sleep_for(std::chrono::milliseconds(19));
            support::let_helper_go_on();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    std::atomic<bool> is_over_ = false;
    std::thread thread_{[this] { starve(); }};
};

// Nothing of it is left to the program.
struct tree {
    traced_ptr<tree> left;
    traced_ptr<tree> right;
};

static_assert(freehold::detail::is_traced_concurrently<tree>());

constexpr std::size_t depth = 15;
constexpr std::size_t nodes = (std::size_t{1} << depth) - 1;

// A heap with a tree, of which the program replaces parts.
class heap_with_tree {
public:
    heap_with_tree() : root_(grown(depth)) { heap_.collect(); }

    // Effects: goes on until a cycle ends, or a full collection comes first.
    void end_cycle() {
        const std::size_t before = ends();
        while (ends() == before) replace_part();
    }

    [[nodiscard]] std::size_t full_collections() const { return pauses(traced_pause::full); }

    [[nodiscard]] std::size_t count() const { return count(root_.get()); }

    // Returns: the objects that the program has traced in steps of a cycle.
    [[nodiscard]] std::size_t traced_in_steps() const {
        return work_[static_cast<std::size_t>(traced_pause::mark_step)];
    }

private:
    [[nodiscard]] std::size_t pauses(traced_pause kind) const { return pauses_[static_cast<std::size_t>(kind)]; }

    [[nodiscard]] std::size_t ends() const { return pauses(traced_pause::last_step) + full_collections(); }

    [[nodiscard]] freehold::traced_heap_options options() {
        freehold::traced_heap_options its = support::helped();
        its.on_collection = [this](const freehold::traced_collection& each) {
            ++pauses_[static_cast<std::size_t>(each.kind)];
            work_[static_cast<std::size_t>(each.kind)] += each.work;
        };
        return its;
    }

    [[nodiscard]] traced_local<tree> grown(std::size_t levels) {
        traced_local<tree> made = heap_.make<tree>();
        if (levels == 1) return made;
        made->left = grown(levels - 1);
        made->right = grown(levels - 1);
        return made;
    }

    // Effects: replaces 7 nodes.
    void replace_part() {
        traced_local<tree> parent = root_;
        for (std::size_t way = next_++, level = depth - 4; level != 0; --level, way /= 2) {
            parent = way % 2 == 0 ? parent->left : parent->right;
        }
        parent->left = grown(3);
    }

    [[nodiscard]] static std::size_t count(const tree* from) {
        return from == nullptr ? 0 : 1 + count(from->left.get()) + count(from->right.get());
    }

    std::array<std::size_t, 5> pauses_ = {};
    std::array<std::size_t, 5> work_ = {};
    traced_heap heap_{options()};
    freehold::traced_root<tree> root_;
    std::size_t next_ = 0;
};

}  // namespace

TEST(starved_marking_helper, the_program_traces_what_a_helper_does_not_that_is_stopped) {
    heap_with_tree one;
    support::stop_helper();
    const std::size_t full = one.full_collections();
    for (std::size_t i = 1; i <= 3; ++i) {
        one.end_cycle();
        EXPECT_EQ(one.full_collections(), full);
        EXPECT_GE(one.traced_in_steps(), i * nodes / 2);
        EXPECT_EQ(one.count(), nodes);
    }
    support::let_helper_go_on();
}

TEST(starved_marking_helper, the_program_takes_part_if_the_helper_is_late) {
    heap_with_tree one;
    const starved_helper late;
    const std::size_t before = one.traced_in_steps();
    for (int i = 0; i < 1000 && one.traced_in_steps() == before; ++i) one.end_cycle();
    EXPECT_GT(one.traced_in_steps(), before);
    EXPECT_EQ(one.count(), nodes);
}

TEST(starved_marking_helper, marks_all_that_is_reachable_with_the_program) {
    const starved_helper late;
    support::in_threads(2, [](int thread) {
        support::helped_program one(static_cast<unsigned>(thread), support::helped(thread == 0 ? 64 : 8192));
        for (int i = 0; i < 10; ++i) {
            one.run(3000);
            EXPECT_TRUE(one.is_intact());
        }
    });
}
