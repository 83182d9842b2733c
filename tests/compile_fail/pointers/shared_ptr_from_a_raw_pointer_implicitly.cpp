// expect: conversion from 'int ?[*]' to
// at most 50 lines: clang lists the constructors that do not convert.
// Ownership is never taken silently.
#include <freehold/pointers/shared_ptr.hpp>

void own(int* object) { freehold::shared_ptr<int> p = object; }
