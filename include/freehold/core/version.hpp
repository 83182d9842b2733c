#pragma once
// The version of Freehold, MAJOR.MINOR.PATCH. CMake and the lab read it here.

#include "config.hpp"

#define FREEHOLD_VERSION "0.2.0"
