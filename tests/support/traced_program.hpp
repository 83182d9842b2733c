#pragma once
// traced_program: a random program on the graph in a traced heap, checked against a model that knows what is reachable.
//
// The test opens the heap: see opened_heap.hpp.

#include <gtest/gtest.h>
#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_root_vector.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include <cstddef>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "opened_heap.hpp"
#include "tracked_node.hpp"

namespace support {

inline std::vector<int> edges_of(const tracked_node& node) {
    std::vector<int> found;
    const auto note = [&found](const auto& edge) {
        if constexpr (requires { edge->id; }) {
            if (edge) found.push_back(edge->id);
        }
    };
    freehold::trace(node, note);
    if (node.array) freehold::trace(*node.array, note);
    for (const auto& edge : node.children) note(edge);
    for (const auto& edge : node.waiting) note(edge);
    for (const auto& [key, edge] : node.sorted) note(edge);
    for (const auto& [key, edge] : node.hashed) {
        note(key);
        note(edge);
    }
    return found;
}

// A heap of its own, and a program on it. It may be handed from thread to thread.
class traced_program {
public:
    traced_program(unsigned seed, const freehold::traced_heap_options& options, bool in_steps = false)
        : random_(seed), heap_(options), in_steps_(in_steps) {}

    void run(int steps) {
        go_on(steps);
        finish();
    }

    // Effects: as run(), in parts.
    void go_on(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
            step();
            if (in_steps_) collect_in_steps();
        }
    }
    void finish() {
        heap_.collect();
        expect_exactly_what_is_reachable();
    }

    [[nodiscard]] freehold::traced_heap& heap() noexcept { return heap_; }

    // Other programs run at the same time, so the number of all nodes is not that of this one.
    bool is_alone = true;

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
        } else if (choice < 55) {
            connect();
        } else if (choice < 60) {
            connect_by_array();
        } else if (choice < 64) {
            grow();
        } else if (choice < 68) {
            change_root_vector();
        } else if (choice < 71) {
            pair();
        } else if (choice < 75) {
            exchange();
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

    void collect_in_steps() {
        auto& collector = collector_of(heap_);
        const int choice = any(100);
        if (choice < 10) {
            collector.begin_cycle();
        } else if (choice < 60) {
            collector.step(1);
        } else if (choice < 65) {
            ASSERT_TRUE(finish_cycle(heap_));
            heap_.collect_young();  // keeps what was stored in a vector, even if it was removed again
            collector.begin_cycle();
            ASSERT_TRUE(finish_cycle(heap_));
            expect_exactly_what_is_reachable();
        }
    }

    void make() {
        const int id = static_cast<int>(weak_.size());
        const std::size_t slot = static_cast<std::size_t>(any(roots_.size()));
        if (!reachable().empty() && any(2) == 0) {
            const int target = any_reachable();
            const freehold::traced_local<tracked_node> made = heap_.make<tracked_node>(id, tracked(), at(target));
            roots_[slot] = made;
        } else {
            roots_[slot] = heap_.make_unrooted<tracked_node>(id);
        }
        root_ids_[slot] = id;
        weak_.emplace_back(roots_[slot]);
        update(id);
    }

    // An edge to a node that is made while the edge is.
    struct sprout {
        traced_program& made_by;
        operator tracked_node::edge() const {
            const int id = static_cast<int>(made_by.weak_.size());
            const freehold::traced_local<tracked_node> made = made_by.heap_.make<tracked_node>(id);
            made_by.weak_.emplace_back(made);
            made_by.model_[id] = {};
            return made;
        }
    };

    void grow() {
        const int id = any_reachable();
        const freehold::traced_local<tracked_node> node = at(id);
        for (int i = any(6); i >= 0; --i) heap_.emplace_back(node->many, sprout{*this});
        update(id);
    }

    void connect_by_array() {
        const int from = any_reachable();
        const freehold::traced_local<tracked_node> node = at(from);
        static constexpr std::size_t sizes[] = {1, 3, 40, 3000};
        if (!node->array || any(4) == 0) node->array = heap_.make_array<tracked_node::edge>(sizes[any(4)]);
        (*node->array)[static_cast<std::size_t>(any(node->array->size()))] = at(any_reachable());
        update(from);
    }

    void change_root_vector() {
        if (any(3) == 0 && !many_roots_.empty()) {
            const std::size_t i = static_cast<std::size_t>(any(many_roots_.size()));
            many_roots_.erase(i);
            many_ids_.erase(many_ids_.begin() + static_cast<std::ptrdiff_t>(i));
        } else if (any(8) == 0) {
            many_roots_.clear();
            many_ids_.clear();
        } else {
            const int id = any_reachable();
            if (any(3) == 0 && !many_roots_.empty()) {
                many_roots_.back() = at(id);
                many_ids_.back() = id;
            } else {
                many_roots_.push_back(at(id));
                many_ids_.push_back(id);
            }
        }
    }

    // Effects: pairs a node to another one by an freehold::ephemeron, or a chain of new ones.
    void pair() {
        int key = any_reachable();
        const freehold::traced_local<tracked_node> first = at(any_reachable());
        pair(at(key), first);
        for (int i = any(4); i > 0; --i) {
            const freehold::traced_local<tracked_node> held = at(key);
            const int id = static_cast<int>(weak_.size());
            const freehold::traced_local<tracked_node> made = heap_.make<tracked_node>(id);
            weak_.emplace_back(made);
            model_[id] = {};
            pair(held, made);
            key = id;
        }
    }

    void pair(const freehold::traced_local<tracked_node>& key, const freehold::traced_local<tracked_node>& value) {
        const std::size_t place = static_cast<std::size_t>(any(attached_.size() + 1));
        const auto offset = static_cast<std::ptrdiff_t>(place);
        attached_.emplace(attached_.begin() + offset, key, value);
        attached_ids_.emplace(attached_ids_.begin() + offset, key->id, value->id);
    }

    void connect() {
        const int from = any_reachable();
        at(from)->set(any(tracked_node::kinds), at(any_reachable()));
        update(from);
    }

    void exchange() {
        const int one = any_reachable();
        const int other = any_reachable();
        const freehold::traced_local<tracked_node> a = at(one);
        const freehold::traced_local<tracked_node> b = at(other);
        a->many.swap(b->many);
        a->children.swap(b->children);
        b->waiting = std::move(a->waiting);
        a->sorted = b->sorted;  // may collect
        a->hashed.swap(b->hashed);
        update(one);
        update(other);
    }

    // Effects: copies the edges of the node to the model. Requires: they lead to reachable nodes.
    void update(int id) { model_[id] = edges_of(*at(id)); }

    freehold::traced_local<tracked_node> at(int id) { return weak_[static_cast<std::size_t>(id)].lock(); }

    std::set<int> reachable() const {
        std::set<int> found;
        std::vector<int> open;
        const auto reach = [&found, &open](int id) {
            if (id != none && found.insert(id).second) open.push_back(id);
        };
        for (const int id : root_ids_) reach(id);
        for (const int id : many_ids_) reach(id);
        while (!open.empty()) {
            const int id = open.back();
            open.pop_back();
            for (const int next : model_.at(id)) reach(next);
            if (!open.empty()) continue;
            for (const auto& [key, value] : attached_ids_) {
                if (found.contains(key)) reach(value);
            }
        }
        return found;
    }

    void expect_all_that_is_reachable() {
        for (const int id : reachable()) {
            const freehold::traced_local<tracked_node> node = at(id);
            ASSERT_TRUE(node) << id;
            ASSERT_EQ(node->id, id);
            ASSERT_EQ(edges_of(*node), model_[id]);
        }
    }

    void expect_exactly_what_is_reachable() {
        expect_all_that_is_reachable();
        const std::set<int> all = reachable();
        if (is_alone) {
            ASSERT_EQ(tracked::alive(), static_cast<int>(all.size()));
        }
        for (std::size_t i = attached_.size(); i-- > 0;) {
            ASSERT_EQ(attached_[i].expired(), !all.contains(attached_ids_[i].first)) << i;
            if (!attached_[i].expired()) continue;
            attached_.erase(attached_.begin() + static_cast<std::ptrdiff_t>(i));
            attached_ids_.erase(attached_ids_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        for (std::size_t i = 0; i < weak_.size(); ++i) {
            ASSERT_EQ(weak_[i].expired(), !all.contains(static_cast<int>(i))) << i;
        }
    }

    static constexpr int none = -1;

    std::mt19937 random_;
    freehold::traced_heap heap_;
    bool in_steps_;
    std::vector<freehold::traced_root<tracked_node>> roots_{4};
    std::vector<int> root_ids_{none, none, none, none};
    freehold::traced_root_vector<tracked_node> many_roots_{heap_};
    std::vector<int> many_ids_;
    std::vector<freehold::ephemeron<tracked_node, tracked_node>> attached_;
    std::vector<std::pair<int, int>> attached_ids_;              // of the keys and values
    std::vector<freehold::traced_weak_ptr<tracked_node>> weak_;  // of all that were ever made
    std::map<int, std::vector<int>> model_;
};

}  // namespace support
