#pragma once
// document-tree: a tree of `x` nodes, each with a text, its children in a vector and a link to its parent, is edited by
// x / 2 operations. Of eight, five replace a subtree by a new one, two let two subtrees change places, and one walks
// from a leaf up to the root. Every leaf is at the same depth: the root has six children, the others four.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "registry/extents.hpp"
#include "workloads/pointers/operation_times.hpp"
#include "workloads/pointers/random_numbers.hpp"
#include "workloads/program.hpp"

namespace lab::document_tree {

constexpr int children_of_the_root = 6;
constexpr int children_of_a_node = 4;
constexpr int highest_climb = 3;

// Returns the number of levels below the root of a tree of `nodes` nodes, which is twice a power of four, less one.
constexpr int levels_below_root(int nodes) { return std::countr_zero(static_cast<unsigned>(nodes) / 2 + 1) / 2; }

// The program. A Form names owner, a variable that keeps a node; make(number), which returns an owner of a node with
// that text; parent(node), which returns an owner of the parent, or nothing; and discard(owner), of what has left the
// tree.
template <class Form>
class document {
    using owner = typename Form::owner;

public:
    document(Form& form, int nodes) : form_(form), root_(grow(levels_below_root(nodes), children_of_the_root)) {}

    std::uint64_t edit(int operations) {
        operation_times::start();
        for (; operations > 0; --operations) {
            edit();
            operation_times::done();
        }
        read(root_);
        return sum_;
    }

    void end() { form_.discard(root_); }

private:
    void edit() {
        switch (random_.below(8)) {
            case 0: return read_upwards();
            case 1:
            case 2: return exchange();
            default: return replace();
        }
    }

    void read_upwards() {
        for (owner at = random_leaf(); at; at = form_.parent(at)) {
            sum_ += static_cast<std::uint64_t>(at->text.back());
        }
    }

    void exchange() {
        const int height = random_height();
        const owner one = climb(random_leaf(), height);
        const owner other = climb(random_leaf(), height);
        const owner above_one = form_.parent(one);
        const owner above_other = form_.parent(other);
        std::swap(*place_of(one, above_one), *place_of(other, above_other));
        one->parent = above_other;
        other->parent = above_one;
    }

    void replace() {
        const int height = random_height();
        const owner old = climb(random_leaf(), height);
        const owner above = form_.parent(old);
        owner made = grow(height, children_of_a_node);
        made->parent = above;
        *place_of(old, above) = std::move(made);
        form_.discard(old);
    }

    owner grow(int height, int children) {
        owner made = form_.make(made_++);
        if (height > 0) {
            made->children.reserve(children);
            for (; children > 0; --children) {
                owner child = grow(height - 1, children_of_a_node);
                child->parent = made;
                made->children.push_back(std::move(child));
            }
        }
        return made;
    }

    void read(const auto& top) {
        sum_ += static_cast<std::uint64_t>(top->text.back());
        for (const auto& child : top->children) {
            read(child);
        }
    }

    owner random_leaf() {
        auto* at = &*root_;
        while (true) {
            auto& child = at->children[random_.below(static_cast<int>(at->children.size()))];
            if (child->children.empty()) {
                return child;
            }
            at = &*child;
        }
    }

    int random_height() {
        int height = 0;
        while (height < highest_climb && random_.below(2) == 1) {
            ++height;
        }
        return height;
    }

    owner climb(owner at, int levels) {
        for (; levels > 0; --levels) {
            at = form_.parent(at);
        }
        return at;
    }

    static auto place_of(const owner& child, const owner& parent) {
        return std::find(parent->children.begin(), parent->children.end(), child);
    }

    Form& form_;
    random_numbers random_;
    std::uint64_t sum_ = 0;
    int made_ = 0;
    owner root_;
};

template <class Form>
std::uint64_t edit(Form& form, int nodes) {
    document<Form> edited(form, nodes);
    const std::uint64_t found = edited.edit(nodes / 2);
    operation_times::keep(nodes);
    edited.end();
    return found;
}

// A child owns its parent, or observes it: the same in a language without counts.
template <class Owned, class Observed>
struct edited {
    static constexpr auto plot = joined(with_operation_times<extents, Owned, "parents owned">::plot,
                                        with_operation_times<extents, Observed, "parents observed">::plot);

    static std::uint64_t checksum() { return program<extents, Owned>::found + 3 * program<extents, Observed>::found; }
};

}  // namespace lab::document_tree
