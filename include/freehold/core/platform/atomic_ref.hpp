#pragma once
// atomic_ref: what Freehold needs of std::atomic_ref, which libc++ has since version 19.
//
// Thread safety: as std::atomic_ref. Exceptions: none. Complexity, cost: of the processor's instruction.

#include <atomic>

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

template <class T>
class atomic_ref {
public:
    explicit atomic_ref(T& object) noexcept : object_(&object) {}

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE T load(std::memory_order order) const noexcept {
        return __atomic_load_n(object_, static_cast<int>(order));
    }

    FREEHOLD_ALWAYS_INLINE void store(T value, std::memory_order order) const noexcept {
        __atomic_store_n(object_, value, static_cast<int>(order));
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE T fetch_or(T bits, std::memory_order order) const noexcept {
        return __atomic_fetch_or(object_, bits, static_cast<int>(order));
    }

private:
    T* object_;
};

}  // namespace freehold::detail
