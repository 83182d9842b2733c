#pragma once
// watched_blocks: the blocks of a pool of slabs under Valgrind's memcheck.
//
// memcheck knows every block, with the calls that allocated and freed it: it reports a use after free, a double free, a
// use beyond the end, and leaks. So there is a gap after each block, and the reuse of freed blocks is delayed.
//
// Thread safety: one thread at a time. Exceptions: none.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "../../core/memcheck.hpp"

namespace freehold::inline v0_2::detail {

class watched_blocks {
public:
    // Returns: one with no memory yet, or null.
    [[nodiscard]] static watched_blocks* make() noexcept {
        void* const memory = std::malloc(sizeof(watched_blocks));
        if (memory == nullptr) return nullptr;
        auto* const made = ::new (memory) watched_blocks;
        ask_valgrind(valgrind_request::create_pool, address_of(made), red_zone);
        ask_valgrind(valgrind_request::create_pool, made->headers());
        return made;
    }

    // Effects: forgets all blocks.
    static void destroy(watched_blocks* old) noexcept {
        if (old == nullptr) return;
        ask_valgrind(valgrind_request::destroy_pool, address_of(old));
        ask_valgrind(valgrind_request::destroy_pool, old->headers());
        std::free(old);
    }

    // Effects: makes the memory the source of the next blocks of the class.
    void open(std::size_t block_class, std::size_t block_bytes, std::byte* begin, std::byte* end) noexcept {
        tell_free(begin, static_cast<std::size_t>(end - begin));
        // Not close to the header, or memcheck would describe an address by that.
        lanes_[block_class].begin = begin + detail::larger(alignment_of_blocks(block_bytes), std::size_t{64});
        lanes_[block_class].end = end - red_zone;  // behind the last block begins the header of the next slab
    }

    // Returns: a block of the class, or null if open() must be called first.
    [[nodiscard]] void* take(std::size_t block_class, std::size_t block_bytes) noexcept {
        lane& from = lanes_[block_class];
        if (from.kept_bytes > max_kept) return take_freed(block_class, block_bytes);
        if (static_cast<std::size_t>(from.end - from.begin) < block_bytes) return nullptr;
        std::byte* const block = from.begin;
        // Blocks stay as aligned as their size is.
        const std::size_t step = block_bytes + detail::larger(alignment_of_blocks(block_bytes), red_zone);
        from.begin += detail::smaller(step, static_cast<std::size_t>(from.end - from.begin));
        return block;
    }

    // Returns: the block of the class that was freed first, or null.
    [[nodiscard]] void* take_freed(std::size_t block_class, std::size_t block_bytes) noexcept {
        lane& from = lanes_[block_class];
        if (from.oldest == nullptr) return nullptr;
        tell_readable(from.oldest, sizeof(link));
        link* const block = std::exchange(from.oldest, from.oldest->next);
        if (from.oldest == nullptr) from.newest = nullptr;
        from.kept_bytes -= block_bytes;
        tell_free(block, sizeof(link));
        return block;
    }

    // Effects: allocates `bytes` bytes of the taken block. Inline, as its callers: memcheck shows the user's calls.
    FREEHOLD_ALWAYS_INLINE void allocate(void* block, std::size_t bytes) noexcept {
        ask_valgrind(valgrind_request::allocate_in_pool, address_of(this), address_of(block),
                     detail::larger(bytes, std::size_t{1}));
    }

    FREEHOLD_ALWAYS_INLINE void free(void* block, std::size_t block_class, std::size_t block_bytes) noexcept {
        const bool is_free = !may_be_used(block);
        ask_valgrind(valgrind_request::free_in_pool, address_of(this), address_of(block));
        if (!is_free) keep(block, block_class, block_bytes);  // else memcheck has reported it
    }

    // Effects: keeps the first `kept` bytes as memory that refers to other memory; blocks are cut from the rest. If
    // `is_one`, the memory is one block of malloc: memcheck then reports only the blocks in it.
    void carve(const void* begin, std::size_t bytes, std::size_t kept, bool is_one) noexcept {
        if (is_one) {
            ask_valgrind(valgrind_request::resize, address_of(begin), bytes, kept);
        } else {
            ask_valgrind(valgrind_request::allocate_in_pool, headers(), address_of(begin), kept);
            tell_readable(begin, kept);
        }
    }

    static constexpr std::size_t max_classes = 89;

private:
    static constexpr std::size_t max_kept = std::size_t{1} << 20;  // bytes of freed blocks, of each class

    static constexpr std::size_t red_zone = 16;  // bytes

    // Returns: the id of the memcheck pool of headers; `this` is that of the blocks.
    [[nodiscard]] std::uintptr_t headers() const noexcept { return address_of(this) + 1; }

    struct link {
        link* next;
    };

    struct lane {
        std::byte* begin = nullptr;  // never handed out
        std::byte* end = nullptr;
        link* oldest = nullptr;  // freed
        link* newest = nullptr;
        std::size_t kept_bytes = 0;
    };

    // Effects: adds the block after all that were freed before.
    void keep(void* block, std::size_t block_class, std::size_t block_bytes) noexcept {
        lane& to = lanes_[block_class];
        tell_allocated(block, sizeof(link));
        auto* const freed = ::new (block) link{nullptr};
        tell_free(block, sizeof(link));
        if (to.newest != nullptr) {
            tell_allocated(to.newest, sizeof(link));
            to.newest->next = freed;
            tell_free(to.newest, sizeof(link));
        } else {
            to.oldest = freed;
        }
        to.newest = freed;
        to.kept_bytes += block_bytes;
    }

    lane lanes_[max_classes];
};

}  // namespace freehold::detail
