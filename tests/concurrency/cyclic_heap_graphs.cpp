// Random programs of several threads on one graph of objects, against what can be reached: whenever all are stopped and
// have collected, exactly that is alive.

#include <gtest/gtest.h>
#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/effort.hpp"
#include "support/threads.hpp"

using freehold::concurrent_cyclic_ptr;
using freehold::concurrent_cyclic_weak_ptr;
using freehold::cyclic_heap;

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::size_t threads = 3;
constexpr std::size_t rounds = 10;
constexpr std::size_t steps = 200;                   // of a thread in a round
constexpr std::size_t numbers = 1 + rounds * steps;  // that a thread may give

// How often each object is alive, by its number. relaxed: the rounds order what is compared.
std::array<std::atomic<int>, threads * numbers> alive;

void count_alive(std::size_t number, int difference) { alive[number].fetch_add(difference, std::memory_order_relaxed); }

struct node {
    explicit node(std::size_t given) : number(given) { count_alive(number, 1); }
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    virtual ~node() { count_alive(number, -1); }

    void trace(auto& visit) const { visit(first, others); }

    std::size_t number;
    concurrent_cyclic_ptr<node> first;
    std::vector<concurrent_cyclic_ptr<node>> others;
};

// Has a block of its own.
struct large_node : node {
    using node::node;

    void trace(auto& visit) const { node::trace(visit); }

    std::array<std::byte, std::size_t{64} * 1024> room;
};

// A pointer, and what is true of it.
struct root {
    concurrent_cyclic_ptr<node> pointer;
    std::size_t number = none;

    void swap(root& other) {
        pointer.swap(other.pointer);
        std::swap(number, other.number);
    }
};

// What all threads can reach.
struct common {
    std::mutex mutex;
    std::array<root, 4> places;
};

// What one thread does, and what it knows. It changes and follows the edges of those objects alone that it has made.
class worker {
public:
    worker(std::size_t thread, unsigned seed, cyclic_heap& heap, common& shared)
        : first_number_(thread * numbers),
          random_(seed * static_cast<unsigned>(threads) + static_cast<unsigned>(thread)),
          heap_(heap),
          shared_(shared) {}

    void step(cyclic_heap::session& session) {
        root& one = roots_[choose(roots_.size())];
        const root& other = roots_[choose(roots_.size())];
        switch (choose(12)) {
            case 0:
            case 1: make(one); break;
            case 2: one = other; break;
            case 3: one = root(); break;
            case 4:
            case 5:
                if (is_mine(one) && other.pointer) add_edge(*one.pointer, other);
                break;
            case 6:
                if (is_mine(one)) remove_edge(*one.pointer);
                break;
            case 7:
                if (is_mine(one)) follow(one);
                break;
            case 8:
            case 9: {
                const auto held = session.lock(shared_.mutex);
                shared_.places[choose(shared_.places.size())].swap(one);
                break;
            }
            case 10: {
                const auto held = session.lock(shared_.mutex);
                one = shared_.places[choose(shared_.places.size())];
                break;
            }
            case 11: lock_some(one); break;
        }
        if (choose(40) == 0) heap_.collect();
        if (choose(10) == 0) heap_.collect(1 + choose(30));
        if (choose(80) == 0) heap_.trim();
    }

    void drop_roots() {
        for (root& each : roots_) each = root();
    }

    [[nodiscard]] const std::array<root, 4>& roots() const { return roots_; }

    // Returns: what the object, which this thread has made, owns.
    [[nodiscard]] const std::vector<std::size_t>& edges(std::size_t number) const {
        return made_[number - first_number_].edges;
    }

    void check(const std::vector<bool>& reached) const {
        for (std::size_t i = 0; i < made_.size(); ++i) {
            const std::size_t number = first_number_ + i;
            ASSERT_EQ(alive[number], reached[number] ? 1 : 0) << "object " << number;
            ASSERT_EQ(made_[i].weak.expired(), !reached[number]) << "object " << number;
        }
    }

private:
    struct known_object {
        std::vector<std::size_t> edges;
        concurrent_cyclic_weak_ptr<node> weak;
    };

    std::size_t choose(std::size_t n) { return random_() % n; }

    [[nodiscard]] bool is_mine(const root& asked) const {
        return asked.pointer && asked.number >= first_number_ && asked.number < first_number_ + numbers;
    }

    void make(root& one) {
        const std::size_t number = first_number_ + made_.size();
        root made;
        made.number = number;
        if (choose(16) == 0) {
            made.pointer = heap_.make<large_node>(number);
        } else {
            made.pointer = heap_.make<node>(number);
        }
        made_.push_back({{}, made.pointer});
        if (choose(2) == 0 && one.pointer) add_edge(*made.pointer, one);
        one.swap(made);
    }

    void add_edge(node& from, const root& to) {
        auto& edges = made_[from.number - first_number_].edges;
        if (!from.first) {
            from.first = to.pointer;
            edges.insert(edges.begin(), to.number);
        } else {
            from.others.push_back(to.pointer);
            edges.push_back(to.number);
        }
    }

    void remove_edge(node& from) {
        auto& edges = made_[from.number - first_number_].edges;
        if (!from.others.empty()) {
            from.others.pop_back();
            edges.pop_back();
        } else if (from.first) {
            from.first.reset();
            edges.clear();
        }
    }

    void follow(root& one) {
        const node& from = *one.pointer;
        auto next = from.others.empty() ? from.first : from.others[choose(from.others.size())];
        one.number = next ? next->number : none;
        one.pointer = std::move(next);
    }

    // A weak pointer makes an owner of what is still there, even where nobody else owns it.
    void lock_some(root& one) {
        if (made_.empty()) return;
        const std::size_t i = choose(made_.size());
        auto locked = made_[i].weak.lock();
        if (!locked) return;
        ASSERT_EQ(locked->number, first_number_ + i);
        ASSERT_EQ(alive[locked->number], 1);
        one.number = locked->number;
        one.pointer = std::move(locked);
    }

    std::size_t first_number_;
    std::mt19937 random_;
    cyclic_heap& heap_;
    common& shared_;
    std::array<root, 4> roots_;
    std::vector<known_object> made_;
};

class program {
public:
    explicit program(unsigned seed) {
        for (auto& each : alive) each = 0;
        for (std::size_t thread = 0; thread < threads; ++thread) workers_.emplace_back(thread, seed, heap_, shared_);
    }

    void run() {
        support::in_threads(static_cast<int>(threads), [this](int thread) {
            worker& mine = workers_[static_cast<std::size_t>(thread)];
            cyclic_heap::session session(heap_);
            for (std::size_t round = 0; round < rounds; ++round) {
                for (std::size_t step = 0; step < steps; ++step) mine.step(session);
                settle(session, thread == 0);
                if (thread == 0) check();
                meet(session);
            }
            mine.drop_roots();
            if (thread == 0) {
                for (root& each : shared_.places) each = root();
            }
            settle(session, thread == 0);
            if (thread == 0) check();
            meet(session);
        });
        for (const auto& each : alive) ASSERT_EQ(each, 0);
    }

private:
    void meet(cyclic_heap::session& session) {
        const cyclic_heap::pause waiting(session);
        barrier_.arrive_and_wait();
    }

    // Effects: all collect, until there is nothing left to destroy.
    void settle(cyclic_heap::session& session, bool is_first) {
        if (is_first) left_ = none;
        bool more = true;
        while (more) {
            meet(session);
            heap_.collect();
            meet(session);  // at its end each destroys what the others have found
            meet(session);
            if (is_first) {
                const std::size_t before = std::exchange(left_, count_all());
                more_ = left_ != before;
            }
            meet(session);
            more = more_;
        }
    }

    [[nodiscard]] static std::size_t count_all() {
        return static_cast<std::size_t>(std::ranges::count_if(alive, [](const auto& each) { return each != 0; }));
    }

    // Requires: all others wait.
    void check() const {
        std::vector<bool> reached(threads * numbers);
        std::vector<std::size_t> waiting;
        const auto reach = [&](std::size_t number) {
            if (number == none || reached[number]) return;
            reached[number] = true;
            waiting.push_back(number);
        };
        for (const worker& each : workers_) {
            for (const root& owner : each.roots()) reach(owner.number);
        }
        for (const root& owner : shared_.places) reach(owner.number);
        while (!waiting.empty()) {
            const std::size_t number = waiting.back();
            waiting.pop_back();
            for (const std::size_t target : workers_[number / numbers].edges(number)) reach(target);
        }
        for (const worker& each : workers_) each.check(reached);
    }

    cyclic_heap heap_;
    common shared_;
    std::vector<worker> workers_;
    std::barrier<> barrier_{threads};
    bool more_ = false;  // this and the next: the barrier orders
    std::size_t left_ = none;
};

}  // namespace

TEST(cyclic_heap_graphs, exactly_what_is_reachable_is_alive_after_collections) {
    for (unsigned seed = 0; seed < support::programs(40); ++seed) {
        SCOPED_TRACE("program " + std::to_string(seed));
        program(seed).run();
        if (HasFatalFailure()) return;
    }
}
