// expect: conversion from 'int ?[*]' to
// Ownership is never taken silently.
#include <freehold/pointers/linked_ptr.hpp>

void own(int* object) { freehold::linked_ptr<int> p = object; }
