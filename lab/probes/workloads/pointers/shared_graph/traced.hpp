#pragma once
// A graph in a traced heap that threads share.

#include <freehold/traced/traced_root.hpp>

#include "plot.hpp"

namespace lab::shared_graph {

struct traced_node {
    int number;
    freehold::traced_ptr<traced_node> left = {};
    freehold::traced_ptr<traced_node> right = {};
    freehold::traced_ptr<traced_node> parent = {};
    freehold::traced_ptr<traced_node> other = {};
};

template <class Strategy>
struct traced : planted<Strategy, traced<Strategy>> {
    using node = traced_node;
    using owner = freehold::traced_local<node>;

    static freehold::traced_root<node>& root() {
        static freehold::traced_root<node> kept;
        return kept;
    }

    static owner make(int number) { return Strategy::heap().template make<node>(number); }

    static void finish() { root().reset(); }
    static void clear() { Strategy::give_back(); }
};

template <class Strategy>
    requires requires { typename Strategy::session; }
using of = changed<traced<Strategy>>;

}  // namespace lab::shared_graph
