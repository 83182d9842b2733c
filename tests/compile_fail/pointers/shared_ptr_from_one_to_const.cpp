// expect: conversion from .*const int
// at most 50 lines: clang lists the constructors that do not convert.
// const is not lost.
#include <freehold/pointers/shared_ptr.hpp>

void share(const freehold::shared_ptr<const int>& object) { freehold::shared_ptr<int> p = object; }
