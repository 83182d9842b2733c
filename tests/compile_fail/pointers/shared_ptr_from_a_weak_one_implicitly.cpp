// expect: conversion from .*weak_ptr<int
// It may throw.
#include <freehold/pointers/weak_ptr.hpp>

void share(const freehold::weak_ptr<int>& observer) { freehold::shared_ptr<int> p = observer; }
