// The operations whose machine code is read from this file's object file: a function each. The function of an operation
// that the handle does not have is left without an instruction, even to return.

#include <concepts>
#include <memory>
#include <new>

#include "pointer_strategy.hpp"
#include FREEHOLD_STRATEGY_HEADER

// Trivial but for the count that an intrusive pointer needs.
struct pointee : lab::strategy::base<pointee> {};

using handle = lab::strategy::pointer<pointee>;

// Acquires `object`. A strategy that houses the object beside its count makes that object instead.
template <class Strategy>
void acquire(handle* place, [[maybe_unused]] pointee* object) {
    if constexpr (requires { Strategy::adopt(object); }) {
        ::new (place) handle(Strategy::adopt(object));
    } else {
        ::new (place) handle(lab::make_owner<Strategy, pointee>());
    }
}

template <class Handle>
void construct_empty(Handle* place) {
    if constexpr (std::default_initializable<Handle>) {
        std::construct_at(place);
    } else {
        __builtin_unreachable();
    }
}

template <class Handle>
void construct_copy(Handle* place, const Handle& other) {
    if constexpr (std::copy_constructible<Handle>) {
        std::construct_at(place, other);
    } else {
        __builtin_unreachable();
    }
}

template <class Handle>
void assign_copy(Handle& left, const Handle& right) {
    if constexpr (std::copyable<Handle>) {
        left = right;
    } else {
        __builtin_unreachable();
    }
}

extern "C" {
void default_construct(handle* place) { construct_empty(place); }
void construct(handle* place, pointee* object) { acquire<lab::strategy>(place, object); }
void copy_construct(handle* place, const handle& other) { construct_copy(place, other); }
void copy_assign(handle& left, const handle& right) { assign_copy(left, right); }
void destroy(handle* place) { std::destroy_at(place); }
}
