#pragma once
// Replaces operator new and operator delete of the program, in all forms, by Freehold's pool of the process.
//
// Include it in exactly one source file of the program; a second one is an error of the linker. A library must not
// include it. Blocks of up to 7 KiB come from a heap of the calling thread, as those of small_block_pool do; larger
// ones come in pages, and go back to the system in steps, a while after they were freed.
//
// Thread safety: any thread may call any function, also before main and in its last destructors.
// Exceptions: operator new calls the new-handler until there is memory, and throws std::bad_alloc if there is none; the
// nothrow forms return null then.
// Cost: no header in a block; no locked operation on the fast path, up to 256 KiB. See small_block_pool.hpp.
//
// Under AddressSanitizer, ThreadSanitizer, MemorySanitizer and HWAddressSanitizer this header does nothing: they
// replace operator new themselves. Valgrind does so when the program runs.

#include "../core/annotate.hpp"

#if defined(FREEHOLD_ADDRESS_SANITIZER) || defined(__SANITIZE_THREAD__) || defined(__SANITIZE_HWADDRESS__)
#define FREEHOLD_KEEPS_NEW 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(hwaddress_sanitizer)
#define FREEHOLD_KEEPS_NEW 1
#endif
#endif

#ifdef FREEHOLD_KEEPS_NEW

namespace freehold::inline v0_2 {

inline void replaced_new_uses_huge_pages(bool /*uses*/) noexcept {}

}  // namespace freehold

#else

#include <atomic>
#include <cstddef>
#include <new>

#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "detail/process_heap.hpp"

namespace freehold::inline v0_2 {

// Effects: from now on operator new asks the system for huge pages where memory is used densely, as from the start; or,
// with false, for small pages alone. What was asked for before stays.
inline void replaced_new_uses_huge_pages(bool uses) noexcept {
    detail::process_pages::prefers_huge_pages.store(uses, std::memory_order_relaxed);  // relaxed: as it says there
}

}  // namespace freehold

namespace freehold::inline v0_2::detail {

// Returns: what allocate() does, after calling the new-handler as often as it returns null.
// Throws: std::bad_alloc if there is no handler; what the handler throws.
template <class Allocate>
[[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE void* new_with_handler(Allocate allocate) {
    while (true) {
        if (void* const block = allocate()) return block;
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) raise<std::bad_alloc>();
        handler();
    }
}

// Returns: the same, or null where it throws.
template <class Allocate>
[[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE void* new_or_null(Allocate allocate) noexcept {
#ifdef __cpp_exceptions
    try {
        return detail::new_with_handler(allocate);
    } catch (...) {
        return nullptr;
    }
#else
    while (true) {
        const std::new_handler handler = std::get_new_handler();  // each may be the last one
        if (handler == nullptr) return nullptr;
        handler();
        if (void* const block = allocate()) return block;
    }
#endif
}

template <class... Alignment>
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline void* replaced_new(std::size_t bytes, Alignment... alignment) {
    void* const block = process_heap::allocate(bytes, static_cast<std::size_t>(alignment)...);
    if (block != nullptr) [[likely]]
        return block;
    return detail::new_with_handler(
        [=] { return process_heap::allocate(bytes, static_cast<std::size_t>(alignment)...); });
}

template <class... Alignment>
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline void* replaced_new_nothrow(std::size_t bytes,
                                                                       Alignment... alignment) noexcept {
    void* const block = process_heap::allocate(bytes, static_cast<std::size_t>(alignment)...);
    if (block != nullptr) [[likely]]
        return block;
    return detail::new_or_null([=] { return process_heap::allocate(bytes, static_cast<std::size_t>(alignment)...); });
}

}  // namespace freehold::detail

// NOLINTBEGIN(misc-definitions-in-headers): the program has one file with them

void* operator new(std::size_t bytes) { return freehold::detail::replaced_new(bytes); }
void* operator new[](std::size_t bytes) { return freehold::detail::replaced_new(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return freehold::detail::replaced_new(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return freehold::detail::replaced_new(bytes, alignment);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return freehold::detail::replaced_new_nothrow(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return freehold::detail::replaced_new_nothrow(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return freehold::detail::replaced_new_nothrow(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return freehold::detail::replaced_new_nothrow(bytes, alignment);
}

// The header of a slab, which each of them reads, has the class of the block: a size or an alignment adds nothing.
void operator delete(void* block) noexcept { freehold::detail::process_heap::deallocate(block); }
void operator delete[](void* block) noexcept { freehold::detail::process_heap::deallocate(block); }
void operator delete(void* block, std::size_t) noexcept { freehold::detail::process_heap::deallocate(block); }
void operator delete[](void* block, std::size_t) noexcept { freehold::detail::process_heap::deallocate(block); }
void operator delete(void* block, std::align_val_t) noexcept { freehold::detail::process_heap::deallocate(block); }
void operator delete[](void* block, std::align_val_t) noexcept { freehold::detail::process_heap::deallocate(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
    freehold::detail::process_heap::deallocate(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
    freehold::detail::process_heap::deallocate(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept { freehold::detail::process_heap::deallocate(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept {
    freehold::detail::process_heap::deallocate(block);
}
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept {
    freehold::detail::process_heap::deallocate(block);
}
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept {
    freehold::detail::process_heap::deallocate(block);
}

// NOLINTEND(misc-definitions-in-headers)

#endif
