#pragma once
// actors in OCaml.

#include "registered.hpp"
#include "workloads/pointers/actors/plot.hpp"

namespace lab::actors {

inline constexpr char in_ocaml[] = "actors";

struct answered_in_ocaml : ocaml::registered<in_ocaml, 1> {
    static std::uint64_t run(int threads) {
        const std::uint64_t found = registered::run(threads);
        operation_times::keep(threads);
        return found;
    }
};

template <class>
using of = answered<answered_in_ocaml>;

}  // namespace lab::actors
