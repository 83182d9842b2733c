// Freehold in a program that says nothing of its types: no kind of block has a name.

#include <freehold/freehold.hpp>

#include "check.hpp"

namespace {

struct secret {};

template <class Pointer>
void check_nameless(const Pointer& p) {
    CHECK(freehold::detail::access::handle(p).block()->kind()->name == nullptr);
}

}  // namespace

int main() {
    check_nameless(freehold::make_shared<secret>());
    check_nameless(freehold::shared_ptr<secret>(new secret));
    check_nameless(freehold::make_shared<secret[]>(3));
    check_nameless(freehold::make_biased_shared<secret>());
}
