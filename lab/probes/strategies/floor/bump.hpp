#pragma once
// bump: an inline addition in a buffer that is warm, and nothing freed. The floor: whatever a resource costs beyond it
// is the price of freeing.

#include <cstddef>
#include <new>

#include "../../memory_strategy.hpp"

namespace lab {

inline std::byte* next_of_bump = large_buffer;

template <class T>
struct bump_allocator {
    using value_type = T;

    bump_allocator() = default;

    template <class U>
    bump_allocator(const bump_allocator<U>&) {}

    T* allocate(std::size_t n) {
        const std::size_t bytes = (n * sizeof(T) + 7) & ~std::size_t{7};
        if (bytes > static_cast<std::size_t>(std::end(large_buffer) - next_of_bump)) {
            throw std::bad_alloc();
        }
        std::byte* const block = next_of_bump;
        next_of_bump += bytes;
        return reinterpret_cast<T*>(block);
    }

    void deallocate(T*, std::size_t) {}

    bool operator==(const bump_allocator&) const = default;
};

struct bump_arena : common_arena<bump_allocator> {
    bump_arena() { next_of_bump = large_buffer; }
};

struct strategy : allocating {
    static constexpr auto library = "none";
    static constexpr bool reuses = false;
    static constexpr bool winks_out = true;
    using arena = bump_arena;
};

}  // namespace lab
