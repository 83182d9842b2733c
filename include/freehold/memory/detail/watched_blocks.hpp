#pragma once
// watched_blocks: how a pool of slabs hands out its blocks under Valgrind's memcheck.
//
// Every block is known to memcheck, with the call that allocated it and the one that freed it: it reports a use after
// that, a second free, a use beyond the end, and a block that nothing refers to. So blocks are cut apart, with a gap
// behind each, and one that is freed is kept for long before it is handed out again.
//
// Thread safety: one thread at a time. Exceptions: none.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/memcheck.hpp"

namespace freehold::detail {

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

    // Effects: the next blocks of the class are cut from the memory.
    void open(std::size_t block_class, std::size_t block_bytes, std::byte* begin, std::byte* end) noexcept {
        tell_free(begin, static_cast<std::size_t>(end - begin));
        // Not near to the header, or memcheck would explain an address by that.
        lanes_[block_class].begin = begin + detail::max(alignment_of(block_bytes), std::size_t{64});
        lanes_[block_class].end = end;
    }

    // Returns: a block of the class, or null where open() is to be called first.
    [[nodiscard]] void* take(std::size_t block_class, std::size_t block_bytes) noexcept {
        lane& from = lanes_[block_class];
        if (from.kept_bytes > max_kept) return take_freed(block_class, block_bytes);
        if (static_cast<std::size_t>(from.end - from.begin) < block_bytes) return nullptr;
        std::byte* const block = from.begin;
        // Blocks stay as aligned as their size is.
        const std::size_t step = block_bytes + detail::max(alignment_of(block_bytes), red_zone);
        from.begin += detail::min(step, static_cast<std::size_t>(from.end - from.begin));
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

    // Effects: the block, which was taken, has so many bytes of the caller's. Inline, and so are those who call it: the
    // calls that memcheck shows should be the user's.
    [[gnu::always_inline]] void allocate(void* block, std::size_t bytes) noexcept {
        ask_valgrind(valgrind_request::allocate_in_pool, address_of(this), address_of(block),
                     detail::max(bytes, std::size_t{1}));
    }

    [[gnu::always_inline]] void free(void* block, std::size_t block_class, std::size_t block_bytes) noexcept {
        const bool is_free = !may_be_used(block);
        ask_valgrind(valgrind_request::free_in_pool, address_of(this), address_of(block));
        if (!is_free) keep(block, block_class, block_bytes);  // else that was reported
    }

    // Effects: the first `kept` of the bytes refer to other memory; blocks are cut from the rest. `is_one` tells
    // whether malloc has returned the memory and has given it all these bytes: then memcheck names the blocks in it
    // alone.
    void carve(const void* begin, std::size_t bytes, std::size_t kept, bool is_one) noexcept {
        if (is_one) {
            ask_valgrind(valgrind_request::resize, address_of(begin), bytes, kept);
        } else {
            ask_valgrind(valgrind_request::allocate_in_pool, headers(), address_of(begin), kept);
            tell_readable(begin, kept);
        }
    }

    static constexpr std::size_t max_classes = 64;

private:
    static constexpr std::size_t max_kept = std::size_t{1} << 20;  // bytes of freed blocks, of each class

    static constexpr std::size_t red_zone = 16;  // bytes

    [[nodiscard]] static std::size_t alignment_of(std::size_t block_bytes) noexcept {
        return block_bytes & (0 - block_bytes);
    }

    // Returns: what memcheck knows the headers by, as it knows the blocks by this.
    [[nodiscard]] std::uintptr_t headers() const noexcept { return address_of(this) + 1; }

    struct link {
        link* next;
    };

    struct lane {
        std::byte* begin = nullptr;  // what was never handed out
        std::byte* end = nullptr;
        link* oldest = nullptr;  // freed
        link* newest = nullptr;
        std::size_t kept_bytes = 0;
    };

    // Effects: the block is taken after all that were freed before.
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
