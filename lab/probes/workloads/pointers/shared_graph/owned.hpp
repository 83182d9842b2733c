#pragma once
// A graph whose nodes have owners in several threads.

#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::shared_graph {

template <class Strategy>
struct node : Strategy::template base<node<Strategy>> {
    using pointer = typename Strategy::template pointer<node>;

    int number;
    pointer left;
    pointer right;
    pointer parent;
    pointer other;

    explicit node(int number) : number(number) {}

    void trace(auto& visit) const { visit(left, right, parent, other); }
};

template <class Strategy>
struct owned : planted<Strategy, owned<Strategy>> {
    using node = shared_graph::node<Strategy>;
    using owner = typename node::pointer;

    static owner& root() {
        static owner kept;
        return kept;
    }

    static owner make(int number) { return make_owner<Strategy, node>(number); }

    static void finish() { root() = owner(); }
};

// The others leak.
template <class Strategy>
    requires(copies<Strategy, node> && requires { typename Strategy::session; })
using of = changed<owned<Strategy>>;

}  // namespace lab::shared_graph
