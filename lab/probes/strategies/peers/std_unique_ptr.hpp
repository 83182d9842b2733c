#pragma once
// std::unique_ptr whose deleter is a function known at run time, as a managed_ptr's: two words that move.

#include <memory>

#include "../../pointer_strategy.hpp"
#include "standard_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = standard_library;

    template <class T>
    using pointer = std::unique_ptr<T, void (*)(T*)>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object, delete_object<T>);
    }
};

}  // namespace lab
