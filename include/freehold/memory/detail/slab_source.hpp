#pragma once
// slab_source: a slab cache with its upstream, for a resource of one thread. slab_resource: the base of such resources.
//
// The upstream may use the resource in turn: after a call of it, the resource's lists may be others.
//
// Thread safety: one thread at a time. Exceptions: only take() throws.

#include <cstddef>
#include <memory_resource>

#include "../../core/block_arithmetic.hpp"
#include "../../core/memcheck.hpp"
#include "../pool_statistics.hpp"
#include "chained_resource.hpp"
#include "large_blocks.hpp"
#include "slab_cache.hpp"
#include "upstream.hpp"

namespace freehold::inline v0_2::detail {

// Slab is the header of a slab, derived from slab_in_chunk<Slab>.
template <class Slab>
class slab_source {
    using slabs = basic_slab_cache<Slab>;
    using chunk = typename slabs::memory;

public:
    // Chunks have at most `largest_chunk` bytes.
    explicit slab_source(std::size_t largest_chunk = slab_bytes) noexcept
        : cache_(slab_bytes, largest_chunk, slabs::usually_kept) {}

    // Returns: a spare slab for the caller to open, or null.
    [[nodiscard]] Slab* take_spare() noexcept { return cache_.take(); }

    // Returns: the same, or one of a new chunk; null if the upstream has no memory.
    [[nodiscard]] Slab* try_take(std::pmr::memory_resource& upstream) noexcept {
        if (Slab* const spare = take_spare()) return spare;
        quiet_upstream quiet(upstream);
        return take_from(upstream, slabs::ask(quiet, cache_.next_bytes()));
    }

    // Returns: the same, from the smallest chunk. Throws: what the upstream throws; then nothing has changed.
    template <class Upstream>
    [[nodiscard]] Slab* take(Upstream& upstream) {
        if (Slab* const spare = take_spare()) return spare;
        return take_from(upstream, {static_cast<std::byte*>(upstream.allocate(slab_bytes, slab_bytes)), slab_bytes});
    }

    // Effects: takes the slab back. Requires: no block of it is in use.
    void give_back(std::pmr::memory_resource& upstream, Slab* empty) noexcept {
        slabs::give(upstream, cache_.give_back(empty));
    }

    // Effects: gives the upstream the chunks that are kept idle.
    void trim(std::pmr::memory_resource& upstream) noexcept {
        slabs::give_all(upstream, [this] { return cache_.take_idle(); });
    }

    [[nodiscard]] const slabs& cache() const noexcept { return cache_; }

    // Effects: gives the upstream all chunks.
    void release(std::pmr::memory_resource& upstream) noexcept {
        slabs::give_all(upstream, [this] { return cache_.take_any(); });
    }

private:
    // Returns: a slab of the chunk, or null if that is none.
    template <class Upstream>
    [[nodiscard]] Slab* take_from(Upstream& upstream, chunk added) noexcept {
        if (added.begin == nullptr) return nullptr;
        const chunk unused = cache_.add(added);
        Slab* const taken = cache_.take();
        slabs::give(upstream, unused);
        return taken;
    }

    slabs cache_;
};

// Derived has `source_`, a slab_source<Slab>, and `large_`, large_blocks. give_back_idle() makes empty slabs spare,
// tally(slab, found) adds a slab to the statistics, and visit_slab(slab, visit) visits its blocks in use.
template <class Derived, class Slab>  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): no default one exists
class slab_resource : public chained_resource<Derived> {
public:
    // Effects: gives the upstream the memory in which no block is in use, and trims it if it is page_cache::shared().
    // Complexity: at most linear in the free blocks.
    void trim() noexcept {
        self().give_back_idle();
        self().source_.trim(*this->upstream_resource());
        detail::trim_shared_cache(this->upstream_resource());
    }

    // Returns: where the memory is. Under memcheck blocks are not counted, except large ones.
    // Complexity: linear in the slabs; in a pool_resource also in the free blocks of those that sizes used last.
    [[nodiscard]] pool_statistics statistics() const noexcept {
        const Derived& self = *static_cast<const Derived*>(this);
        pool_statistics found;
        found.mapped = self.source_.cache().bytes();
        found.spare = self.source_.cache().spare_bytes();
        found.large = self.large_.bytes();
        found.large_blocks = self.large_.count();
        found.is_counted = !is_memcheck();
        if (found.is_counted) self.source_.cache().visit_taken([&](const Slab& each) { self.tally(each, found); });
        return found;
    }

    // Effects: calls visit(block, bytes) for each block in use, where `bytes` is the size of its class, or what was
    // asked for if the block has none. Under memcheck only these are visited. Requires: `visit` does not use the
    // resource. Throws: what `visit` throws. Complexity: linear in the blocks.
    template <class Visit>
    void walk(Visit visit) {
        if (!is_memcheck()) self().source_.cache().visit_taken([&](Slab& each) { self().visit_slab(each, visit); });
        self().large_.visit(visit);
    }

private:
    friend Derived;

    using chained_resource<Derived>::chained_resource;

    [[nodiscard]] Derived& self() noexcept { return *static_cast<Derived*>(this); }
};

}  // namespace freehold::detail
