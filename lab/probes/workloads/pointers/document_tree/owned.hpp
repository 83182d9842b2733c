#pragma once
// A tree whose nodes own their children, and own their parent or observe it.

#include <cstdint>
#include <string>
#include <vector>

#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::document_tree {

enum class parents { owned, observed };

template <class Strategy, parents Parents>
struct node;

template <class Strategy, parents Parents>
using owner_of = typename Strategy::template pointer<node<Strategy, Parents>>;

// Names type, the link to a parent, and follow(), which returns an owner of it.
template <class Strategy, parents Parents>
struct link {
    using type = owner_of<Strategy, Parents>;
    static const type& follow(const type& parent) { return parent; }
};

template <class Strategy>
    requires has_weak<Strategy>
struct link<Strategy, parents::observed> {
    using type = typename Strategy::template weak<node<Strategy, parents::observed>>;
    static owner_of<Strategy, parents::observed> follow(const type& parent) { return parent.lock(); }
};

template <class Strategy>
    requires(has_weak<Strategy> && links_back<Strategy>)
struct link<Strategy, parents::observed> {
    using type = typename Strategy::template parent<node<Strategy, parents::observed>>;
    static owner_of<Strategy, parents::observed> follow(const type& parent) { return Strategy::owner(parent); }
};

template <class Strategy, class T>
struct vector_of {
    using type = std::vector<T>;
};

template <class Strategy, class T>
    requires requires { typename Strategy::template vector<T>; }
struct vector_of<Strategy, T> {
    using type = typename Strategy::template vector<T>;
};

template <class Strategy, parents Parents>
struct node : Strategy::template base<node<Strategy, Parents>> {
    std::string text;
    typename vector_of<Strategy, owner_of<Strategy, Parents>>::type children;
    typename link<Strategy, Parents>::type parent;

    explicit node(int number) : text(std::to_string(number)) {}

    void trace(auto& visit) const {
        visit(children);
        visit(parent);
    }
};

template <class Strategy, parents Parents>
struct owned : collecting<Strategy> {
    using owner = owner_of<Strategy, Parents>;

    static std::uint64_t run(int nodes) {
        owned form;
        return edit(form, nodes);
    }

    static owner make(int number) { return make_owner<Strategy, node<Strategy, Parents>>(number); }
    static owner parent(const owner& child) { return link<Strategy, Parents>::follow(child->parent); }
    static void discard(const owner&) {}
};

template <class Strategy>
using owning_node = node<Strategy, parents::owned>;

// Cycles of owners that are not collected are never freed. Without weak pointers, parents are always owned.
template <class Strategy>
    requires(copies<Strategy, owning_node> && (has_weak<Strategy> || collects<Strategy>))
using of = edited<owned<Strategy, parents::owned>, owned<Strategy, parents::observed>>;

}  // namespace lab::document_tree
