#pragma once
// document-tree in OCaml.

#include "registered.hpp"
#include "workloads/pointers/document_tree/plot.hpp"

namespace lab::document_tree {

inline constexpr char in_ocaml[] = "document-tree";

struct edited_in_ocaml : ocaml::registered<in_ocaml, 2'047> {
    static std::uint64_t run(int nodes) {
        const std::uint64_t found = registered::run(nodes);
        operation_times::keep(nodes);
        return found;
    }
};

template <class>
using of = edited<edited_in_ocaml, edited_in_ocaml>;

}  // namespace lab::document_tree
