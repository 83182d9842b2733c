#pragma once
// What Freehold's own pointers have in common.

#include <freehold/pointers/borrowed_ptr.hpp>

#include "../../pointer_strategy.hpp"
#include "../freehold_library.hpp"

namespace lab {

struct freehold_owning : owning {
    static constexpr auto library = freehold_library;

    template <class T>
    using view = freehold::borrowed_ptr<const T>;
};

}  // namespace lab
