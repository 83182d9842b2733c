#pragma once
// Blocks of 64 KiB with equal cells, each a header and an object, and the description of the objects' type in front.
//
// A cell is where its header is, and finds its block by that address. What is too large to share a block has one of its
// own, in which the header still lies within 64 KiB of the description.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/memcheck.hpp"
#include "../../memory/page_cache.hpp"
#include "cyclic_header.hpp"

namespace freehold::detail {

class cell_free_list;
class trial_deletion;

// Where the cells of a type lie in a block.
struct cell_shape {
    std::size_t bytes;        // from one cell to the next
    std::size_t prefix;       // of these, before the header
    std::size_t first;        // from the beginning of the memory to the first header
    std::size_t count;        // in a block
    std::size_t description;  // from the beginning of the memory
    std::size_t memory;       // of the whole block
    std::size_t alignment;
};

// What a collector can do with an object of a type that it does not know.
struct cyclic_type {
    cell_shape shape;
    const char* name;  // of the type
    // Effects: hands every edge that leaves the object to the run.
    void (*trace)(cyclic_header&, trial_deletion&);
    // Effects: nobody observes the object any more. Requires: it is observed.
    void (*expire)(cyclic_header&) noexcept;
    // Effects: calls the object's finalize(). Null where it has none.
    void (*finalize)(cyclic_header&) noexcept;
    void (*destroy)(cyclic_header&) noexcept;
    // Effects: frees the cell, whose object was destroyed.
    void (*deallocate)(cyclic_header&) noexcept;
    // Effects: ends an object that has no owner.
    void (*end)(cyclic_header&) noexcept;
    // Effects: the same, at any depth.
    void (*end_now)(cyclic_header&) noexcept;
    // Returns: the free_list that cells of the type come from here; a null pointer where there is no memory for it.
    cell_free_list* (*free_list)() noexcept;
};

struct cyclic_block {
    static constexpr std::size_t bytes = std::size_t{64} * 1024;

    const cyclic_type* type;
    cyclic_block* next;  // of the same type in the same thread
    cyclic_block* previous;
    std::atomic<std::uint64_t> thread;  // whose objects they are, or of which session; 0 where that has ended
    std::byte* untouched;               // from here on cells were never handed out
    std::size_t free_cells;             // counted when the thread looks for blocks to give back
    std::size_t retired_cells;          // that memcheck watches, and nobody gets again
    const void* registry;               // of the heap that threads share; null where one thread has it
    std::atomic<bool> is_touched;       // by others than the session, since a collection last looked

    [[nodiscard]] static cyclic_block& of(cyclic_header& header) noexcept {
        auto* const place = reinterpret_cast<std::byte*>(&header);
        return *reinterpret_cast<cyclic_block*>(place - reinterpret_cast<std::uintptr_t>(place) % bytes);
    }

    [[nodiscard]] std::byte* memory() noexcept { return reinterpret_cast<std::byte*>(this) - type->shape.description; }
    [[nodiscard]] std::byte* first_cell() noexcept { return memory() + type->shape.first; }
    [[nodiscard]] std::byte* end() noexcept { return first_cell() + type->shape.count * type->shape.bytes; }

    // Returns: a block for objects of the type.
    // Throws: std::bad_alloc.
    [[nodiscard]] static cyclic_block* make(const cyclic_type& type, std::uint64_t thread, const void* registry) {
        void* const memory = page_cache::shared().allocate(type.shape.memory, type.shape.alignment);
        auto* const block = ::new (static_cast<std::byte*>(memory) + type.shape.description)
            cyclic_block{&type, nullptr, nullptr, thread, nullptr, 0, 0, registry, false};
        block->untouched = block->first_cell();
        tell_free(block->first_cell() - type.shape.prefix, type.shape.count * type.shape.bytes);
        return block;
    }

    // Effects: gives the memory back.
    void give_back() noexcept {
        const cell_shape shape = type->shape;
        tell_allocated(first_cell() - shape.prefix, shape.count * shape.bytes);
        page_cache::shared().deallocate(memory(), shape.memory, shape.alignment);
    }
};

// Returns: where cells for objects of that size and alignment lie, with so many bytes before each header.
[[nodiscard]] constexpr cell_shape shape_of_cells(std::size_t size, std::size_t alignment,
                                                  std::size_t prefix) noexcept {
    const std::size_t aligned = std::max(alignment, alignof(std::uint64_t));
    const std::size_t object = round_up(sizeof(cyclic_block) + prefix + sizeof(cyclic_header), aligned);
    const std::size_t first = object - sizeof(cyclic_header);
    const std::size_t bytes = round_up(prefix + sizeof(cyclic_header) + size, aligned);
    if (object < cyclic_block::bytes && bytes <= (cyclic_block::bytes - first) / 2) {
        const std::size_t count = (cyclic_block::bytes - first + prefix) / bytes;
        return {bytes, prefix, first, count, 0, cyclic_block::bytes, cyclic_block::bytes};
    }
    return {bytes,
            prefix,
            first,
            1,
            first / cyclic_block::bytes * cyclic_block::bytes,
            first + bytes,
            std::max(aligned, cyclic_block::bytes)};
}

}  // namespace freehold::detail
