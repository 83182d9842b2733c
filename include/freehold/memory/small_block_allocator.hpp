#pragma once
// small_block_allocator<T>: the small-block pool as a standard allocator.
//
// Requests that are larger or more strictly aligned than the pool's blocks go to operator new, as does every request
// under AddressSanitizer, or if the whole program defines FREEHOLD_WITHOUT_POOL: for tools and programs that watch
// operator new.
//
// Thread safety, exceptions: those of small_block_pool. All instances are equal. Cost: an empty
// class; the choice between pool and operator new is made at compile time for one object.

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "../core/exceptions.hpp"
#include "small_block_pool.hpp"

namespace freehold::inline v0_2 {

template <class T>
class small_block_allocator {
public:
    using value_type = T;
    using is_always_equal = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;

    constexpr small_block_allocator() noexcept = default;

    template <class U>
    constexpr small_block_allocator(const small_block_allocator<U>&) noexcept {}

    // Returns: memory for n objects of type T, not constructed.
    // Throws: std::bad_array_new_length if n * sizeof(T) is not representable; std::bad_alloc when memory is short.
    [[nodiscard]] T* allocate(std::size_t n) {
        if (n > SIZE_MAX / sizeof(T)) detail::raise<std::bad_array_new_length>();
        const std::size_t bytes = n * sizeof(T);
        if (is_small(bytes)) return static_cast<T*>(small_block_pool::allocate(bytes));
        if constexpr (alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
            return static_cast<T*>(::operator new(bytes, std::align_val_t{alignof(T)}));
        } else {
            return static_cast<T*>(::operator new(bytes));
        }
    }

    // Returns: memory for one object, or a null pointer when memory is short.
    [[nodiscard]] T* try_allocate() noexcept {
        if (is_small(sizeof(T))) return static_cast<T*>(small_block_pool::try_allocate(sizeof(T)));
        if constexpr (alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
            return static_cast<T*>(::operator new(sizeof(T), std::align_val_t{alignof(T)}, std::nothrow));
        } else {
            return static_cast<T*>(::operator new(sizeof(T), std::nothrow));
        }
    }

    // Effects: frees what allocate(n) returned.
    // Requires: `memory` was returned by allocate(n) of an allocator of this type and was not freed since.
    void deallocate(T* memory, std::size_t n) noexcept {
        const std::size_t bytes = n * sizeof(T);
        if (is_small(bytes)) return small_block_pool::deallocate(memory, bytes);
        if constexpr (alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
            ::operator delete(memory, std::align_val_t{alignof(T)});
        } else {
            ::operator delete(memory);
        }
    }

private:
    static constexpr bool is_small([[maybe_unused]] std::size_t bytes) noexcept {
#if defined(FREEHOLD_ADDRESS_SANITIZER) || defined(FREEHOLD_WITHOUT_POOL)
        // With blocks from operator new the tool finds leaks and delays the reuse of freed memory.
        return false;
#endif
        return alignof(T) <= small_block_pool::alignment && bytes > 0 && bytes <= small_block_pool::largest;
    }
};

template <class T, class U>
[[nodiscard]] constexpr bool operator==(small_block_allocator<T>, small_block_allocator<U>) noexcept {
    return true;
}

}  // namespace freehold

#include "detail/typed_pool.hpp"  // empty unless the program is hardened
