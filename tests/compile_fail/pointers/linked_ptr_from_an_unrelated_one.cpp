// expect: conversion from .*linked_ptr<double>
// at most 52 lines: the compiler explains why each constructor is not one for this.
// A double is no int.
#include <freehold/pointers/linked_ptr.hpp>

void share(const freehold::linked_ptr<double>& object) { freehold::linked_ptr<int> p = object; }
