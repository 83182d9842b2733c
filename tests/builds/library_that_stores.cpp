// The library of with_a_library_that_stores.cpp.

#include "library_that_stores.hpp"

extern "C" [[gnu::visibility("default")]] const builds::module offered = builds::this_module();
