#pragma once
// Intrusive, plain, passed in registers: freehold::intrusive_ptr in a program compiled with
// FREEHOLD_PASS_IN_REGISTERS.

#include "intrusive_ptr_plain.hpp"
