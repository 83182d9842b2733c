#pragma once
// slab_cache: the slabs of one pool that are in no heap, and the chunks in which slabs come and go.
//
// A chunk is idle when all its slabs are spare, and goes back then, except that some bytes of idle chunks are kept.
// Slabs are taken from chunks that are partly in use first, so that the others may go back. Most pools have chunks of
// one slab: no slab in use keeps another from going back.
//
// Invariant: a chunk with a slab in use is in the list; chunks with spare slabs come first.
//
// Thread safety: one thread at a time. Exceptions: none.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/memcheck.hpp"

namespace freehold::inline v0_2::detail {

// The record of the slabs that came from the upstream in one piece. In the header of the first slab of the chunk.
template <class Slab>
struct slab_chunk {
    Slab* next;            // the first slab of the next chunk
    Slab* previous;        // that of the previous one
    std::uint32_t slabs;   // their number
    std::uint32_t spare;   // a bit for each that is not in use
    std::uint32_t opened;  // a bit for each that was in use, and whose header is valid
};

// The base of a slab's header for basic_slab_cache.
template <class Slab>
class slab_in_chunk {
public:
    Slab* first_of_chunk = nullptr;
    slab_chunk<Slab> chunk = {};  // used in the first slab of a chunk only
    std::uint16_t block_class = 0;

private:
    friend Slab;

    constexpr slab_in_chunk() noexcept = default;
};

// Slab is the header of a slab: it has the members of slab_in_chunk.
template <class Slab>
class basic_slab_cache {
public:
    static constexpr std::size_t largest_chunk = 16 * slab_bytes;
    static constexpr std::size_t usually_kept = 4 * slab_bytes;

    // Memory of the upstream.
    struct memory {
        std::byte* begin;  // null if there is none
        std::size_t bytes;
    };

    // Chunks double from the one size to the other, in bytes. Of idle ones it keeps `kept` bytes, or one that is
    // larger. Requires: both sizes are multiples of a slab, and not 0.
    constexpr basic_slab_cache(std::size_t smallest, std::size_t largest, std::size_t kept) noexcept
        : smallest_(smallest), largest_(largest), kept_(kept) {}

    [[nodiscard]] std::size_t largest() const noexcept { return largest_; }

    // Returns: the size of the next chunk to ask the upstream for.
    [[nodiscard]] std::size_t next_bytes() const noexcept {
        return grown_ == 0 ? smallest_ : detail::smaller(2 * grown_, largest_);
    }

    // Returns: memory of the upstream for a chunk, of `bytes` bytes or of fewer slabs, or none if it has not even one.
    template <class Upstream>
    [[nodiscard]] static memory ask(Upstream& upstream, std::size_t bytes) noexcept {
        while (true) {
            void* const found = detail::try_allocate(upstream, bytes, slab_bytes);
            if (found != nullptr || bytes == slab_bytes) return {static_cast<std::byte*>(found), bytes};
            bytes = round_up(bytes / 2, slab_bytes);
        }
    }

    // Effects: gives the upstream a chunk that is no longer of this pool, if there is one.
    template <class Upstream>
    static void give(Upstream& upstream, memory unused) noexcept {
        if (unused.begin != nullptr) upstream.deallocate(unused.begin, unused.bytes, slab_bytes);
    }

    // Effects: gives the upstream what take() returns, until that is none.
    template <class Upstream, class Take>
    static void give_all(Upstream& upstream, Take take) noexcept {
        for (memory each = take(); each.begin != nullptr; each = take()) give(upstream, each);
    }

    // Effects: adds a chunk, which is idle. Returns: one that was idle before, for the upstream, or none.
    // Requires: it has the alignment of a slab, and next_bytes() bytes or fewer.
    [[nodiscard]] memory add(memory added) noexcept {
        for (std::size_t at = 0; at != added.bytes; at += slab_bytes) {
            detail::tell_free(added.begin + at + sizeof(Slab), slab_bytes - sizeof(Slab));
        }
        Slab* const first = of(added.begin);
        const auto slabs = static_cast<std::uint32_t>(added.bytes / slab_bytes);
        ::new (&first->chunk) slab_chunk<Slab>{nullptr, nullptr, slabs, all(slabs), 0};
        grown_ = added.bytes;
        bytes_ += added.bytes;
        spare_ += slabs;
        return keep(first);
    }

    // Returns: a spare slab, or null. If it was never in use, its class is no_class.
    [[nodiscard]] Slab* take() noexcept {
        if (first_ == nullptr || first_->chunk.spare == 0) {
            if (idle_ == nullptr) return nullptr;
            push_front(pop_idle());
        }
        // One that was in use first: its pages are there, and its blocks in lists.
        const std::uint32_t used = first_->chunk.spare & first_->chunk.opened;
        return take(first_, static_cast<std::uint32_t>(std::countr_zero(used != 0 ? used : first_->chunk.spare)));
    }

    // Returns: a slab that was spare, with pages that no one needed for a second, or null. It goes back without them.
    // Complexity: constant. It looks at a few chunks, and at others in the next call.
    [[nodiscard]] FREEHOLD_COLD Slab* take_unneeded(std::uint64_t second) noexcept {
        if (second != second_) {
            second_ = second;
            surplus_ = std::exchange(least_warm_, warm_);
        }
        if (detail::smaller(surplus_, least_warm_) * slab_bytes <= kept_) return nullptr;
        Slab* const taken = take_warm(8);
        if (taken != nullptr) --surplus_;
        return taken;
    }

    // Returns: a slab of a chunk in use that was spare and has its pages, or null. It looks at this many chunks, up to
    // the last one, and at those after them in the next call.
    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE Slab* take_warm(std::size_t chunks) noexcept {
        Slab* first = next_looked_ != nullptr ? next_looked_ : first_;
        for (; first != nullptr && first->chunk.spare != 0; first = first->chunk.next, --chunks) {
            next_looked_ = first;
            if (chunks == 0) return nullptr;
            if (const std::uint32_t warm = first->chunk.spare & first->chunk.opened; warm != 0) {
                return take(first, static_cast<std::uint32_t>(std::countr_zero(warm)));
            }
        }
        next_looked_ = nullptr;
        return nullptr;
    }

    // Effects: makes the slab spare. Returns: a chunk for the upstream, or none. Requires: no block of it is in use.
    [[nodiscard]] memory give_back(Slab* empty) noexcept { return give_back(empty, empty->first_of_chunk, true); }

    // Effects: the same for a slab of this chunk, which may have no pages: it is as one that was never in use.
    [[nodiscard]] FREEHOLD_NOINLINE memory give_back(Slab* empty, Slab* first, bool has_pages) noexcept {
        slab_chunk<Slab>& chunk = first->chunk;
        const auto index = static_cast<std::size_t>(bytes_of(empty) - bytes_of(first)) / slab_bytes;
        const std::uint32_t bit = std::uint32_t{1} << index;
        const bool is_in_place = chunk.spare != 0 && !has_pages;  // others come before it
        chunk.spare |= bit;
        ++spare_;
        if (has_pages) {
            ++warm_;
        } else {
            chunk.opened &= ~bit;
        }
        if (chunk.spare == all(chunk.slabs)) {
            remove(first);
            return keep(first);
        }
        if (!is_in_place) {
            remove(first);
            push_front(first);
        }
        return {};
    }

    // Returns: an idle chunk, for the upstream, or none.
    [[nodiscard]] memory take_idle() noexcept { return idle_ != nullptr ? leave(pop_idle()) : memory{}; }

    // Returns: any chunk, for the upstream, or none. Requires: nothing else is called until there is none.
    [[nodiscard]] memory take_any() noexcept {
        if (idle_ != nullptr) return take_idle();
        grown_ = 0;
        if (first_ == nullptr) return {};
        Slab* const first = first_;
        detail::tell_readable(&first->chunk, sizeof(first->chunk));  // memcheck may have forgotten the headers
        first_ = first->chunk.next;
        if (first_ == nullptr) last_ = nullptr;
        return leave(first);
    }

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t spare_bytes() const noexcept { return spare_ * slab_bytes; }

    // Effects: calls visit(Slab&) for each slab that was taken.
    template <class Visit>
    void visit_taken(Visit visit) const {
        for (Slab* first = first_; first != nullptr; first = first->chunk.next) {
            for (std::size_t i = 0; i < first->chunk.slabs; ++i) {
                if ((first->chunk.spare >> i & 1) == 0) visit(*of(bytes_of(first) + i * slab_bytes));
            }
        }
    }

    static constexpr std::uint16_t no_class = UINT16_MAX;

private:
    [[nodiscard]] static Slab* of(std::byte* memory) noexcept { return reinterpret_cast<Slab*>(memory); }

    [[nodiscard]] static std::byte* bytes_of(Slab* header) noexcept { return reinterpret_cast<std::byte*>(header); }

    [[nodiscard]] static constexpr std::uint32_t all(std::uint32_t slabs) noexcept {
        return (std::uint32_t{1} << slabs) - 1;
    }

    static_assert(largest_chunk / slab_bytes < 32, "a chunk has a bit for each slab");

    // Returns: the slab at the index in the chunk. Requires: it is spare.
    [[nodiscard]] Slab* take(Slab* first, std::uint32_t index) noexcept {
        slab_chunk<Slab>& chunk = first->chunk;
        const std::uint32_t bit = std::uint32_t{1} << index;
        chunk.spare &= ~bit;
        --spare_;
        if (chunk.spare == 0 && first != last_) {
            remove(first);
            push_back(first);
        }
        Slab* const taken = of(bytes_of(first) + index * slab_bytes);
        if ((chunk.opened & bit) == 0) {
            // With the first slab, memcheck may have been told that the chunk is free.
            if (taken != first) detail::tell_allocated(taken, sizeof(Slab));
            taken->block_class = no_class;
        } else {
            least_warm_ = detail::smaller(least_warm_, --warm_);
        }
        taken->first_of_chunk = first;
        chunk.opened |= bit;
        return taken;
    }

    // Effects: the chunk is idle from now on. Returns: the idle one before it, if that is too much, or none.
    [[nodiscard]] memory keep(Slab* first) noexcept {
        Slab* const before = idle_ != nullptr && idle_slabs_ * slab_bytes >= kept_ ? pop_idle() : nullptr;
        first->chunk.next = std::exchange(idle_, first);
        idle_slabs_ += first->chunk.slabs;
        return before != nullptr ? leave(before) : memory{};
    }

    // Requires: there is an idle chunk.
    [[nodiscard]] Slab* pop_idle() noexcept {
        Slab* const first = std::exchange(idle_, idle_->chunk.next);
        idle_slabs_ -= first->chunk.slabs;
        return first;
    }

    [[nodiscard]] memory leave(Slab* first) noexcept {
        const memory left{bytes_of(first), first->chunk.slabs * slab_bytes};
        warm_ -= static_cast<std::size_t>(std::popcount(first->chunk.spare & first->chunk.opened));
        least_warm_ = detail::smaller(least_warm_, warm_);
        bytes_ -= left.bytes;
        spare_ -= static_cast<std::size_t>(std::popcount(first->chunk.spare));
        detail::tell_allocated(left.begin, left.bytes);
        return left;
    }

    void push_front(Slab* chunk) noexcept {
        chunk->chunk.previous = nullptr;
        chunk->chunk.next = first_;
        (first_ != nullptr ? first_->chunk.previous : last_) = chunk;
        first_ = chunk;
    }

    void push_back(Slab* chunk) noexcept {
        chunk->chunk.next = nullptr;
        chunk->chunk.previous = last_;
        (last_ != nullptr ? last_->chunk.next : first_) = chunk;
        last_ = chunk;
    }

    void remove(Slab* chunk) noexcept {
        if (next_looked_ == chunk) next_looked_ = chunk->chunk.next;
        (chunk->chunk.previous != nullptr ? chunk->chunk.previous->chunk.next : first_) = chunk->chunk.next;
        (chunk->chunk.next != nullptr ? chunk->chunk.next->chunk.previous : last_) = chunk->chunk.previous;
    }

    std::size_t smallest_;
    std::size_t largest_;
    std::size_t kept_;
    Slab* first_ = nullptr;  // the first slabs of the chunks
    Slab* last_ = nullptr;
    Slab* idle_ = nullptr;        // those of the chunks that are kept
    std::size_t idle_slabs_ = 0;  // in these
    std::size_t grown_ = 0;       // the size of the latest chunk
    std::size_t bytes_ = 0;       // of all chunks
    std::size_t spare_ = 0;       // slabs
    std::size_t warm_ = 0;        // spare ones that were in use, and have their pages

    // For take_unneeded().
    std::uint64_t second_ = 0;
    std::size_t least_warm_ = 0;   // since the second began
    std::size_t surplus_ = 0;      // of those that were warm all through the one before, what may still go
    Slab* next_looked_ = nullptr;  // the first slab of a chunk
};

// The slabs that slab_heap serves blocks from.
struct slab;
using slab_cache = basic_slab_cache<slab>;

}  // namespace freehold::detail
