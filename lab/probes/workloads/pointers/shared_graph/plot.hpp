#pragma once
// shared-graph: `x` threads change one graph. It is a balanced tree of 131,071 nodes, whose subtrees of 15 nodes at the
// bottom refer to their parents, too. Operations are by turns: a new subtree replaces a random one; and the root of a
// random subtree refers to a leaf of another one, which it keeps with all that leads on from there. So what a thread
// drops is in cycles, among them some that other threads have made.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "registry/extents.hpp"
#include "workloads/pointers/address.hpp"
#include "workloads/pointers/random_numbers.hpp"
#include "workloads/pointers/sessions.hpp"
#include "workloads/pointers/timed_threads.hpp"

namespace lab::shared_graph {

constexpr int levels_above = 13;  // of nodes that are never replaced
constexpr int levels_of_a_subtree = 4;
constexpr int places = 1 << levels_above;  // of subtrees
constexpr int replacements_of_a_thread = 50'000;

// The program. A Form names node, which has number, left, right, parent and other; owner, a variable that keeps a node;
// root(), what keeps the tree; make(number); and session, which a thread has while it uses nodes, with lock(mutex).
template <class Form>
class gardener : timed_worker<Form> {
    using node = typename Form::node;
    using owner = typename Form::owner;
    using session = typename Form::session;
    friend timed_worker<Form>;

public:
    static void plant() {
        int number = 0;
        Form::root() = grow_above(levels_above, number);
    }

    // Returns the sum of the numbers of all subtrees that have been replaced.
    static std::uint64_t run(int threads) { return gardener::template run_all<gardener>(threads); }

    // Returns the sum of those that are in their places.
    static std::uint64_t sum_of_subtrees() {
        std::uint64_t sum = 0;
        for (int place = 0; place < places; ++place) {
            sum += static_cast<std::uint64_t>(edge_to(place)->number);
        }
        return sum;
    }

private:
    struct alignas(64) stripe {
        std::mutex mutex;
    };

    gardener(session& own, int thread)
        : timed_worker<Form>(own, thread), random_(static_cast<std::uint64_t>(thread) + 1) {}

    void work() {
        const int first = places + this->thread_ * replacements_of_a_thread;
        for (int i = 0; i < replacements_of_a_thread; ++i) {
            this->time([&] { replace(first + i); });
            this->time([&] { redirect(); });
        }
    }

    void replace(int number) {
        owner subtree = grow(levels_of_a_subtree, number);
        const int place = random_.below(places);
        {
            const auto held = lock(place);
            exchange(edge_to(place), subtree);
        }
        this->sum_ += static_cast<std::uint64_t>(subtree->number);
    }

    void redirect() {
        owner target{};
        const int from = random_.below(places);
        {
            const auto held = lock(from);
            target = random_leaf(address(edge_to(from)));
        }
        const int place = random_.below(places);
        const auto held = lock(place);
        exchange(edge_to(place)->other, target);
    }

    auto lock(int place) {
        return this->session_.lock(stripes[static_cast<std::size_t>(place) % stripes.size()].mutex);
    }

    auto& random_leaf(node* at) {
        for (int levels = levels_of_a_subtree - 1; levels > 1; --levels) {
            at = address(child(*at, random_.below(2)));
        }
        return child(*at, random_.below(2));
    }

    // The owner has what the edge had.
    static void exchange(auto& edge, owner& passed) {
        owner before = std::move(edge);
        edge = std::move(passed);
        passed = std::move(before);
    }

    static auto& child(node& of, int side) { return side == 0 ? of.left : of.right; }

    // Only the last edge on the way is ever changed.
    static auto& edge_to(int place) {
        node* at = address(Form::root());
        for (int level = levels_above - 1; level > 0; --level) {
            at = address(child(*at, place >> level & 1));
        }
        return child(*at, place & 1);
    }

    // Returns a tree of nodes which all have that number.
    static owner grow(int levels, int number) {
        owner top = Form::make(number);
        if (levels == 1) {
            return top;
        }
        for (const int side : {0, 1}) {
            owner below = grow(levels - 1, number);
            below->parent = top;
            child(*top, side) = std::move(below);
        }
        return top;
    }

    static owner grow_above(int levels, int& number) {
        if (levels == 0) {
            return grow(levels_of_a_subtree, number++);
        }
        owner top = Form::make(0);
        child(*top, 0) = grow_above(levels - 1, number);
        child(*top, 1) = grow_above(levels - 1, number);
        return top;
    }

    static inline std::array<stripe, 64> stripes;

    random_numbers random_;
};

// A Form, as far as it is the same for all strategies.
template <class Strategy, class Form>
struct planted : collecting<Strategy> {
    using session = typename Strategy::session;

    static void prepare(int) { gardener<Form>::plant(); }

    static std::uint64_t run(int threads) {
        const std::uint64_t replaced = wait_for<Strategy>([threads] { return gardener<Form>::run(threads); });
        return replaced + gardener<Form>::sum_of_subtrees();
    }
};

template <class Program>
using changed = timed_threads<extents, Program, "changes">;

}  // namespace lab::shared_graph
