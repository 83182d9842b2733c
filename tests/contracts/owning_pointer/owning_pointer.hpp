#pragma once
// What the suite of the owning pointers is made of: an object to own, and the fixture.

#include <utility>

#include "families.hpp"
#include "support/callback.hpp"
#include "support/contract.hpp"
#include "support/tracked.hpp"

namespace contracts {

// Has a value, may own another object of its kind, and calls a function when it is destroyed.
template <class Family>
struct owned : Family::template base<owned<Family>> {
    explicit owned(int initial = 0) : value(initial) {}
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;
    virtual ~owned() {
        if (at_end) at_end();
    }

    support::tracked part;
    int value;
    typename Family::template pointer<owned> next;
    support::callback<> at_end;
};

struct prefix {
    virtual ~prefix() = default;
    long padding = 0;
};

// Its owned<Family> does not lie at its beginning: a conversion changes the address.
template <class Family>
struct derived : prefix, owned<Family> {
    using owned<Family>::owned;

    support::tracked other_part;
};

template <class Family>
class owning_pointer : public support::tracked_test {
protected:
    using object = owned<Family>;
    using derived = contracts::derived<Family>;
    using pointer = typename Family::template pointer<object>;
    using pointer_to_derived = typename Family::template pointer<derived>;
    using pointer_to_const = typename Family::template pointer<const object>;

    void SetUp() override {
        support::tracked_test::SetUp();
        Family::begin();
    }

    static pointer make(int value = 0) { return Family::template make<object>(value); }

    static pointer_to_derived make_derived(int value = 0) { return Family::template make<derived>(value); }

    // Returns: the first of `length` objects, each owning the next.
    static pointer make_list(int length) {
        pointer first;
        for (int value = length; value-- > 0;) {
            pointer node = make(value);
            node->next = std::move(first);
            first = std::move(node);
        }
        return first;
    }

    static long owners(const auto& pointer) { return Family::owners(pointer); }

    static int alive() { return support::tracked::alive(); }
    static int destroyed() { return support::tracked::destroyed(); }
};

template <class Family>
class general_pointer : public owning_pointer<Family> {};

}  // namespace contracts

template <>
struct support::implementations<contracts::owning_pointer> {
    using types = contracts::owning_pointers;
};

template <>
struct support::implementations<contracts::general_pointer> {
    using types = contracts::general_pointers;
};
