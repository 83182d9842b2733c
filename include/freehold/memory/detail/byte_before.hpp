#pragma once
// byte_before: what a hardened program sees at a free of a block before whose begin was written.
//
// The byte before a block is filled (block_canary.hpp): it is the last one of the block that lies there, in use or
// free, or lies before the first block of the slab. A free compares only what all fillings have in common; the rest is
// compared when the block that lies there is freed or allocated.
//
// Where that block is not cut, its page may have been given back, and the byte is 0. This is found out on a slow path.
//
// Thread safety: any thread may call the functions for its own blocks. Another thread may write the byte meanwhile, as
// it is already: of this, ThreadSanitizer hears nothing. Exceptions: none.

#include <cstddef>

#ifdef FREEHOLD_HARDENED  // elsewhere no such header is needed

#include <cstdint>

#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "block_canary.hpp"
#include "block_states.hpp"
#include "slab.hpp"
#include "slab_pages.hpp"

namespace freehold::inline v0_2::detail {

// Sizes is the table of the blocks' classes.
template <class Sizes>
class byte_before {
    using states = block_states<Sizes::granularity>;

public:
    // Effects: fills the byte before the first block of the slab.
    static void open(slab* opened) noexcept {
        std::byte* const first = opened->memory() + first_of(opened);
        first[-1] = canary_filling(first).byte();
    }

    // Returns: false if the byte before the block was written to, or is one of a block that is not cut.
#ifdef FREEHOLD_THREAD_SANITIZER
    [[gnu::no_sanitize_thread]] FREEHOLD_NOINLINE
#else
    FREEHOLD_ALWAYS_INLINE
#endif
        [[nodiscard]] static bool
        is_filled(const void* block, std::size_t block_bytes) noexcept {
        // The smallest ones are their link to the last byte while they are free.
        if (Sizes::granularity < least_bytes && block_bytes < least_bytes) return true;
        return canary_filling::is_any(static_cast<const std::byte*>(block)[-1]);
    }

    // Effects: aborts if the byte before the block was written to. Requires: the last `rest` bytes of the block were
    // not asked for, and is_filled() was false.
    FREEHOLD_COLD FREEHOLD_NOINLINE static void expect_filled(const void* block, std::size_t rest,
                                                              std::size_t block_bytes) noexcept {
        const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(block) % slab_bytes;
        if (offset != first_of(detail::header_of<slab>(block, slab_bytes))) {
            const std::byte* const before = static_cast<const std::byte*>(block) - block_bytes;
            const std::uint8_t state = states::state_of_neighbor(before);
            if (state == 0 || is_filled(block, block_bytes)) return;  // not cut, or only now
            // What is past its own end is its own overrun.
            if (const std::uint8_t used = states::state_in_use(before); used != 0)
                block_canary<Sizes>::expect_first_intact(before, states::rest_of(before, used), block_bytes);
        }
        abort_at_overrun(block, block_bytes - rest, -1);
    }

    // Effects: the same for a block that was in this state, whatever the byte before it is.
    FREEHOLD_ALWAYS_INLINE static void look(const void* block, std::uint8_t state, std::size_t block_bytes) noexcept {
        if (!is_filled(block, block_bytes)) [[unlikely]]
            expect_filled(block, states::rest_of(block, state), block_bytes);
    }

    // Effects: nobody expects a filling on these pages of the slab any more. Only the last block of a page can end
    // before one in use.
    static void leave(slab& origin, const slab_pages& pages, slab_pages::mask left) noexcept {
        for (std::size_t page = 0; page != slab_pages::count; ++page) {
            const std::size_t next = pages.first_in(page + 1);
            if (slab_pages::is_in(left, page) && next != pages.first_in(page))
                states::forget(origin.memory() + pages.offset_of(next - 1));
        }
    }

private:
    static constexpr std::size_t least_bytes = 2 * sizeof(std::uint64_t);

    [[nodiscard]] static std::size_t first_of(const slab* origin) noexcept {
        return detail::layout_of_class<Sizes>(origin->block_class).first;
    }
};

}  // namespace freehold::detail

#else

namespace freehold::inline v0_2::detail {

// Named, and not called.
template <class Sizes>
struct byte_before {
    [[nodiscard]] static bool is_filled(const void* block, std::size_t block_bytes) noexcept;
    static void expect_filled(const void* block, std::size_t rest, std::size_t block_bytes) noexcept;
};

}  // namespace freehold::detail

#endif
