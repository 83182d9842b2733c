#pragma once
// std::make_shared, where the program is linked with gperftools' tcmalloc instead of the C library's malloc.

#include <gperftools/tcmalloc.h>

#include "std_made.hpp"

namespace lab {

struct strategy : std_made {
    static constexpr auto library = TC_VERSION_STRING;
};

}  // namespace lab
