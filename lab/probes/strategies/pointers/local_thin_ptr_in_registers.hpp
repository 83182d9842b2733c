#pragma once
// Local thin, passed in registers: freehold::local_thin_ptr in a program compiled with FREEHOLD_PASS_IN_REGISTERS.

#include "local_thin_ptr.hpp"
