#pragma once
// rings in OCaml.

#include "registered.hpp"
#include "workloads/pointers/rings/plot.hpp"

namespace lab::rings {

inline constexpr char churn_in_ocaml[] = "ring churn";
inline constexpr char aging_in_ocaml[] = "ring aging";
inline constexpr char cursor_in_ocaml[] = "ring cursor";
inline constexpr char living_in_ocaml[] = "living ring";

struct cursor_of_ocaml : ocaml::registered<cursor_in_ocaml, 0> {
    static void prepare(int steps) { ocaml::call<living_in_ocaml>(nodes_around(steps)); }
    static void finish() { ocaml::call<living_in_ocaml>(1); }
};

template <class>
using of =
    turned<ocaml::registered<churn_in_ocaml, 100'000>, ocaml::registered<aging_in_ocaml, 100'000>, cursor_of_ocaml>;

}  // namespace lab::rings
