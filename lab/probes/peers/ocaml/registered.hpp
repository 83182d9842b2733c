#pragma once
// Programs in OCaml, as the harness calls them: NAME.ml registers its functions, and NAME.hpp says what of the program
// each of them is.

#include <caml/callback.h>
#include <caml/mlvalues.h>

#include <cstdint>

#include "harness/collector_work.hpp"

namespace lab::ocaml {

inline constexpr char collections_name[] = "collections";

// Returns what is returned by the function that is registered under that name.
template <const char* Name>
long call(int argument) {
    static const value* const function = caml_named_value(Name);
    return Long_val(caml_callback(*function, Val_int(argument)));
}

inline run_count counted;

// The function that is registered under that name. run(FillingX) fills the nursery.
template <const char* Name, int FillingX>
struct registered {
    static std::uint64_t run(int x) { return static_cast<std::uint64_t>(call<Name>(x)); }

    // The runtime counts its collections and does not report its pauses.
    static collector_work collections() { return counted.take(call<collections_name>(0)); }

    // Fills the nursery once, so that nothing that is timed waits for new pages.
    static void prepare(int) { [[maybe_unused]] static const std::uint64_t found = run(FillingX); }
};

}  // namespace lab::ocaml
