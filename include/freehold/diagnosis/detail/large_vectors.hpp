#pragma once
// Vectors that a search reads here and there: in a large heap most of its time goes to finding their pages.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../core/alignment.hpp"
#include "../../core/platform/page_changes.hpp"
#include "../../core/platform/pages.hpp"

namespace freehold::inline v0_2::detail {

// Effects: reserves capacity in an empty vector, and asks for huge pages if it is so large that allocators have pages
// of its own for it.
template <class T>
void reserve_large(std::vector<T>& empty, std::size_t capacity) {
    constexpr std::size_t apart = std::size_t{32} << 20;  // glibc maps all blocks from there on
    empty.reserve(capacity);
    const std::size_t bytes = capacity * sizeof(T);
    if (bytes < apart) return;
    const auto address = reinterpret_cast<std::uintptr_t>(empty.data());
    const std::size_t skipped = round_up(address, huge_page) - address;
    prefer_huge_pages(reinterpret_cast<std::byte*>(empty.data()) + skipped, (bytes - skipped) / huge_page * huge_page);
}

// Effects: the same, and fills the vector with zeros.
template <class T>
void resize_large(std::vector<T>& empty, std::size_t size) {
    detail::reserve_large(empty, size);
    empty.resize(size);
}

}  // namespace freehold::detail
