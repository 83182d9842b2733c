#pragma once
// gcbench in OCaml.

#include "registered.hpp"
#include "workloads/pointers/gcbench/plot.hpp"

namespace lab::gcbench {

inline constexpr char in_ocaml[] = "gcbench";

template <class>
using of = measured<ocaml::registered<in_ocaml, 8>>;

}  // namespace lab::gcbench
