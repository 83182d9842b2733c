#pragma once
// raw: a T* that is deleted by hand. The floor: whatever a strategy costs beyond it is the price of ownership.

#include "../../pointer_strategy.hpp"

namespace lab {

struct strategy : owning {
    static constexpr const char* library = "none";
    static constexpr bool shares = false;

    template <class T>
    using pointer = T*;

    template <class T>
    static pointer<T> adopt(T* object) {
        return object;
    }

    template <class T>
    static void release(T*& last) {
        delete last;
    }
};

}  // namespace lab
