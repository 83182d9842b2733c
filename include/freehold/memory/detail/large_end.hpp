#pragma once
// large_end: the bytes behind what was asked for in a large block, by which a hardened program sees that they were
// written to.
//
// Thread safety: any thread may call the functions for its own blocks. Exceptions: none. Cost: linear in the bytes.

#include <cstddef>
#include <cstdint>

#include "../../core/config.hpp"
#include "block_canary.hpp"
#include "hardening.hpp"

namespace freehold::inline v0_2::detail {

// The number of bytes that a large block of the process has more than the request, at least (large_end).
inline constexpr std::size_t least_large_end = has_canaries ? 2 * sizeof(std::uint64_t) : 0;

}  // namespace freehold::detail

#ifdef FREEHOLD_HARDENED  // elsewhere no such header is needed

#include <cstring>

namespace freehold::inline v0_2::detail {

// Effects: fills the block from `bytes` to `end`.
inline void fill_end(void* block, std::size_t bytes, std::size_t end) noexcept {
    learn_heap_secret();
    const canary_filling filling(block);
    std::byte word[sizeof(std::uint64_t)];
    filling.write_word(word);
    std::memset(static_cast<std::byte*>(block) + bytes, static_cast<int>(word[0]), end - bytes);
}

// Effects: aborts if what was filled so was written to.
inline void expect_end_intact(const void* block, std::size_t bytes, std::size_t end) noexcept {
    const std::byte* const begin = static_cast<const std::byte*>(block);
    const std::byte* const other = canary_filling(block).find_other(begin + bytes, begin + end);
    if (other != begin + end) [[unlikely]]
        abort_at_overrun(block, bytes, other - begin);
}

// The end of a large block of the process, which has whole pages: a word of filling behind what was asked for, and in
// the last word of its pages how much that was, hidden as a link is.
class large_end {
public:
    static constexpr std::size_t of_free = SIZE_MAX;

    // Effects: notes that `bytes` bytes were asked for. Requires: bytes + least_large_end <= room.
    static void write(void* block, std::size_t bytes, std::size_t room) noexcept {
        fill_end(block, bytes, bytes + word);
        note(block, bytes, room);
    }

    static void write_freed(void* block, std::size_t room) noexcept { note(block, of_free, room); }

    // Returns: what was noted last, or of_free. Aborts if the end was written to.
    [[nodiscard]] static std::size_t read(const void* block, std::size_t room) noexcept {
        std::uint64_t hidden = 0;
        std::memcpy(&hidden, static_cast<const std::byte*>(block) + room - word, word);
        const auto bytes = static_cast<std::size_t>(hidden * secret_of_heap.inverse() - address_of(block));
        if (bytes == of_free) return bytes;
        const std::size_t most = room - least_large_end;
        if (bytes > most) [[unlikely]]
            abort_at_overrun(block, most, static_cast<std::ptrdiff_t>(room - word));
        expect_end_intact(block, bytes, bytes + word);
        return bytes;
    }

private:
    static constexpr std::size_t word = sizeof(std::uint64_t);

    static void note(void* block, std::size_t bytes, std::size_t room) noexcept {
        const std::uint64_t hidden = (address_of(block) + bytes) * secret_of_heap.number();
        std::memcpy(static_cast<std::byte*>(block) + room - word, &hidden, word);
    }
};

}  // namespace freehold::detail

#else

namespace freehold::inline v0_2::detail {

// Named, and not called.
void fill_end(void* block, std::size_t bytes, std::size_t end) noexcept;
void expect_end_intact(const void* block, std::size_t bytes, std::size_t end) noexcept;

struct large_end {
    static constexpr std::size_t of_free = 0;
    static void write(void* block, std::size_t bytes, std::size_t room) noexcept;
    static void write_freed(void* block, std::size_t room) noexcept;
    [[nodiscard]] static std::size_t read(const void* block, std::size_t room) noexcept;
};

}  // namespace freehold::detail

#endif
