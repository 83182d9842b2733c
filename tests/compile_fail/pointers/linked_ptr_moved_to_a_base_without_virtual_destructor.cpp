// expect: conversion from|no viable|no match for
// at most 52 lines: the compiler explains why each constructor is not one for this.
// The last owner, whichever it is, deletes through its own type.
#include <freehold/pointers/linked_ptr.hpp>

struct base {};
struct derived : base {};

void share(freehold::linked_ptr<derived>& object) {
    freehold::linked_ptr<base> p;
    p = static_cast<freehold::linked_ptr<derived>&&>(object);
}
