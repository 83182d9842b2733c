// Freehold in a program that is compiled with NDEBUG: what is there to find errors is gone.

#ifndef NDEBUG
#error "This program must be compiled with NDEBUG."
#endif

#include <freehold/freehold.hpp>

#include <type_traits>

#include "check.hpp"

namespace {

struct object {
    int value = 7;
};

int value_of(freehold::borrowed_ptr<const object> borrowed) { return borrowed->value; }

}  // namespace

static_assert(sizeof(freehold::borrowed_ptr<object>) == sizeof(object*));
static_assert(std::is_trivially_copyable_v<freehold::borrowed_ptr<object>>);
static_assert(std::is_trivially_destructible_v<freehold::borrowed_ptr<object>>);

int main() {
    auto owner = freehold::make_thin<object>();
    CHECK(value_of(owner) == 7);
    CHECK(freehold::borrowed_ptr<object>(owner).share<freehold::thin_ptr<object>>() == owner);

    // Borrowing does not observe, so the object stays that of a sole owner.
    object* const place = owner.get();
    const freehold::borrowed_ptr<object> borrowed = owner;
    owner = freehold::reuse(std::move(owner));
    CHECK(owner.get() == place && borrowed == owner);
}
