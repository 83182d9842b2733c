#pragma once
// free_link: the address of the next free block, as it is stored in a free block.
//
// In a hardened program it is stored as a product of the secret. So a program that overwrites a free block, on purpose
// or not, leaves an address that is none, except in one of 2^19 cases: the next use of the block finds that.

#include <cstddef>
#include <cstdint>

#include "hardening.hpp"

namespace freehold::detail {

#ifndef FREEHOLD_HARDENED

template <class Block>
class free_link {
public:
    free_link() = default;

    // Requires: the link will be stored at `slot`.
    free_link(Block* next, [[maybe_unused]] const void* slot) noexcept : next_(next) {}

    // Returns: the next block. Requires: the link was stored at `slot`.
    [[nodiscard]] Block* from([[maybe_unused]] const void* slot) const noexcept { return next_; }

private:
    Block* next_;
};

#else

template <class Block>
class free_link {
public:
    free_link() = default;

    // The complement: a 0 in the block is no address.
    free_link(Block* next, const void* slot) noexcept
        : hidden_(~(bits_of(next) ^ bits_of(slot)) * secret_of_heap.number()) {}

    [[nodiscard]] Block* from(const void* slot) const noexcept {
        const std::uint64_t next = ~(hidden_ * secret_of_heap.inverse()) ^ bits_of(slot);
        if ((next & never_set) != 0) [[unlikely]]
            abort_with("a free block was written to");
        return reinterpret_cast<Block*>(next);
    }

private:
    static constexpr std::uint64_t never_set = 0xFFFF'0000'0000'0007U;

    [[nodiscard]] static std::uint64_t bits_of(const void* address) noexcept {
        return reinterpret_cast<std::uintptr_t>(address);
    }

    std::uint64_t hidden_;
};

#endif

}  // namespace freehold::detail
