#pragma once
// A block of 64 KiB with equal cells, each a header and an object, and in front the type of the objects.
//
// The address of a header tells its block. An object that is too large to share a block has one of its own, in which
// the header still lies within 64 KiB of the block's description.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/type_name.hpp"
#include "../../memory/page_cache.hpp"
#include "cyclic_header.hpp"

namespace freehold::inline v0_2::detail {

class cell_free_list;
class graph_walk;

// What an object of one type usually owns outside of its cell, as collections have found. Any thread may ask; the
// collecting thread corrects.
class usual_bytes {
public:
    // Returns: the guess. At first it is so high that a collection soon corrects it.
    [[nodiscard]] std::int64_t get() const noexcept {
        return bytes_.load(std::memory_order_relaxed);  // relaxed: nothing else depends on it
    }

    // Effects: the guess comes closer to what an object owns. Returns: by how much it was too low.
    std::int64_t correct(std::int64_t owned) noexcept {
        const std::int64_t guess = get();
        // It falls slowly: some hundred objects that own little may precede those that own much.
        const std::int64_t next = owned > guess ? guess + (owned - guess + 7) / 8 : guess - (guess - owned + 63) / 64;
        bytes_.store(next, std::memory_order_relaxed);
        return owned - guess;
    }

private:
    std::atomic<std::int64_t> bytes_ = 16 * 1024;
};

// The layout of a block for one type.
struct cell_shape {
    std::size_t bytes;        // distance from one cell to the next
    std::size_t first;        // offset of the first header in the memory
    std::size_t count;        // cells in a block
    std::size_t shared;       // offset of the second counts, where threads share the objects: see shared_owners.hpp
    std::size_t description;  // offset of the cyclic_block in the memory
    std::size_t memory;       // size of the whole block
    std::size_t alignment;

    std::uint64_t reciprocal = ((std::uint64_t{1} << 32) + bytes - 1) / bytes;  // 2^32 / bytes, for a division
};

// What stands before the name of each type in memory, so that a reader of it finds the name, and by it the table
// (`./freehold owners`). The number is the version of cyclic_type, cyclic_block and cyclic_header.
inline constexpr literal cyclic_type_prefix{"freehold cyclic 1: "};

// The operations on an object whose type is not known statically.
struct cyclic_type {
    cell_shape shape;
    const char* name;  // of the type, behind cyclic_type_prefix
    // Effects: passes every edge that leaves the object to the walk.
    void (*trace)(cyclic_header&, graph_walk&);
    // Effects: the weak pointers to the object expire. Requires: it has some.
    void (*expire)(cyclic_header&) noexcept;
    // Effects: calls the object's finalize(). Null if it has none.
    void (*finalize)(cyclic_header&) noexcept;
    // Effects: calls the destructor.
    void (*destroy)(cyclic_header&) noexcept;
    // Effects: frees the cell. Requires: its object is destroyed.
    void (*deallocate)(cyclic_header&) noexcept;
    // Effects: finalizes, destroys and frees an object, or defers that. Requires: it has no owner.
    void (*dispose)(cyclic_header&) noexcept;
    // Effects: the same, and never defers.
    void (*dispose_now)(cyclic_header&) noexcept;
    // Returns: the free list for the type's cells in this thread or session; null if there is no memory for one.
    cell_free_list* (*free_list)() noexcept;
    // Returns: the bytes that the object owns besides its cell. Null if the type can own none.
    std::size_t (*owned_bytes)(cyclic_header&) noexcept;
    // The bytes that such an object usually owns, in a heap that threads share. Else null.
    detail::usual_bytes* usual_bytes;
};

struct cyclic_block {
    static constexpr std::size_t bytes = std::size_t{64} * 1024;

    const cyclic_type* type;
    cyclic_block* next;  // of the same type in the same thread
    cyclic_block* previous;
    // A word; see thread().
    alignas(sizeof(std::uint64_t)) std::byte owner[sizeof(std::uint64_t)];
    std::byte* untouched;         // the first cell that was never allocated
    std::uint32_t retired_cells;  // watched by memcheck, and never allocated again
    std::uint32_t gathered;       // the number of the search that has looked for postponed objects here
    const void* registry;         // of the heap that threads share; null for the blocks of one thread

    [[nodiscard]] static cyclic_block& of(cyclic_header& header) noexcept {
        return *header_of<cyclic_block>(&header, bytes);
    }

    template <class Threading>
    using thread_word = typename Threading::template atomic<std::uint64_t>;

    // The thread of the objects; or their session, with the flags of shared_state. Requires: make<Threading>().
    template <class Threading>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE thread_word<Threading>& thread() noexcept {
        return *std::launder(reinterpret_cast<thread_word<Threading>*>(owner));
    }
    template <class Threading>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE const thread_word<Threading>& thread() const noexcept {
        return *std::launder(reinterpret_cast<const thread_word<Threading>*>(owner));
    }

    [[nodiscard]] std::byte* memory() noexcept { return reinterpret_cast<std::byte*>(this) - type->shape.description; }
    [[nodiscard]] std::byte* first_cell() noexcept { return memory() + type->shape.first; }
    [[nodiscard]] std::byte* end() noexcept { return first_cell() + type->shape.count * type->shape.bytes; }

    // Returns: the number of cells before this one. Exact, as the offset is a multiple of a cell and less than 2^16.
    [[nodiscard]] std::size_t place_of(cyclic_header& header) noexcept {
        const auto offset = static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(&header) - first_cell());
        return static_cast<std::size_t>(offset * type->shape.reciprocal >> 32);
    }

    // Returns: a block for objects of the type, or null if there is no memory. Threading: of its objects.
    template <class Threading>
    [[nodiscard]] static cyclic_block* make(const cyclic_type& type, std::uint64_t thread,
                                            const void* registry) noexcept {
        void* const memory = detail::try_allocate(page_cache::shared(), type.shape.memory, type.shape.alignment);
        if (memory == nullptr) return nullptr;
        auto* const block = ::new (static_cast<std::byte*>(memory) + type.shape.description)
            cyclic_block{&type, nullptr, nullptr, {}, nullptr, 0, 0, registry};
        static_assert(sizeof(thread_word<Threading>) == sizeof(owner));
        ::new (static_cast<void*>(block->owner)) thread_word<Threading>(thread);
        block->untouched = block->first_cell();
        tell_free(block->first_cell(), type.shape.count * type.shape.bytes);
        return block;
    }

    // Effects: gives the memory back.
    void give_back() noexcept {
        const cell_shape shape = type->shape;
        tell_allocated(first_cell(), shape.count * shape.bytes);
        page_cache::shared().deallocate(memory(), shape.memory, shape.alignment);
    }
};

// Returns: the layout for objects of that size and alignment, with `shared` bytes for the second count of each.
[[nodiscard]] constexpr cell_shape shape_of_cells(std::size_t size, std::size_t alignment,
                                                  std::size_t shared) noexcept {
    const std::size_t aligned = alignment > sizeof(cyclic_header) ? alignment : sizeof(cyclic_header);
    const std::size_t object = round_up(sizeof(cyclic_block) + sizeof(cyclic_header), aligned);
    const std::size_t first = object - sizeof(cyclic_header);
    const std::size_t bytes = round_up(sizeof(cyclic_header) + size, aligned);
    if (object < cyclic_block::bytes && bytes + shared <= (cyclic_block::bytes - first) / 2) {
        const std::size_t count = (cyclic_block::bytes - first) / (bytes + shared);
        return {bytes, first, count, first + count * bytes, 0, cyclic_block::bytes, cyclic_block::bytes};
    }
    return {bytes,
            first,
            1,
            first + bytes,
            first / cyclic_block::bytes * cyclic_block::bytes,
            first + bytes + shared,
            aligned > cyclic_block::bytes ? aligned : cyclic_block::bytes};
}

}  // namespace freehold::detail
