// expect: conversion from .*weak_ptr<int
// at most 50 lines: clang lists the constructors that do not convert.
// It may throw.
#include <freehold/pointers/weak_ptr.hpp>

void share(const freehold::weak_ptr<int>& weak) { freehold::shared_ptr<int> p = weak; }
