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
#include <cstdint>

#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "block_canary.hpp"
#include "block_states.hpp"

namespace freehold::inline v0_2::detail {

#ifdef FREEHOLD_HARDENED

// Sizes is the table of the blocks' classes.
template <class Sizes>
class byte_before {
    using states = block_states<Sizes::granularity>;

public:
    // Effects: fills the byte before the first block of a slab with blocks of this size.
    static void open(void* slab, std::size_t block_bytes) noexcept {
        std::byte* const first = static_cast<std::byte*>(slab) + first_of(block_bytes);
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
        if (offset != first_of(block_bytes)) {
            const std::byte* const before = static_cast<const std::byte*>(block) - block_bytes;
            const std::uint8_t state = states::state_of_neighbor(before);
            if (state == 0 || is_filled(block, block_bytes)) return;  // not cut, or only now
            // What is past its own end is its own overrun.
            if (states::is_in_use(state)) {
                const std::size_t rest_before = states::rest_of(before, state);
                block_canary<Sizes>::expect_first_intact(before, rest_before, block_bytes);
            }
        }
        abort_at_overrun(block, block_bytes - rest, -1);
    }

private:
    static constexpr std::size_t least_bytes = 2 * sizeof(std::uint64_t);

    [[nodiscard]] static std::size_t first_of(std::size_t block_bytes) noexcept {
        return detail::layout_of_slab(states::bytes_before(block_bytes), block_bytes).first;
    }
};

#else

// Named, and not called.
template <class Sizes>
struct byte_before {
    static void open(void* slab, std::size_t block_bytes) noexcept;
    [[nodiscard]] static bool is_filled(const void* block, std::size_t block_bytes) noexcept;
    static void expect_filled(const void* block, std::size_t rest, std::size_t block_bytes) noexcept;
};

#endif

}  // namespace freehold::detail
