#pragma once
// queens in OCaml.

#include "registered.hpp"
#include "workloads/pointers/queens/plot.hpp"

namespace lab::queens {

inline constexpr char in_ocaml[] = "queens";

// Lists are passed in one way, so every style is the same program.
template <class>
using of = played_alike<ocaml::registered<in_ocaml, 8>>;

}  // namespace lab::queens
