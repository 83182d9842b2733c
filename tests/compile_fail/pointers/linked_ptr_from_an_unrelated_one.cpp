// expect: conversion from .*linked_ptr<double>
// A double is no int.
#include <freehold/pointers/linked_ptr.hpp>

void share(const freehold::linked_ptr<double>& object) { freehold::linked_ptr<int> p = object; }
