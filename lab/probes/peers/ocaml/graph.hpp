#pragma once
// graph in OCaml.

#include "registered.hpp"
#include "workloads/pointers/graph/plot.hpp"

namespace lab::graph {

inline constexpr char in_ocaml[] = "graph";

template <class>
using of = churned<ocaml::registered<in_ocaml, 1000>>;

}  // namespace lab::graph
