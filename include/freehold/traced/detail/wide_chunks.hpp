#pragma once
// The chunks of more than 4 MiB that a thread's heaps have. Such a chunk holds one object, which goes on where a mask
// leads to no chunk: an address there is looked up, and stands for the object's first byte.
//
// An address below all of those places costs a comparison. Programs without such objects pay for no more.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "../../core/growing_buffer.hpp"
#include "../../core/static_tls.hpp"
#include "traced_chunk.hpp"

namespace freehold::detail {

// Trivially destructible and constant-initialised, as the decision on static thread-local variables has it.
class wide_chunks {
public:
    // Returns: the last address before those that have to be looked up.
    [[nodiscard]] static std::uintptr_t last_near() noexcept { return here.last_near_; }

    [[nodiscard]] static bool may_lead_to(const void* address) noexcept {
        return std::bit_cast<std::uintptr_t>(address) > last_near();
    }

    // Returns: an address in the same object that is in the first 4 MiB of its chunk; an address outside of all objects
    // as it is.
    [[nodiscard]] static const void* head_of(const void* address) noexcept {
        return may_lead_to(address) ? here.look_up(address) : address;
    }

    // Returns: the chunk, or the block, of the object that the address is in.
    [[nodiscard]] static traced_chunk& chunk_of(const void* address) noexcept {
        return *traced_chunk::at(head_of(address));
    }
    [[nodiscard]] static traced_block& block_of(const void* address) noexcept {
        return traced_chunk::block_of(head_of(address));
    }

    // Returns: whether there is room for another.
    [[nodiscard]] static bool has_room() noexcept {
        return !here.chunks_.is_full() || here.chunks_.reserve(2 * here.chunks_.size() + 8);
    }

    // Requires: has_room().
    static void add(traced_chunk& added) noexcept {
        here.chunks_.add(&added);
        traced_chunk** const place = here.first_behind(&added, here.chunks_.end() - 1);
        std::rotate(place, here.chunks_.end() - 1, here.chunks_.end());
        here.set_last_near();
    }

    static void remove(traced_chunk& removed) noexcept {
        traced_chunk** const behind = here.first_behind(&removed, here.chunks_.end());
        std::copy(behind, here.chunks_.end(), behind - 1);
        here.chunks_.truncate(here.chunks_.size() - 1);
        if (here.chunks_.empty()) here.chunks_.release();
        here.set_last_near();
    }

private:
    // Returns: the place of the first chunk, of those before `end`, that begins behind the address.
    [[nodiscard]] traced_chunk** first_behind(const void* address, traced_chunk** end) const noexcept {
        return std::upper_bound(chunks_.begin(), end, address, std::less<>());
    }

    // Requires: may_lead_to(address).
    [[nodiscard, gnu::noinline]] const void* look_up(const void* address) const noexcept {
        traced_chunk& chunk = *first_behind(address, chunks_.end())[-1];
        const std::size_t offset = std::bit_cast<std::uintptr_t>(address) - std::bit_cast<std::uintptr_t>(&chunk);
        return traced_chunk::bytes <= offset && offset < chunk.total_bytes() ? chunk.first_object() : address;
    }

    void set_last_near() noexcept {
        last_near_ = chunks_.empty() ? all : std::bit_cast<std::uintptr_t>(*chunks_.begin()) + traced_chunk::bytes - 1;
    }

    FREEHOLD_STATIC_TLS static thread_local constinit wide_chunks here;

    static constexpr std::uintptr_t all = std::numeric_limits<std::uintptr_t>::max();

    std::uintptr_t last_near_ = all;
    growing_buffer<traced_chunk*> chunks_;  // in the order of their addresses
};

FREEHOLD_STATIC_TLS inline thread_local constinit wide_chunks wide_chunks::here{};

}  // namespace freehold::detail
