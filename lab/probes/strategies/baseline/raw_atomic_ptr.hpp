#pragma once
// Raw atomic: a std::atomic<T*>. The floor of pointers that threads replace: nothing protects what a thread reads, so
// nothing that was replaced is ever freed.

#include <atomic>
#include <utility>

#include "../../pointer_strategy.hpp"

namespace lab {

struct strategy : owning {
    static constexpr const char* library = "none";
    static constexpr bool shares = false;

    template <class T>
    using pointer = std::atomic<T*>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return pointer<T>(new T(std::forward<Arguments>(arguments)...));
    }

    template <class T>
    static void release(std::atomic<T*>& last) {
        delete last.load();
    }

    template <class T>
    static T* load(const std::atomic<T*>& place) {
        return place.load(std::memory_order_acquire);  // pairs with the release of replace
    }

    template <class T, class... Arguments>
    static void replace(std::atomic<T*>& place, Arguments&&... arguments) {
        place.store(new T(std::forward<Arguments>(arguments)...), std::memory_order_release);
    }
};

}  // namespace lab
