#pragma once
// Simple counted: freehold::shared_ptr of an object from new, its control block from operator new too.

#include <freehold/pointers/shared_ptr.hpp>
#include <memory>

#include "../../pointer_strategy.hpp"
#include "../freehold_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = freehold_library;

    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object, std::default_delete<T>(), std::allocator<T>());
    }
};

}  // namespace lab
