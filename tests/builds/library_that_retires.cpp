// The library of with_a_library_that_retires.cpp.

#include "library_that_retires.hpp"

extern "C" [[gnu::visibility("default")]] const builds::module offered = builds::this_module();
