#pragma once
// object_word: what the words of handles that are a plain pointer have in common, for pointer_word.

#include <cstdint>

#include "../../core/assert.hpp"
#include "../../core/threading.hpp"

namespace freehold::detail {

// The word of a null pointer is 1: 0 is a free slot (reader_record.hpp).
template <class Pointer>
struct object_word {
    using element_type = typename Pointer::element_type;
    using pointer = Pointer;
    using threading = process_threading;

    static constexpr bool owns_object = true;
    static constexpr std::uintptr_t none = 1;

    [[nodiscard]] static std::uintptr_t of(element_type* object) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(object);
        FREEHOLD_EXPECTS((address & none) == 0, "an object at an odd address has no atomic pointer",
                         "freehold::atomic_intrusive_ptr");
        return address != 0 ? address : none;
    }

    [[nodiscard, gnu::always_inline]] static element_type* get(std::uintptr_t word) noexcept {
        return reinterpret_cast<element_type*>(word & ~none);
    }

    [[nodiscard]] static bool is(std::uintptr_t word, const pointer& other) noexcept {
        return get(word) == other.get();
    }
};

}  // namespace freehold::detail
