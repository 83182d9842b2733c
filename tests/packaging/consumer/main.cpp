// The umbrella in two translation units of one program: they link, and agree on what an owner is.

#include <utility>

#include "other.hpp"

int main() {
    freehold::shared_ptr<int> owner = made_in_other();
    const bool whole = *owner == 42 && owner.use_count() == 1;
    return whole && released_in_other(std::move(owner)) ? 0 : 1;
}
