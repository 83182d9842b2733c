// expect: conversion from .*(plain_counting|local_shared_ptr)
// One object can be counted in one way only.
#include <freehold/pointers/local_shared_ptr.hpp>

void watch(const freehold::local_shared_ptr<int>& owner) { freehold::weak_ptr<int> weak = owner; }
