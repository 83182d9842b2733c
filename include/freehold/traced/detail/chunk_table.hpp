#pragma once
// The chunks of a heap. It answers whether an address is in the heap at all.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../memory/page_cache.hpp"
#include "chunk_places.hpp"
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

    // Effects: addresses can be looked up in threads with a session. Requires: there is no chunk.
    void share() noexcept { wide_.is_shared = true; }

    // Returns: the wide chunks of a shared heap, by the addresses after their first 4 MiB.
    [[nodiscard]] const wide_pieces& pieces() const noexcept { return pieces_; }

    // Returns: the wide ones.
    [[nodiscard]] const wide_chunk_list& wide() const noexcept { return wide_; }

    [[nodiscard]] std::size_t size() const noexcept { return chunks_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    // No chunk is added beyond this many bytes.
    std::size_t max_bytes = (std::numeric_limits<std::size_t>::max)();

    // Returns: the chunk of this heap that has the address in its first 4 MiB, or a null pointer.
    // Requires: the heap has had chunks.
    [[nodiscard]] traced_chunk* find(const void* address) const noexcept {
        const traced_chunk* const sought = traced_chunk::at(address);
        return places_.find(sought, [sought](const traced_chunk& each) { return &each == sought; });
    }

    // Returns: whether the address is in a chunk of this heap.
    [[nodiscard]] bool contains(const void* address) const noexcept {
        return places_.has_room() && find(wide_chunks::head_of(address)) != nullptr;
    }

    // Returns: the object of this heap that contains the address, or a null pointer. Requires: no run is in use.
    [[nodiscard]] const void* object_at(const void* address) const noexcept {
        if (!places_.has_room()) return nullptr;
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
        chunks_.truncate(kept);
        first_with_room_ = 0;
        places_.rebuild([this](auto add) { each_place(add); });
        if (wide_.is_shared) pieces_.rebuild([this](auto add) { each_piece(add); });
        return trimmed;
    }

private:
    // Returns: a new chunk with `blocks` free blocks. Throws: std::bad_alloc; then nothing has changed.
    traced_chunk* add_chunk(std::size_t blocks) {
        // Nothing else is in the last 4 MiB: a store there of an address there is a store of the object into itself.
        const std::size_t bytes =
            round_up((traced_chunk::header_blocks + blocks) * traced_chunk::block_bytes, traced_chunk::bytes);
        if (bytes > max_bytes - smaller(bytes_, max_bytes)) raise<std::bad_alloc>();
        if (!chunks_.reserve(std::bit_ceil(chunks_.size() + 1))) raise<std::bad_alloc>();
        places_.reserve(chunks_.size() + 1, [this](auto add) { each_place(add); });
        void* const memory = page_cache::shared().allocate(bytes, traced_chunk::bytes);
        watch_.forget(memory, bytes);
        struct new_chunk {
            ~new_chunk() {
                if (chunk == nullptr) return;
                chunk->~traced_chunk();
                page_cache::shared().deallocate(chunk, bytes, traced_chunk::bytes);
            }
            traced_chunk* chunk;
            std::size_t bytes;
        } made{::new (memory) traced_chunk(space_, bytes), bytes};
        traced_chunk* const chunk = made.chunk;
        if (chunk->is_wide()) add_wide(*chunk);
        made.chunk = nullptr;
        chunks_.add(chunk);
        bytes_ += bytes;
        places_.add(chunk, chunk);
        return chunk;
    }

    // Throws: std::bad_alloc; then nothing has changed.
    void add_wide(traced_chunk& added) {
        if (!wide_.reserve()) raise<std::bad_alloc>();
        if (wide_.is_shared) {
            std::size_t count = 0;
            const auto count_pieces = [&count](const void*, traced_chunk*) { ++count; };
            each_piece(count_pieces);
            add_pieces(added, count_pieces);
            pieces_.reserve(count, [this](auto add) { each_piece(add); });
            if (added.far_card_of(reinterpret_cast<const std::byte*>(&added) + traced_chunk::bytes) == nullptr)
                raise<std::bad_alloc>();
            add_pieces(added, [this](const void* address, traced_chunk* chunk) { pieces_.add(address, chunk); });
        }
        wide_.add(added);
    }

    template <class Add>
    void each_place(Add add) const {
        for (traced_chunk* const each : chunks_) add(each, each);
    }

    template <class Add>
    void each_piece(Add add) const {
        for (traced_chunk* const each : chunks_) add_pieces(*each, add);
    }

    template <class Add>
    static void add_pieces(traced_chunk& of, Add add) {
        for (std::size_t at = traced_chunk::bytes; at < of.total_bytes(); at += traced_chunk::bytes) {
            add(reinterpret_cast<const std::byte*>(&of) + at, &of);
        }
    }

    void give_back(traced_chunk* chunk) noexcept {
        const std::size_t bytes = chunk->total_bytes();
        bytes_ -= bytes;
        if (chunk->is_wide()) wide_.remove(*chunk);
        chunk->~traced_chunk();
        page_cache::shared().deallocate(chunk, bytes, traced_chunk::bytes);
    }

    traced_space& space_;     // that the chunks belong to
    container_watch& watch_;  // told of new chunks
    growing_list<traced_chunk*> chunks_;
    wide_chunk_list wide_;
    chunk_places<traced_chunk, traced_chunk::bytes> places_;
    wide_pieces pieces_;               // none unless it is shared
    std::size_t first_with_room_ = 0;  // the chunks before it are full
    std::size_t bytes_ = 0;
};

}  // namespace freehold::detail
