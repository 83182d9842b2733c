#pragma once
// pooled_object: a base class whose `new` and `delete` use the small-block pool.
//
//     struct node : freehold::pooled_object { ... };
//     const auto root = std::make_unique<node>();
//
// This concerns single objects of every derived class; arrays and placement new are as without it. Objects too large or
// too strictly aligned for the pool come from operator new, and so do all where small_block_allocator says so. A class
// with another base that declares operator new chooses one with a using-declaration.
//
// Thread safety: an object may be made and deleted in any threads. Exceptions: std::bad_alloc.
// Complexity, cost: those of small_block_pool; the base itself takes no room.
// As always, deleting an object as a base requires a virtual destructor in the base.

#include <cstddef>
#include <new>

#include "small_block_allocator.hpp"

namespace freehold::inline v0_2 {

class pooled_object {
public:
    // Returns: memory for an object of `bytes` bytes. Throws: std::bad_alloc.
    [[nodiscard]] static void* operator new(std::size_t bytes) { return memory().allocate(bytes); }

    static void operator delete(void* object, std::size_t bytes) noexcept {
        memory().deallocate(static_cast<std::byte*>(object), bytes);
    }

    // One form in a class hides all global ones, so the others are declared again; but not that with std::nothrow: when
    // a constructor throws, its operator delete would not be passed the size.

    [[nodiscard]] static void* operator new(std::size_t bytes, std::align_val_t alignment) {
        return ::operator new(bytes, alignment);
    }

    static void operator delete(void* object, std::size_t, std::align_val_t alignment) noexcept {
        ::operator delete(object, alignment);
    }

    [[nodiscard]] static void* operator new(std::size_t, void* place) noexcept { return place; }

    static void operator delete(void*, void*) noexcept {}  // called if the constructor throws

protected:
    constexpr pooled_object() noexcept = default;
    constexpr pooled_object(const pooled_object&) noexcept = default;
    constexpr pooled_object& operator=(const pooled_object&) noexcept = default;
    ~pooled_object() = default;

private:
    static small_block_allocator<std::byte> memory() noexcept { return {}; }
};

}  // namespace freehold
