#pragma once
// new_delete_resource: operator new and operator delete as a memory resource.
//
// As std::pmr::new_delete_resource(), but it uses aligned operator new, which is slower, only where plain does not do.
//
// Thread safety: any thread may call any function. Exceptions: those of operator new.
// Cost: stateless; one call of operator new or delete each, with nothing added to the block.

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>

#include "../core/exceptions.hpp"
#include "detail/chained_resource.hpp"

namespace freehold::inline v0_2 {

class new_delete_resource final : public detail::basic_resource<new_delete_resource> {
public:
    // As std::pmr::memory_resource::allocate; 0 bytes have an address of their own.
    // Throws: std::bad_alloc, or what the program's new-handler throws, when there is no memory.
    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator new(bytes);
        // Standard libraries round the size up to the alignment, and some do not check for wrapping.
        if (bytes > (std::numeric_limits<std::size_t>::max)() - alignment) detail::raise<std::bad_alloc>();
        return ::operator new(bytes, std::align_val_t{alignment});
    }

    // Returns: the same, or null when there is no memory.
    [[nodiscard]] static void* try_allocate(std::size_t bytes,
                                            std::size_t alignment = alignof(std::max_align_t)) noexcept {
        if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator new(bytes, std::nothrow);
        if (bytes > (std::numeric_limits<std::size_t>::max)() - alignment) return nullptr;  // as above
        return ::operator new(bytes, std::align_val_t{alignment}, std::nothrow);
    }

    // Effects: frees the block.
    // Requires: allocate(bytes, alignment) of any new_delete_resource returned `block`, and it was not freed since.
    static void deallocate(void* block, [[maybe_unused]] std::size_t bytes,
                           std::size_t alignment = alignof(std::max_align_t)) noexcept {
#ifdef __cpp_sized_deallocation
        if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
            ::operator delete(block, bytes);
        } else {
            ::operator delete(block, bytes, std::align_val_t{alignment});
        }
#else
        if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
            ::operator delete(block);
        } else {
            ::operator delete(block, std::align_val_t{alignment});
        }
#endif
    }

private:
    // Returns: whether the other is a new_delete_resource; without run-time type information, whether it is this one.
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
#ifdef __cpp_rtti
        return dynamic_cast<const new_delete_resource*>(&other) != nullptr;
#else
        return this == &other;
#endif
    }
};

}  // namespace freehold
