// expect: conversion from .*base
// at most 52 lines: the compiler explains why each constructor is not one for this.
// Only a cast goes down.
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/ref_counted.hpp>

struct base : freehold::ref_counted<base> {};
struct derived : base {};

void share(const freehold::intrusive_ptr<base>& object) { freehold::intrusive_ptr<derived> p = object; }
