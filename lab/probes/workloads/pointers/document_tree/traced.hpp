#pragma once
// A tree in a traced heap, and so are the vectors of children.

#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_vector.hpp>

#include <cstdint>
#include <string>

#include "plot.hpp"

namespace lab::document_tree {

struct traced_node {
    std::string text;
    freehold::traced_vector<freehold::traced_ptr<traced_node>> children = {};
    freehold::traced_ptr<traced_node> parent = nullptr;
};

template <class Strategy>
class traced : public collecting<Strategy> {
public:
    using owner = typename Strategy::template local<traced_node>;

    static std::uint64_t run(int nodes) {
        traced form;
        return edit(form, nodes);
    }

    static void prepare(int) {
        Strategy::fill_nursery([] { run(2'047); });
    }
    static void clear() { Strategy::give_back(); }

    owner make(int number) { return heap_.template make_unrooted<traced_node>(std::to_string(number)); }
    static owner parent(const owner& child) { return child->parent; }
    static void discard(const owner&) {}

private:
    freehold::traced_heap& heap_ = Strategy::heap();
};

template <class Strategy>
using of = edited<traced<Strategy>, traced<Strategy>>;

}  // namespace lab::document_tree
