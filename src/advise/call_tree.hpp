// The tree of callers, from main inwards, and for each node how its blocks live and die.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "events.hpp"

namespace advise {

// All blocks that were allocated beneath a call. They form a batch from the first that lives to the moment when none
// does: what an arena could free at once.
struct node {
    std::uint32_t parent;
    place where;
    // `made` by operator new
    std::uint64_t blocks = 0, made = 0, bytes = 0, live = 0, live_bytes = 0;
    std::uint64_t by_others = 0;                    // freed by another thread
    std::uint64_t batches = 0;                      // that have ended
    std::uint64_t batch_bytes = 0, batch_most = 0;  // of the one that goes on: allocated, and alive at a time
    std::uint64_t most_bytes = 0;                   // allocated in a batch: what an arena would hold
    std::uint64_t most_live = 0;                    // bytes alive at a time
    std::uint64_t price = 0;                        // bytes that an arena would need more than its batch
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
            if (again != path.end())
                path.erase(again + 1, path.end());
            else
                path.push_back(child(path.empty() ? 0 : path.back(), *each));
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

    void allocate(const std::vector<std::uint32_t>& path, std::uint64_t size, bool is_made) {
        for (const std::uint32_t at : path) {
            node& each = nodes_[at];
            ++each.blocks;
            each.made += is_made;
            each.bytes += size;
            ++each.live;
            each.live_bytes += size;
            each.batch_bytes += size;
            each.batch_most = std::max(each.batch_most, each.live_bytes);
        }
    }

    void free(const std::vector<std::uint32_t>& path, std::uint64_t size, bool is_by_other) {
        for (const std::uint32_t at : path) {
            node& each = nodes_[at];
            each.live_bytes -= size;
            each.by_others += is_by_other;
            if (--each.live == 0) {
                ++each.batches;
                end_batch(each);
            }
        }
    }

    // Ends the batches that go on.
    void finish() {
        for (node& each : nodes_) end_batch(each);
    }

    const std::vector<node>& nodes() const { return nodes_; }

private:
    static void end_batch(node& each) {
        each.most_bytes = std::max(each.most_bytes, each.batch_bytes);
        each.most_live = std::max(each.most_live, each.batch_most);
        each.price = std::max(each.price, each.batch_bytes - each.batch_most);
        each.batch_bytes = each.batch_most = 0;
    }

    std::uint32_t child(std::uint32_t parent, const place& where) {
        const auto [at, is_new] = children_.try_emplace({parent, where.module, where.offset}, nodes_.size());
        if (is_new) nodes_.push_back({.parent = parent, .where = where});
        return at->second;
    }

    std::vector<node> nodes_ = std::vector<node>(1);  // the root, which is no caller
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> children_;
};

}
