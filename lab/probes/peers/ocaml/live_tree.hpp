#pragma once
// live-tree in OCaml.

#include "registered.hpp"
#include "workloads/pointers/live_tree/plot.hpp"

namespace lab::live_tree {

inline constexpr char living_in_ocaml[] = "live tree";
inline constexpr char allocating_in_ocaml[] = "live-tree allocate";
inline constexpr char storing_in_ocaml[] = "live-tree store";

template <const char* Name>
struct beside_in_ocaml : ocaml::registered<Name, 0> {
    static void prepare(int nodes) { ocaml::call<living_in_ocaml>(nodes); }
    static void finish() { ocaml::call<living_in_ocaml>(0); }
};

template <class>
using of = beside<beside_in_ocaml<allocating_in_ocaml>, beside_in_ocaml<storing_in_ocaml>>;

}  // namespace lab::live_tree
