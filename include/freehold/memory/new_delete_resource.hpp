#pragma once
// new_delete_resource: operator new and operator delete as a memory resource.
//
// As std::pmr::new_delete_resource(), but it asks for an alignment only where plain operator new does not give it:
// aligned allocation is slower in every malloc.
//
// Thread safety: any thread may call any function. Exceptions: those of operator new.
// Cost: stateless; one call of operator new or delete each, with nothing added to the block.

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>

#include "../core/exceptions.hpp"

namespace freehold {

class new_delete_resource final : public std::pmr::memory_resource {
public:
    // Returns: `bytes` bytes aligned to `alignment`. The address is unique even if `bytes` is 0.
    // Requires: `alignment` is a power of two.
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
    void* do_allocate(std::size_t bytes, std::size_t alignment) override { return allocate(bytes, alignment); }

    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        deallocate(block, bytes, alignment);
    }

    // Returns: whether the other is a new_delete_resource; without run-time type information, whether it is this
    // object.
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
#ifdef __cpp_rtti
        return dynamic_cast<const new_delete_resource*>(&other) != nullptr;
#else
        return this == &other;
#endif
    }
};

}  // namespace freehold
