#pragma once
// std::atomic<std::shared_ptr>, which threads replace while others read it.

#include <atomic>
#include <memory>
#include <utility>

#include "../../pointer_strategy.hpp"
#include "standard_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = standard_library;

    template <class T>
    using pointer = std::atomic<std::shared_ptr<T>>;

    template <class T>
    using owner = std::shared_ptr<T>;

    template <class T, class... Arguments>
    static owner<T> own(Arguments&&... arguments) {
        return std::make_shared<T>(std::forward<Arguments>(arguments)...);
    }

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return pointer<T>(own<T>(std::forward<Arguments>(arguments)...));
    }

    template <class T>
    static std::shared_ptr<T> load(const std::atomic<std::shared_ptr<T>>& place) {
        return place.load();
    }

    template <class T, class... Arguments>
    static void replace(std::atomic<std::shared_ptr<T>>& place, Arguments&&... arguments) {
        place.store(own<T>(std::forward<Arguments>(arguments)...));
    }

    template <class T>
    static owner<T> take(std::atomic<std::shared_ptr<T>>& place) {
        return place.exchange(nullptr);
    }
};

}  // namespace lab
