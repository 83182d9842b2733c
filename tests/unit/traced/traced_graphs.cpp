// Random programs on graphs, checked against a model that knows what is reachable. FREEHOLD_STRESS_PROGRAMS is their
// number.

#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <freehold/traced/traced_weak_ptr.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_root;
using freehold::traced_view;
using freehold::traced_weak_ptr;
using support::tracked;
using support::tracked_node;

int programs() {
    const char* const asked = std::getenv("FREEHOLD_STRESS_PROGRAMS");  // NOLINT(concurrency-mt-unsafe)
    return asked != nullptr ? std::atoi(asked) : 300;
}

std::vector<int> edges_of(const tracked_node& node) {
    std::vector<int> found;
    const auto note = [&found](const tracked_node::edge& edge) {
        if (edge) found.push_back(edge->id);
    };
    freehold::trace(node, note);
    return found;
}

class program {
public:
    program(unsigned seed, const traced_heap_options& options) : random_(seed), heap_(options) {}

    void run(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
        heap_.collect();
        expect_exactly_what_is_reachable();
    }

private:
    int any(std::size_t count) { return std::uniform_int_distribution<int>(0, static_cast<int>(count) - 1)(random_); }

    int any_reachable() {
        const std::set<int> all = reachable();
        auto chosen = all.begin();
        std::advance(chosen, any(all.size()));
        return *chosen;
    }

    void step() {
        const int choice = any(100);
        if (model_.empty() || reachable().empty() || choice < 35) {
            make();
        } else if (choice < 70) {
            connect();
        } else if (choice < 75) {
            swap_vectors();
        } else if (choice < 85) {
            const std::size_t slot = static_cast<std::size_t>(any(roots_.size()));
            roots_[slot].reset();
            root_ids_[slot] = none;
        } else if (choice < 95) {
            heap_.collect_young();
            expect_all_that_is_reachable();
        } else {
            heap_.collect();
            expect_exactly_what_is_reachable();
        }
    }

    void make() {
        const int id = static_cast<int>(weak_.size());
        const std::size_t slot = static_cast<std::size_t>(any(roots_.size()));
        if (!reachable().empty() && any(2) == 0) {
            const int target = any_reachable();
            const traced_local<tracked_node> made = heap_.make<tracked_node>(id, tracked(), at(target));
            roots_[slot] = made;
        } else {
            roots_[slot] = heap_.make_unrooted<tracked_node>(id);
        }
        root_ids_[slot] = id;
        weak_.emplace_back(roots_[slot]);
        update(id);
    }

    void connect() {
        const int from = any_reachable();
        at(from)->set(any(tracked_node::kinds), at(any_reachable()));
        update(from);
    }

    void swap_vectors() {
        const int one = any_reachable();
        const int other = any_reachable();
        at(one)->many.swap(at(other)->many);
        update(one);
        update(other);
    }

    // Effects: copies the edges of the node to the model. Requires: they lead to reachable nodes.
    void update(int id) { model_[id] = edges_of(*at(id)); }

    traced_local<tracked_node> at(int id) { return weak_[static_cast<std::size_t>(id)].lock(); }

    std::set<int> reachable() const {
        std::set<int> found;
        std::vector<int> open;
        for (const int id : root_ids_) {
            if (id != none && found.insert(id).second) open.push_back(id);
        }
        while (!open.empty()) {
            const int id = open.back();
            open.pop_back();
            for (const int next : model_.at(id)) {
                if (found.insert(next).second) open.push_back(next);
            }
        }
        return found;
    }

    void expect_all_that_is_reachable() {
        for (const int id : reachable()) {
            const traced_local<tracked_node> node = at(id);
            ASSERT_TRUE(node) << id;
            ASSERT_EQ(node->id, id);
            ASSERT_EQ(edges_of(*node), model_[id]);
        }
    }

    void expect_exactly_what_is_reachable() {
        expect_all_that_is_reachable();
        const std::set<int> all = reachable();
        ASSERT_EQ(tracked::alive(), static_cast<int>(all.size()));
        for (std::size_t i = 0; i < weak_.size(); ++i) {
            ASSERT_EQ(weak_[i].expired(), !all.contains(static_cast<int>(i))) << i;
        }
    }

    static constexpr int none = -1;

    std::mt19937 random_;
    traced_heap heap_;
    std::vector<traced_root<tracked_node>> roots_{4};
    std::vector<int> root_ids_{none, none, none, none};
    std::vector<traced_weak_ptr<tracked_node>> weak_;  // of all that were ever made
    std::map<int, std::vector<int>> model_;
};

class traced_graphs : public support::tracked_test {};

}  // namespace

TEST_F(traced_graphs, with_a_collection_at_every_allocation) {
    traced_heap_options options;
    options.collect_at_every_allocation = true;
    for (int i = 0; i < programs() && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        program(static_cast<unsigned>(i), options).run(60);
    }
}

TEST_F(traced_graphs, with_occasional_collections) {
    traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = 1;
    options.min_full_bytes = 1;
    for (int i = 0; i < programs() && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        program(static_cast<unsigned>(i), options).run(60);
    }
}

TEST_F(traced_graphs, with_constant_young_collections) {
    traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = 1;
    for (int i = 0; i < programs() && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        program(static_cast<unsigned>(i), options).run(60);
    }
}

TEST_F(traced_graphs, with_long_runs) {
    for (int i = 0; i < programs() / 50 + 1 && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        program(static_cast<unsigned>(i), traced_heap_options()).run(2000);
    }
}
