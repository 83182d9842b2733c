// A probe in OCaml: the programs beside this file.

#include <caml/callback.h>

#include "harness/harness.hpp"
#include "registry/ocaml.hpp"

namespace {

struct strategy {};

}  // namespace

int main(int argument_count, char** arguments) {
    caml_startup(arguments);
    const auto found = lab::workloads<strategy>();
    const lab::probe probe{"ocamlopt " FREEHOLD_OCAML_VERSION, FREEHOLD_STRATEGY_NAME, "OCaml " FREEHOLD_OCAML_VERSION,
                           found, nullptr};
    return lab::run(probe, argument_count, arguments);
}
