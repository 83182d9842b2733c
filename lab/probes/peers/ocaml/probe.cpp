// A probe in OCaml: the strategy's own file is the program of queens, and the harness calls it. OCaml passes lists in
// one way, so that every style is the same program.

#include <caml/callback.h>
#include <caml/mlvalues.h>

#include "harness/harness.hpp"
#include "workloads/pointers/queens/plot.hpp"

namespace {

struct program {
    static int solutions(int size) {
        static const value* const function = caml_named_value("solutions");
        return Int_val(caml_callback(*function, Val_int(size)));
    }

    // Fills the nursery once, so that nothing that is timed waits for new pages.
    static void prepare(int) { [[maybe_unused]] static const int found = solutions(8); }
};

using queens = lab::queens::played_alike<program>;

constexpr lab::workload workloads[] = {{"queens", queens::plot, queens::checksum}};

}  // namespace

int main(int argument_count, char** arguments) {
    caml_startup(arguments);
    const lab::probe probe{"ocamlopt " FREEHOLD_OCAML_VERSION, FREEHOLD_STRATEGY_NAME, "OCaml " FREEHOLD_OCAML_VERSION,
                           workloads, nullptr};
    return lab::run(probe, argument_count, arguments);
}
