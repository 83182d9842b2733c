#pragma once
// A std::shared_ptr beside a mutex, which whoever reads or replaces it locks.

#include <memory>
#include <mutex>
#include <utility>

#include "../../pointer_strategy.hpp"
#include "standard_library.hpp"

namespace lab {

template <class T, class Mutex>
struct locked_ptr {
    mutable Mutex mutex;
    std::shared_ptr<T> owner;
};

// Readers lock by Reading, which need not exclude other readers.
template <class Mutex, template <class> class Reading>
struct std_locked : owning {
    static constexpr auto library = standard_library;

    template <class T>
    using pointer = locked_ptr<T, Mutex>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return {.mutex = {}, .owner = std::make_shared<T>(std::forward<Arguments>(arguments)...)};
    }

    template <class T>
    static std::shared_ptr<T> load(const locked_ptr<T, Mutex>& place) {
        const Reading<Mutex> locked(place.mutex);
        return place.owner;
    }

    // What was owned is destroyed when the mutex is free again.
    template <class T, class... Arguments>
    static void replace(locked_ptr<T, Mutex>& place, Arguments&&... arguments) {
        auto next = std::make_shared<T>(std::forward<Arguments>(arguments)...);
        const std::lock_guard<Mutex> locked(place.mutex);
        place.owner.swap(next);
    }
};

}  // namespace lab
