#pragma once
// interpreter in OCaml.

#include "registered.hpp"
#include "workloads/pointers/interpreter/plot.hpp"

namespace lab::interpreter {

inline constexpr char in_ocaml[] = "interpreter";

template <class>
using of = evaluated<ocaml::registered<in_ocaml, 1>>;

}  // namespace lab::interpreter
