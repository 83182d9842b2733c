#pragma once
// The version of Freehold, MAJOR.MINOR.PATCH, as a text and as a number that the preprocessor compares: 10000 * MAJOR +
// 100 * MINOR + PATCH. CMake, Meson, the packages and the lab read the text here.

#include "config.hpp"

#define FREEHOLD_VERSION "0.2.0"
#define FREEHOLD_VERSION_NUMBER 200  // NOLINT(modernize-macro-to-enum): #if reads it
