#pragma once
// What an ephemeron has: two objects, the second of which the first one keeps alive.

#include "traced_roots.hpp"

namespace freehold::detail {

struct ephemeron_handle : listed_handle {
    const void* value = nullptr;  // of the key, which is `object`; null if and only if that is

    void clear() noexcept {
        object = value = nullptr;
        unlist();
    }
};

}  // namespace freehold::detail
