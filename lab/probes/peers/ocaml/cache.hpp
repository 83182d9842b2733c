#pragma once
// cache in OCaml.

#include "registered.hpp"
#include "workloads/pointers/cache/plot.hpp"

namespace lab::cache {

inline constexpr char in_ocaml[] = "cache";

template <class>
using of = looked_up<ocaml::registered<in_ocaml, 1000>>;

}  // namespace lab::cache
