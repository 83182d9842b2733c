#pragma once
// slab_source: a slab cache and the upstream that it has its chunks from, for a resource of one thread.
//
// The upstream may use the resource in turn: after a call of it, the resource's lists may be others.
//
// Thread safety: one thread at a time. Exceptions: only take() throws.

#include <cstddef>
#include <memory_resource>

#include "../../core/block_arithmetic.hpp"
#include "../../core/memcheck.hpp"
#include "../pool_statistics.hpp"
#include "large_blocks.hpp"
#include "slab_cache.hpp"

namespace freehold::detail {

// Slab is the header of a slab, derived from slab_in_chunk<Slab>.
template <class Slab>
class slab_source {
    using slabs = basic_slab_cache<Slab>;
    using chunk = typename slabs::memory;

public:
    // Small chunks, so that a few blocks keep little from going back.
    static constexpr std::size_t usual_chunk = 4 * slab_bytes;

    // Chunks have at most `largest_chunk` bytes.
    explicit slab_source(std::size_t largest_chunk = usual_chunk) noexcept : cache_(slab_bytes, largest_chunk) {}

    // Returns: a spare slab for the caller to open, or null.
    [[nodiscard]] Slab* take_spare() noexcept { return cache_.take(); }

    // Returns: a slab for the caller to open, or null if the upstream has no memory.
    template <class Upstream>
    [[nodiscard]] Slab* try_take(Upstream& upstream) noexcept {
        if (Slab* const spare = cache_.take()) return spare;
        const chunk found = slabs::ask(upstream, cache_.next_bytes());
        return found.begin != nullptr ? take_from(upstream, found) : nullptr;
    }

    // Returns: a slab for the caller to open. Throws: what the upstream throws; then nothing has changed.
    [[nodiscard]] Slab* take(std::pmr::memory_resource& upstream) {
        if (Slab* const spare = cache_.take()) return spare;
        return take_from(upstream, {static_cast<std::byte*>(upstream.allocate(slab_bytes, slab_bytes)), slab_bytes});
    }

    // Effects: takes the slab back. Requires: no block of it is in use.
    void give_back(std::pmr::memory_resource& upstream, Slab* empty) noexcept {
        slabs::give(upstream, cache_.give_back(empty));
    }

    // Effects: gives the upstream the chunk that is kept idle.
    void trim(std::pmr::memory_resource& upstream) noexcept { slabs::give(upstream, cache_.take_idle()); }

    // Returns: where the memory of the resource is, without its slabs, which it adds if is_counted.
    [[nodiscard]] pool_statistics statistics(const large_blocks& large) const noexcept {
        pool_statistics found;
        found.mapped = cache_.bytes();
        found.spare = cache_.spare_bytes();
        found.large = large.bytes();
        found.large_blocks = large.count();
        found.is_counted = !is_memcheck();
        return found;
    }

    // Returns: the slabs and chunks.
    [[nodiscard]] const slabs& cache() const noexcept { return cache_; }

    // Effects: gives the upstream all chunks.
    void release(std::pmr::memory_resource& upstream) noexcept {
        for (chunk each = cache_.take_any(); each.begin != nullptr; each = cache_.take_any())
            slabs::give(upstream, each);
    }

private:
    template <class Upstream>
    [[nodiscard]] Slab* take_from(Upstream& upstream, chunk added) noexcept {
        const chunk unused = cache_.add(added);
        Slab* const taken = cache_.take();
        slabs::give(upstream, unused);
        return taken;
    }

    slabs cache_;
};

}  // namespace freehold::detail
