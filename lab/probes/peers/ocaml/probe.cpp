// A probe in OCaml: the programs beside this file.

#include <caml/callback.h>
#include <caml/mlvalues.h>

#include <chrono>
#include <cstdint>

#include "harness/harness.hpp"
#include "registry/ocaml.hpp"
#include "workloads/pointers/operation_times.hpp"

// For operation_times.ml.
extern "C" value freehold_operations_start(value) {
    lab::operation_times::start();
    return Val_unit;
}

extern "C" value freehold_operation_done(value) {
    lab::operation_times::done();
    return Val_unit;
}

extern "C" value freehold_operation_took(value nanoseconds) {
    lab::operation_times::add(static_cast<std::uint64_t>(Long_val(nanoseconds)));
    return Val_unit;
}

extern "C" value freehold_now(value) { return Val_long(std::chrono::steady_clock::now().time_since_epoch().count()); }

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
