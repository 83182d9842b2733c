#pragma once
// object_word: a handle that is a plain pointer, as a word that atomic instructions can replace.

#include <cstdint>

#include "../../core/assert.hpp"

namespace freehold::detail {

// The word of a null pointer is 1: 0 is a free slot (reader_record.hpp).
template <class T>
struct object_word {
    static constexpr std::uintptr_t none = 1;

    [[nodiscard]] static std::uintptr_t of(T* object) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(object);
        FREEHOLD_EXPECTS((address & none) == 0, "an object at an odd address has no atomic pointer",
                         "freehold::atomic_intrusive_ptr");
        return address != 0 ? address : none;
    }

    [[nodiscard, gnu::always_inline]] static T* get(std::uintptr_t word) noexcept {
        return reinterpret_cast<T*>(word & ~none);
    }
};

}  // namespace freehold::detail
