#pragma once
// The chunks of a heap, in a hash table: it answers whether an address is in the heap at all.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "../../core/alignment.hpp"
#include "../../core/exceptions.hpp"
#include "../../memory/page_cache.hpp"
#include "container_watch.hpp"
#include "traced_chunk.hpp"
#include "wide_chunks.hpp"

namespace freehold::inline v0_2::detail {

class chunk_table {
public:
    chunk_table(traced_space& space, container_watch& watch) noexcept : space_(space), watch_(watch) {}
    ~chunk_table() {
        for (traced_chunk* const chunk : chunks_) give_back(chunk);
    }

    // Effects: addresses in the chunks can be looked up in the calling thread, until detach(). A new table is attached.
    // Complexity: constant, for each attached heap with an object of more than 4 MiB.
    void attach() noexcept { wide_.attach(); }
    void detach() noexcept { wide_.detach(); }

    // Returns: the wide ones.
    [[nodiscard]] const wide_chunk_list& wide() const noexcept { return wide_; }

    [[nodiscard]] std::size_t size() const noexcept { return chunks_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    // No chunk is added beyond this many bytes.
    std::size_t max_bytes = (std::numeric_limits<std::size_t>::max)();

    // Returns: the chunk of this heap that has the address in its first 4 MiB, or a null pointer.
    // Requires: the heap has chunks.
    [[nodiscard]] traced_chunk* find(const void* address) const noexcept {
        traced_chunk* const sought = traced_chunk::at(address);
        for (std::size_t i = place_of(sought); places_[i] != nullptr; i = (i + 1) & (places_.size() - 1)) {
            if (places_[i] == sought) return sought;
        }
        return nullptr;
    }

    // Returns: whether the address is in a chunk of this heap.
    [[nodiscard]] bool contains(const void* address) const noexcept {
        return !chunks_.empty() && find(wide_chunks::head_of(address)) != nullptr;
    }

    // Returns: the object of this heap that contains the address, or a null pointer. Requires: no run is in use.
    [[nodiscard]] const void* object_at(const void* address) const noexcept {
        if (chunks_.empty()) return nullptr;
        address = wide_chunks::head_of(address);
        const traced_chunk* const chunk = find(address);
        const traced_block* block = chunk != nullptr ? chunk->opened_block_of(address) : nullptr;
        if (block == nullptr) return nullptr;
        if (block->is_large()) block = &traced_chunk::block_of(block->begin);
        const std::size_t index = block->index_of(address);
        return index < block->cells && block->is_occupied(index) ? block->cell(index) : nullptr;
    }

    // Returns: a new block for objects of the type. Throws: std::bad_alloc; then nothing has changed.
    [[nodiscard]] traced_block& open(const traced_type& type) {
        const std::size_t count = traced_chunk::blocks_for(type);
        for (std::size_t i = first_with_room_; i < chunks_.size() && count <= traced_chunk::max_blocks; ++i) {
            traced_block* const opened = chunks_[i]->is_wide() ? nullptr : chunks_[i]->open(type, count);
            if (opened != nullptr) return *opened;
            if (count == 1) first_with_room_ = i + 1;
        }
        return *add_chunk(count)->open(type, count);
    }

    void close(traced_block& block) noexcept {
        traced_chunk::at(&block)->close(block);
        first_with_room_ = 0;
    }

    // Effects: gives back empty chunks: the wide ones, and up to `most` others, except one if `keeps_one`.
    // Returns: the number of the others.
    std::size_t trim(std::size_t most, bool keeps_one = true) noexcept {
        bool has_empty = !keeps_one;
        std::size_t trimmed = 0;
        const auto is_kept = [&](const traced_chunk& chunk) {
            if (!chunk.is_empty()) return true;
            if (chunk.is_wide()) return false;
            if (trimmed == most || !std::exchange(has_empty, true)) return true;
            ++trimmed;
            return false;
        };
        std::size_t kept = 0;
        for (traced_chunk* const chunk : chunks_) {
            if (is_kept(*chunk)) {
                chunks_[kept++] = chunk;
            } else {
                give_back(chunk);
            }
        }
        if (kept == chunks_.size()) return 0;
        while (chunks_.size() != kept) chunks_.pop_back();
        first_with_room_ = 0;
        for (traced_chunk*& place : places_) place = nullptr;
        for (traced_chunk* const chunk : chunks_) enter(chunk);
        return trimmed;
    }

private:
    // Returns: a new chunk with `blocks` free blocks. Throws: std::bad_alloc; then nothing has changed.
    traced_chunk* add_chunk(std::size_t blocks) {
        // Nothing else is in the last 4 MiB: a store there of an address there is a store of the object into itself.
        const std::size_t bytes =
            round_up((traced_chunk::header_blocks + blocks) * traced_chunk::block_bytes, traced_chunk::bytes);
        if (bytes > max_bytes - smaller(bytes_, max_bytes)) raise<std::bad_alloc>();
        chunks_.reserve(std::bit_ceil(chunks_.size() + 1));
        std::vector<traced_chunk*> places(std::bit_ceil(chunks_.capacity() * 2));
        void* const memory = page_cache::shared().allocate(bytes, traced_chunk::bytes);
        if (bytes != traced_chunk::bytes && !wide_.reserve()) {
            page_cache::shared().deallocate(memory, bytes, traced_chunk::bytes);
            raise<std::bad_alloc>();
        }
        watch_.forget(memory, bytes);
        auto* const chunk = ::new (memory) traced_chunk(space_, bytes);
        chunks_.push_back(chunk);
        if (chunk->is_wide()) wide_.add(*chunk);
        bytes_ += bytes;
        places_ = std::move(places);
        for (traced_chunk* const each : chunks_) enter(each);
        return chunk;
    }

    void give_back(traced_chunk* chunk) noexcept {
        const std::size_t bytes = chunk->total_bytes();
        bytes_ -= bytes;
        if (chunk->is_wide()) wide_.remove(*chunk);
        chunk->~traced_chunk();
        page_cache::shared().deallocate(chunk, bytes, traced_chunk::bytes);
    }

    [[nodiscard]] std::size_t place_of(const traced_chunk* chunk) const noexcept {
        return std::bit_cast<std::uintptr_t>(chunk) / traced_chunk::bytes & (places_.size() - 1);
    }

    void enter(traced_chunk* chunk) noexcept {
        std::size_t i = place_of(chunk);
        while (places_[i] != nullptr) i = (i + 1) & (places_.size() - 1);
        places_[i] = chunk;
    }

    traced_space& space_;     // that the chunks belong to
    container_watch& watch_;  // told of new chunks
    std::vector<traced_chunk*> chunks_;
    wide_chunk_list wide_;
    std::vector<traced_chunk*> places_;  // the hash table; its size is a power of two, at least half is empty
    std::size_t first_with_room_ = 0;    // the chunks before it are full
    std::size_t bytes_ = 0;
};

}  // namespace freehold::detail
