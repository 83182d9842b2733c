#pragma once
// binary-trees in OCaml.

#include "registered.hpp"
#include "workloads/pointers/binary_trees/plot.hpp"

namespace lab::binary_trees {

inline constexpr char in_ocaml[] = "binary-trees";

using trees_in_ocaml = ocaml::registered<in_ocaml, 12>;

template <class>
using of = grown<trees_in_ocaml, trees_in_ocaml>;

}  // namespace lab::binary_trees
