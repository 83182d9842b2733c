#pragma once
// The tree of callers, from main inwards, and for each node how its blocks live and die.

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "events.hpp"

namespace advise {

// All blocks that were allocated beneath a call. They form a batch from the first that lives to the moment when none
// does: what an arena could free at once.
struct node {
    std::uint32_t parent;
    place where;
    bool is_recursive = false;                      // comes again beneath itself
    std::uint64_t blocks = 0, made = 0, bytes = 0;  // `made` by operator new
    std::uint64_t by_others = 0;                    // freed by another thread
    std::uint64_t left = 0;
    std::uint64_t batches = 0;     // that have ended
    std::uint64_t most_bytes = 0;  // allocated in a batch: what an arena would hold
    std::uint64_t most_live = 0;   // bytes alive at a time
    std::uint64_t price = 0;       // bytes that an arena would need more than its batch
};

class call_tree {
public:
    // Returns the nodes of a chain, innermost first. A caller that comes again further in is where it was: recursion
    // makes no new nodes.
    std::vector<std::uint32_t> path_of(const std::vector<place>& callers) {
        std::vector<std::uint32_t> path;
        for (auto each = callers.rbegin(); each != callers.rend(); ++each) {
            const auto again =
                std::find_if(path.begin(), path.end(), [&](std::uint32_t at) { return nodes_[at].where == *each; });
            if (again == path.end()) {
                path.push_back(child(path.empty() ? 0 : path.back(), *each));
                continue;
            }
            for (auto inner = again; inner != path.end(); ++inner) nodes_[*inner].is_recursive = true;
            path.erase(again + 1, path.end());
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

    void allocate(const std::vector<std::uint32_t>& path, std::uint64_t size) {
        for (const std::uint32_t at : path) {
            batch& each = batches_[at];
            ++each.live;
            each.live_bytes += size;
            each.bytes += size;
            each.most = std::max(each.most, each.live_bytes);
        }
    }

    void free(const std::vector<std::uint32_t>& path, std::uint64_t size) {
        for (const std::uint32_t at : path) {
            batch& each = batches_[at];
            each.live_bytes -= size;
            if (--each.live != 0) continue;
            ++nodes_[at].batches;
            end_batch(at);
        }
    }

    // Ends the batches that go on.
    void finish() {
        for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
            nodes_[at].left = batches_[at].live;
            end_batch(at);
        }
    }

    node& operator[](std::uint32_t number) { return nodes_[number]; }
    const std::vector<node>& nodes() const { return nodes_; }

private:
    // What changes with each block, and little more than that: most of the analysis is spent here.
    struct batch {
        std::uint64_t live = 0, live_bytes = 0;
        std::uint64_t bytes = 0, most = 0;  // allocated in it, and alive at a time
    };

    void end_batch(std::uint32_t at) {
        batch& gone = batches_[at];
        node& each = nodes_[at];
        each.most_bytes = std::max(each.most_bytes, gone.bytes);
        each.most_live = std::max(each.most_live, gone.most);
        each.price = std::max(each.price, gone.bytes - gone.most);
        gone.bytes = gone.most = 0;
    }

    std::uint32_t child(std::uint32_t parent, const place& where) {
        const auto [at, is_new] = children_.try_emplace({parent, where.module, where.offset}, nodes_.size());
        if (is_new) {
            nodes_.push_back({.parent = parent, .where = where});
            batches_.emplace_back();
        }
        return at->second;
    }

    std::vector<node> nodes_ = std::vector<node>(1);  // the root, which is no caller
    std::vector<batch> batches_ = std::vector<batch>(1);
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> children_;
};
}
