// The umbrella in two translation units of one program: they link, and agree on what an owner is. The program has what
// it shares with plug-ins, whose export is a matter of how it is linked.

#include <utility>

#include "other.hpp"

int main() {
    freehold::shared_ptr<int> owner = made_in_other();
    const bool whole = *owner == 42 && owner.use_count() == 1;
    freehold::hazard_pointer_clean_up();
    freehold::rcu_barrier();
    return whole && released_in_other(std::move(owner)) ? 0 : 1;
}
