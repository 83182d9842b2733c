#pragma once
// external in OCaml.

#include "registered.hpp"
#include "workloads/pointers/external/plot.hpp"

namespace lab::external {

inline constexpr char one_in_ocaml[] = "one image";
inline constexpr char few_in_ocaml[] = "eight images";

template <class>
using of = made<ocaml::registered<one_in_ocaml, 0>, ocaml::registered<few_in_ocaml, 0>>;

}  // namespace lab::external
