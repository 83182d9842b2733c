// expect: conversion from .*base
// at most 50 lines: clang lists the constructors that do not convert.
// Only a cast goes down.
#include <freehold/pointers/shared_ptr.hpp>

struct base {};
struct derived : base {};

void share(const freehold::shared_ptr<base>& object) { freehold::shared_ptr<derived> p = object; }
