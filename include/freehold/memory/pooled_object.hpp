#pragma once
// pooled_object: a base class whose `new` and `delete` take memory from the small-block pool.
//
//     struct node : freehold::pooled_object { ... };
//     const auto root = std::make_unique<node>();
//
// Single objects of every class derived from it are meant; arrays and placement are as without it. What is too large or
// too strictly aligned for the pool goes to operator new, and so does everything where small_block_allocator says so. A
// class that has another base with an operator new says with a using-declaration which of them it wants.
//
// Thread safety: an object may be made and deleted in any threads. Exceptions: std::bad_alloc.
// Complexity, cost: those of small_block_pool; the base itself takes no room.
// As everywhere, deleting an object as a base requires that the base has a virtual destructor.

#include <cstddef>
#include <new>

#include "small_block_allocator.hpp"

namespace freehold {

class pooled_object {
public:
    // Returns: memory for an object of so many bytes. Throws: std::bad_alloc.
    [[nodiscard]] static void* operator new(std::size_t bytes) { return memory().allocate(bytes); }

    static void operator delete(void* object, std::size_t bytes) noexcept {
        memory().deallocate(static_cast<std::byte*>(object), bytes);
    }

    // One form in a class hides all of the language's, so those that remain are said again; but not the one with
    // std::nothrow: when a constructor throws after it, the memory would have to be freed by somebody who is not told
    // how large it is.

    [[nodiscard]] static void* operator new(std::size_t bytes, std::align_val_t alignment) {
        return ::operator new(bytes, alignment);
    }

    static void operator delete(void* object, std::size_t, std::align_val_t alignment) noexcept {
        ::operator delete(object, alignment);
    }

    [[nodiscard]] static void* operator new(std::size_t, void* place) noexcept { return place; }

    static void operator delete(void*, void*) noexcept {}  // where the constructor throws after it

protected:
    constexpr pooled_object() noexcept = default;
    constexpr pooled_object(const pooled_object&) noexcept = default;
    constexpr pooled_object& operator=(const pooled_object&) noexcept = default;
    ~pooled_object() = default;

private:
    static small_block_allocator<std::byte> memory() noexcept { return {}; }
};

}  // namespace freehold
