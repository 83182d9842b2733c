// expect: conversion from .*(sharded_counting|sharded_shared_ptr)
// at most 50 lines: clang lists the constructors that do not convert.
// One object can be counted in one way only.
#include <freehold/pointers/sharded_shared_ptr.hpp>

void share(const freehold::sharded_shared_ptr<int>& object) { freehold::shared_ptr<int> p = object; }
