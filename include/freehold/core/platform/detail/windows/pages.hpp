#pragma once
// Part of pages.hpp, which has the contracts.
//
// Windows reserves addresses in steps of 64 KiB and releases only whole reservations. Pages that are given back as a
// part of one are decommitted; the reservation is released with its last page.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <cstddef>
#include <cstdint>

#include "../../pages.hpp"
#include "declarations.hpp"

namespace freehold::inline v0_2::detail {

// Returns: what the system knows of the page and of those behind it that are alike.
[[nodiscard]] inline windows_region region_of(const void* page) noexcept {
    windows_region found{};
    VirtualQuery(page, reinterpret_cast<::_MEMORY_BASIC_INFORMATION*>(&found), sizeof(found));
    return found;
}

// Effects: calls visit(begin, bytes) for each part of the pages that is in one reservation, and alike; the system has
// no calls for more. Returns: whether all have returned true.
template <class Visit>
bool visit_reservations(void* begin, std::size_t bytes, Visit visit) noexcept {
    bool is_done = true;
    auto* part = static_cast<std::byte*>(begin);
    for (std::byte* const end = part + bytes; part != end;) {
        const std::size_t alike = region_of(part).bytes;
        const auto left = static_cast<std::size_t>(end - part);
        const std::size_t part_bytes = alike != 0 && alike < left ? alike : left;
        is_done = visit(part, part_bytes) && is_done;
        part += part_bytes;
    }
    return is_done;
}

// The memory stays committed, so that the pages can be used again whatever others have taken meanwhile.
inline void discard_pages(void* begin, std::size_t bytes) noexcept {
    visit_reservations(begin, bytes, [](std::byte* part, std::size_t part_bytes) {
        return VirtualAlloc(part, part_bytes, windows_mem_reset, windows_page_readwrite) != nullptr;
    });
}

// Windows makes no huge pages of small ones.
inline void discard_part(void* begin, std::size_t bytes) noexcept { discard_pages(begin, bytes); }

// Held while pages of a reservation go, so that one thread alone sees that none is left.
inline constinit windows_lock reservations_lock{};

// Effects: releases the reservation if none of its pages is committed. Requires: reservations_lock is locked.
inline void release_if_empty(void* reservation) noexcept {
    auto* each = static_cast<std::byte*>(reservation);
    for (windows_region region = region_of(each); region.reservation == reservation; region = region_of(each)) {
        if (region.state != windows_mem_reserve) return;
        each += region.bytes;
    }
    VirtualFree(reservation, 0, windows_mem_release);
}

inline void give_back_pages(void* begin, std::size_t bytes) noexcept {
    reservations_lock.lock();
    visit_reservations(begin, bytes, [](std::byte* part, std::size_t part_bytes) {
        void* const reservation = region_of(part).reservation;
        const bool is_done = VirtualFree(part, part_bytes, windows_mem_decommit) != 0;
        release_if_empty(reservation);
        return is_done;
    });
    reservations_lock.unlock();
}

[[nodiscard]] inline void* map_anywhere(std::size_t bytes) noexcept {
    return VirtualAlloc(nullptr, bytes, windows_mem_reserve | windows_mem_commit, windows_page_readwrite);
}

[[nodiscard]] inline void* map_aligned(std::size_t bytes, std::size_t alignment) noexcept {
    // The addresses before and after the aligned part stay reserved: another thread could take them if they went back.
    void* const reservation = VirtualAlloc(nullptr, bytes + alignment, windows_mem_reserve, windows_page_noaccess);
    if (reservation == nullptr) return nullptr;
    const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(reservation)) & (alignment - 1);
    void* const begin = static_cast<std::byte*>(reservation) + before;
    if (VirtualAlloc(begin, bytes, windows_mem_commit, windows_page_readwrite) != nullptr) return begin;
    VirtualFree(reservation, 0, windows_mem_release);
    return nullptr;
}

inline void unmap_whole(void* pages, std::size_t) noexcept { VirtualFree(pages, 0, windows_mem_release); }

[[nodiscard]] inline void* take_address() noexcept {
    return VirtualAlloc(nullptr, smallest_page, windows_mem_reserve, windows_page_noaccess);
}

inline void free_address(void* page) noexcept { VirtualFree(page, 0, windows_mem_release); }

// There is no Valgrind on Windows.
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline void* take_tracked(std::size_t, std::size_t) noexcept { return nullptr; }

}  // namespace freehold::detail

#endif
