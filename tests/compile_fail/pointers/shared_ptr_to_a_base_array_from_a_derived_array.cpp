// expect: conversion from .*derived
// at most 50 lines: clang lists the constructors that do not convert.
// Elements of derived are further apart than those of base.
#include <freehold/pointers/shared_ptr.hpp>

struct base {};
struct derived : base {};

void share(const freehold::shared_ptr<derived[]>& array) { freehold::shared_ptr<base[]> p = array; }
