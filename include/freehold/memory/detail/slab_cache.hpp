#pragma once
// slab_cache: the slabs of one pool, taken from its upstream a chunk of several at a time.
//
// Invariant: every chunk is in one list of all; those with slabs that were never taken are in a second one. The mutex
// guards both, and is not held while the upstream is called.

#include <cstddef>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/memcheck.hpp"
#include "block_lists.hpp"
#include "static_mutex.hpp"

namespace freehold::detail {

class slab_cache {
public:
    static constexpr std::size_t largest_chunk = 16 * slab_bytes;

    // Chunks double from the one size to the other, in bytes. Requires: both are multiples of a slab, and not 0.
    constexpr slab_cache(std::size_t smallest, std::size_t largest) noexcept : smallest_(smallest), largest_(largest) {}

    [[nodiscard]] std::size_t largest() const noexcept { return largest_; }

    // Returns: a slab that is not open yet, or null.
    [[nodiscard]] slab* take(static_mutex& mutex) noexcept {
        const static_lock held(mutex);
        if (spare_ == nullptr) return nullptr;
        slab::chunk_record& chunk = spare_->chunk;
        slab* const taken = slab::of(std::exchange(chunk.spare, chunk.spare + slab_bytes));
        if (chunk.spare == chunk.end) spare_ = chunk.next_spare;
        return taken;
    }

    // Returns: whether a chunk begins with the slab. Requires: the mutex is locked. Complexity: linear in the chunks.
    [[nodiscard]] bool is_first_of_chunk(const slab* sought) const noexcept {
        const slab* each = chunks_;
        while (each != nullptr && each != sought) each = each->chunk.next;
        return each != nullptr;
    }

    // Effects: takes a chunk from the upstream. Returns: whether it had one.
    // Throws: what the upstream throws; then nothing has changed.
    template <class Upstream>
    [[nodiscard]] bool grow(static_mutex& mutex, Upstream& upstream) {
        const std::size_t bytes = next_bytes(mutex);
        auto* const memory = static_cast<std::byte*>(upstream.allocate(bytes, slab_bytes));
        if (memory == nullptr) return false;
        for (std::byte* each = memory; each != memory + bytes; each += slab_bytes) {
            tell_free(each + sizeof(slab), slab_bytes - sizeof(slab));
        }
        slab* const first = slab::of(memory);
        const static_lock held(mutex);
        ::new (&first->chunk) slab::chunk_record{chunks_, spare_, memory, memory + bytes};
        chunks_ = spare_ = first;
        grown_ = bytes;
        return true;
    }

    // Effects: gives all chunks back. Requires: no other thread uses the resource.
    template <class Upstream>
    void release(Upstream& upstream) noexcept {
        slab* first = std::exchange(chunks_, nullptr);
        spare_ = nullptr;
        grown_ = 0;
        while (first != nullptr) {
            tell_readable(&first->chunk, sizeof(first->chunk));
            std::byte* const memory = first->memory();
            const auto bytes = static_cast<std::size_t>(first->chunk.end - memory);
            first = first->chunk.next;
            tell_allocated(memory, bytes);
            upstream.deallocate(memory, bytes, slab_bytes);
        }
    }

private:
    [[nodiscard]] std::size_t next_bytes(static_mutex& mutex) const noexcept {
        const static_lock held(mutex);
        return grown_ == 0 ? smallest_ : detail::min(2 * grown_, largest_);
    }

    std::size_t smallest_;
    std::size_t largest_;
    slab* chunks_ = nullptr;  // the first slab of the latest chunk
    slab* spare_ = nullptr;   // that of the latest chunk with slabs that were never taken
    std::size_t grown_ = 0;   // the size of the latest chunk
};

}  // namespace freehold::detail
