#pragma once
// subtrees in OCaml.

#include "registered.hpp"
#include "workloads/pointers/subtrees/plot.hpp"

namespace lab::subtrees {

inline constexpr char tree_in_ocaml[] = "subtrees' tree";
inline constexpr char in_ocaml[] = "subtrees";

struct replaced_in_ocaml : ocaml::registered<in_ocaml, 0> {
    static std::uint64_t run(int nodes) {
        const std::uint64_t found = registered::run(nodes);
        operation_times::keep(nodes);
        return found;
    }

    static void prepare(int nodes) { ocaml::call<tree_in_ocaml>(nodes); }
    static void finish() { ocaml::call<tree_in_ocaml>(0); }
};

template <class>
using of = replaced<replaced_in_ocaml>;

}  // namespace lab::subtrees
