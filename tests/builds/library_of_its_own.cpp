// The library of with_a_library_of_its_own.cpp.

#include "across_libraries.hpp"

extern "C" [[gnu::visibility("default")]] const builds::half offered = builds::half_of_program();
