// expect: conversion from .*(biased_counting|biased_shared_ptr)
// One object can be counted in one way only.
#include <freehold/pointers/biased_shared_ptr.hpp>

void watch(const freehold::biased_shared_ptr<int>& owner) { freehold::weak_ptr<int> weak = owner; }
