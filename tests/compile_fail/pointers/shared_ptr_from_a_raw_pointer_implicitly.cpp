// expect: conversion from 'int ?[*]' to
// Ownership is never taken silently.
#include <freehold/pointers/shared_ptr.hpp>

void own(int* object) { freehold::shared_ptr<int> p = object; }
