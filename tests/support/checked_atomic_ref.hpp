#pragma once
// checked_atomic_ref: the library's atomic_ref under the checker, with the same operations.

#include <atomic>
#include <source_location>

#include "checked_word.hpp"

namespace support {

template <class T>
class checked_atomic_ref {
    using place = std::source_location;
    using order = std::memory_order;

public:
    explicit checked_atomic_ref(T& object) : word_(&object) {}

    [[nodiscard]] T load(order o, place where = place::current()) const {
        return word_.load(static_cast<int>(o), where);
    }

    void store(T value, order o, place where = place::current()) const {
        word_.store(value, static_cast<int>(o), where);
    }

    T fetch_or(T bits, order o, place where = place::current()) const {
        return word_.update([bits](T value) { return value | bits; }, static_cast<int>(o), "fetch_or", where);
    }

private:
    checked_word<T> word_;
};

}  // namespace support
