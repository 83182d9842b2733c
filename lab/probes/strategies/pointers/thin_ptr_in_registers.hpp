#pragma once
// Thin, passed in registers: freehold::thin_ptr in a program that is compiled with FREEHOLD_PASS_IN_REGISTERS.

#include "thin_ptr.hpp"
