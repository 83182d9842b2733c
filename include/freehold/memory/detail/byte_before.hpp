#pragma once
// byte_before: what a hardened program sees at a free of a block before whose begin was written.
//
// The byte before a block is filled (block_canary.hpp): it is the last one of the block that lies there, in use or
// free, or lies before the first block of the slab. A free compares only what all fillings have in common; the rest is
// compared when the block that lies there is freed or allocated.
//
// Before a block that begins a page it may also be 0: that of a page that was given back. Other pages do not go while
// the block is in use.
//
// Thread safety: any thread may call the functions for its own blocks. Another thread may fill the byte meanwhile,
// which changes it only from that 0: of this, ThreadSanitizer hears nothing. Exceptions: none.

#include <cstddef>

#ifdef FREEHOLD_HARDENED  // elsewhere no such header is needed

#include <cstdint>

#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/pages.hpp"
#include "block_canary.hpp"
#include "block_states.hpp"
#include "slab.hpp"

namespace freehold::inline v0_2::detail {

// Sizes is the table of the blocks' classes.
template <class Sizes>
class byte_before {
    using states = block_states<Sizes::granularity>;

public:
    // Effects: fills the byte before the first block of the slab.
    static void open(slab* opened) noexcept {
        std::byte* const first = opened->memory() + detail::layout_of_class<Sizes>(opened->block_class).first;
        first[-1] = canary_filling(first).byte();
    }

    // Returns: false if the byte before the block was written to, or is one of a page that was given back.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static bool is_filled(const void* block, std::size_t block_bytes) noexcept {
        // The smallest ones are their link to the last byte while they are free.
        if (Sizes::granularity < least_bytes && block_bytes < least_bytes) return true;
        return canary_filling::is_any(read(block));
    }

    // Effects: aborts if the byte before the block was written to. Requires: the last `rest` bytes of the block were
    // not asked for, and is_filled() was false.
    FREEHOLD_COLD FREEHOLD_NOINLINE static void expect_filled(const void* block, std::size_t rest,
                                                              std::size_t block_bytes) noexcept {
        const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(block) % slab_bytes;
        if (offset >= states::bytes_before(block_bytes) + block_bytes) {  // not the first one
            if (offset % smallest_page == 0) {
                const std::byte found = read(block);
                if (found == std::byte{0} || canary_filling::is_any(found)) return;  // filled only now
            }
            // What is past the end of the block that lies there is its own overrun.
            const std::byte* const before = static_cast<const std::byte*>(block) - block_bytes;
            if (const std::uint8_t state = states::state_in_use(before); state != 0)
                block_canary<Sizes>::expect_first_intact(before, states::rest_of(before, state), block_bytes);
        }
        abort_at_overrun(block, block_bytes - rest, -1);
    }

    // Effects: the same for a block that was in this state, whatever the byte before it is.
    FREEHOLD_ALWAYS_INLINE static void look(const void* block, std::uint8_t state, std::size_t block_bytes) noexcept {
        if (!is_filled(block, block_bytes)) [[unlikely]]
            expect_filled(block, states::rest_of(block, state), block_bytes);
    }

private:
    static constexpr std::size_t least_bytes = 2 * sizeof(std::uint64_t);

    // Returns: the byte before the block.
    [[nodiscard]] FREEHOLD_UNWATCHED static std::byte read(const void* block) noexcept {
        return static_cast<const std::byte*>(block)[-1];
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
