// n-queens on lists that share their tails, as the laboratory has it.

#include "../../../lab/probes/strategies/pointers/shared_ptr.hpp"
#include "../../../lab/probes/workloads/pointers/queens/direct.hpp"
#include "row.hpp"

namespace {

void rows() {
    watch::row(
        "shared_ptr queens of 7",
        [] {
            int found = lab::queens::direct<lab::strategy>::run(7);
            watch::keep(found);
        },
        1);
}

}  // namespace

int main(int argc, char**) { return watch::in_state(argc, rows); }
