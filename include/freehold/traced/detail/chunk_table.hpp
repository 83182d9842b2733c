#pragma once
// From an address to its chunk.
//
// A mask is enough for an address in the first 4 MiB of a chunk. wide_chunks finds the others, which lead into an
// object of more than 4 MiB: it searches the wide chunks of the thread. An address below all of them costs one
// comparison, so programs without such objects pay no more than that.
//
// chunk_table answers whether an address is in a heap at all: it lists the heap's chunks, in a hash table.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "../../core/alignment.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../core/static_tls.hpp"
#include "../../memory/page_cache.hpp"
#include "container_watch.hpp"
#include "traced_chunk.hpp"

namespace freehold::detail {

// Trivially destructible and constant-initialized, as the decision on static thread-local variables has it.
class wide_chunks {
public:
    // Returns: the last address that needs no search.
    [[nodiscard]] static std::uintptr_t last_near() noexcept { return here.last_near_; }

    [[nodiscard]] static bool may_lead_to(const void* address) noexcept {
        return std::bit_cast<std::uintptr_t>(address) > last_near();
    }

    // Returns: the address of the same object if the address is after the first 4 MiB of a wide chunk; otherwise the
    // address itself.
    [[nodiscard]] static const void* head_of(const void* address) noexcept {
        return may_lead_to(address) ? here.look_up(address) : address;
    }

    // Returns: the chunks of this thread, for others that mark for it.
    [[nodiscard]] static const wide_chunks& of_thread() noexcept { return here; }

    // Returns: head_of(address) for the thread of these chunks.
    [[nodiscard]] const void* head_in_thread(const void* address) const noexcept {
        return std::bit_cast<std::uintptr_t>(address) > last_near_ ? look_up(address) : address;
    }

    // Returns: the chunk, or the block, of the object that the address is in.
    [[nodiscard]] static traced_chunk& chunk_of(const void* address) noexcept {
        return *traced_chunk::at(head_of(address));
    }
    [[nodiscard]] static traced_block& block_of(const void* address) noexcept {
        return traced_chunk::block_of(head_of(address));
    }

    // Effects: reserves capacity for another chunk. Returns: false if out of memory.
    [[nodiscard]] static bool reserve() noexcept {
        return !here.chunks_.is_full() || here.chunks_.reserve(2 * here.chunks_.size() + 8);
    }

    // Requires: there is capacity.
    static void add(traced_chunk& added) noexcept {
        here.chunks_.add(&added);
        traced_chunk** place = here.chunks_.end() - 1;
        for (; place != here.chunks_.begin() && is_before(&added, place[-1]); --place) *place = place[-1];
        *place = &added;
        here.set_last_near();
    }

    static void remove(traced_chunk& removed) noexcept {
        for (traced_chunk** each = here.first_after(&removed); each != here.chunks_.end(); ++each) each[-1] = *each;
        here.chunks_.truncate(here.chunks_.size() - 1);
        if (here.chunks_.empty()) here.chunks_.release();
        here.set_last_near();
    }

private:
    [[nodiscard]] static bool is_before(const void* a, const void* b) noexcept {
        return std::bit_cast<std::uintptr_t>(a) < std::bit_cast<std::uintptr_t>(b);
    }

    // Returns: the first chunk that begins after the address, or the end. A binary search.
    [[nodiscard]] traced_chunk** first_after(const void* address) const noexcept {
        traced_chunk** first = chunks_.begin();
        for (std::size_t count = chunks_.size(); count > 0;) {
            const std::size_t half = count / 2;
            if (is_before(address, first[half])) {
                count = half;
            } else {
                first += half + 1;
                count -= half + 1;
            }
        }
        return first;
    }

    // Requires: may_lead_to(address).
    [[nodiscard, gnu::noinline]] const void* look_up(const void* address) const noexcept {
        traced_chunk& chunk = *first_after(address)[-1];
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

class chunk_table {
public:
    chunk_table(traced_space& space, container_watch& watch) noexcept : space_(space), watch_(watch) {}
    chunk_table(const chunk_table&) = delete;
    chunk_table& operator=(const chunk_table&) = delete;

    ~chunk_table() {
        for (traced_chunk* const chunk : chunks_) give_back(chunk);
    }

    [[nodiscard]] std::size_t size() const noexcept { return chunks_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    // No chunk is added beyond this many bytes.
    std::size_t max_bytes = std::numeric_limits<std::size_t>::max();

    // Returns: the chunk of this heap that has the address in its first 4 MiB, or a null pointer.
    // Requires: the heap has chunks.
    [[nodiscard]] traced_chunk* find(const void* address) const noexcept {
        traced_chunk* const sought = traced_chunk::at(address);
        for (std::size_t i = place_of(sought); places_[i] != nullptr; i = (i + 1) & (places_.size() - 1)) {
            if (places_[i] == sought) return sought;
        }
        return nullptr;
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
        const std::size_t given_back = std::erase_if(chunks_, [&](traced_chunk* chunk) {
            if (!chunk->is_empty()) return false;
            if (!chunk->is_wide()) {
                if (trimmed == most || !std::exchange(has_empty, true)) return false;
                ++trimmed;
            }
            give_back(chunk);
            return true;
        });
        if (given_back == 0) return 0;
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
        if (bytes > max_bytes - min(bytes_, max_bytes)) raise<std::bad_alloc>();
        chunks_.reserve(std::bit_ceil(chunks_.size() + 1));
        std::vector<traced_chunk*> places(std::bit_ceil(chunks_.capacity() * 2));
        void* const memory = page_cache::shared().allocate(bytes, traced_chunk::bytes);
        if (bytes != traced_chunk::bytes && !wide_chunks::reserve()) {
            page_cache::shared().deallocate(memory, bytes, traced_chunk::bytes);
            raise<std::bad_alloc>();
        }
        watch_.forget(memory, bytes);
        auto* const chunk = ::new (memory) traced_chunk(space_, bytes);
        chunks_.push_back(chunk);
        if (chunk->is_wide()) wide_chunks::add(*chunk);
        bytes_ += bytes;
        places_ = std::move(places);
        for (traced_chunk* const each : chunks_) enter(each);
        return chunk;
    }

    void give_back(traced_chunk* chunk) noexcept {
        const std::size_t bytes = chunk->total_bytes();
        bytes_ -= bytes;
        if (chunk->is_wide()) wide_chunks::remove(*chunk);
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
    std::vector<traced_chunk*> places_;  // the hash table; its size is a power of two, at least half is empty
    std::size_t first_with_room_ = 0;    // the chunks before it are full
    std::size_t bytes_ = 0;
};

}  // namespace freehold::detail
