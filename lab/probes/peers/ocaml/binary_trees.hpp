#pragma once
// binary-trees in OCaml.

#include "registered.hpp"
#include "workloads/pointers/binary_trees/plot.hpp"

namespace lab::binary_trees {

inline constexpr char in_ocaml[] = "binary-trees";

template <class>
using of = grown<ocaml::registered<in_ocaml, 12>>;

}  // namespace lab::binary_trees
