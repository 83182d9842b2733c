#pragma once
// queens in OCaml.

#include "registered.hpp"
#include "workloads/pointers/queens/plot.hpp"

namespace lab::queens {

inline constexpr char in_ocaml[] = "queens";
inline constexpr char directly_in_ocaml[] = "queens, direct";

template <class>
using of = played_alike<ocaml::registered<in_ocaml, 8>, ocaml::registered<directly_in_ocaml, 8>>;

}  // namespace lab::queens
