// expect: conversion from .*weak_ptr<int
// at most 27 lines: clang adds why the constructor is explicit.
// It may throw.
#include <freehold/pointers/weak_ptr.hpp>

void share(const freehold::weak_ptr<int>& weak) { freehold::shared_ptr<int> p = weak; }
