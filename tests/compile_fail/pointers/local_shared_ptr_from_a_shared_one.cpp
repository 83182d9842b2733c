// expect: conversion from .*atomic_counting
// at most 50 lines: clang lists the constructors that do not convert.
// One object can be counted in one way only.
#include <freehold/pointers/local_shared_ptr.hpp>

void share(const freehold::shared_ptr<int>& object) { freehold::local_shared_ptr<int> p = object; }
