#pragma once
// block_canary: known bytes behind what was asked for, and in free blocks, by which a hardened program sees that they
// were written to.
//
// A block has at least one byte more than the request. Its state says how many (block_states.hpp); the first 16 of them
// and the last 16 are filled. A free looks at the first and at the last byte only: a program's recent stores beside
// them would make a wider load wait. Free blocks are filled too, at least at both ends, and looked at when they are
// used again.
//
// The filling is one byte that depends on the address and the secret.
//
// Thread safety: any thread may call the functions for its own blocks. Exceptions: none. Cost: linear in the bytes, 16
// at a time. AddressSanitizer and memcheck see these writes themselves: with them, blocks have no such bytes.

#include <cstddef>
#include <cstdint>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "block_states.hpp"
#include "hardening.hpp"

namespace freehold::detail {

#ifdef FREEHOLD_ADDRESS_SANITIZER
inline constexpr bool has_canaries = false;
#else
inline constexpr bool has_canaries = is_hardened;
#endif

// The number of bytes that a block has more than the request, at least.
inline constexpr std::size_t least_rest = has_canaries ? 1 : 0;

// Returns: the size that a block needs for a request of `bytes` bytes. The largest number is returned as it is.
[[nodiscard]] constexpr std::size_t with_rest(std::size_t bytes) noexcept {
    return has_canaries && bytes != SIZE_MAX ? bytes + least_rest : bytes;
}

// The number of bytes that a large block of the process has more than the request, at least (large_end).
inline constexpr std::size_t least_large_rest = has_canaries ? 2 * sizeof(std::uint64_t) : 0;

}  // namespace freehold::detail

#ifdef FREEHOLD_HARDENED  // elsewhere no such header is needed

#include <cstdio>
#include <cstring>

namespace freehold::detail {

// Effects: reports that a byte outside of the block, at this offset, was written to, and aborts.
[[noreturn, gnu::cold, gnu::noinline]] inline void abort_at_overrun(const void* block, std::size_t bytes,
                                                                    std::ptrdiff_t at) noexcept {
    const auto past = at - static_cast<std::ptrdiff_t>(bytes) + 1;
    char line[160];
    std::snprintf(line, sizeof(line), "a block was written to beyond its bounds: byte %td %s of %zu bytes at %p",
                  at < 0 ? -at : past, at < 0 ? "before the begin" : "past the end", bytes, block);
    abort_with(line);
}

// What fills bytes at and behind an address: one byte, again and again. It is no letter, no digit, not 0, not 0xff and
// not even, so that a string's end, a text, a small number or an aligned address is not taken for it.
class canary_filling {
public:
    explicit canary_filling(const void* address) noexcept
        : word_(((reinterpret_cast<std::uintptr_t>(address) * secret_of_heap.number() >> 58 << 1) % 64 | 0x81) * ones) {
    }

    // Processors write and compare this at once.
    using pair = std::uint64_t __attribute__((vector_size(16)));
    static constexpr std::size_t bytes_of_pair = sizeof(pair);

    // Effects: fills what begins here.
    void write(std::byte* to) const noexcept {
        const pair both{word_, word_};
        std::memcpy(to, &both, sizeof(both));
    }

    void write_word(std::byte* to) const noexcept { std::memcpy(to, &word_, sizeof(word_)); }

    // Returns: 0 where what begins here is as written.

    [[nodiscard]] pair difference(const std::byte* from) const noexcept {
        pair found{};
        std::memcpy(&found, from, sizeof(found));
        return found ^ pair { word_, word_ };
    }

    [[nodiscard]] std::uint64_t difference_of_word(const std::byte* from) const noexcept {
        std::uint64_t found = 0;
        std::memcpy(&found, from, sizeof(found));
        return found ^ word_;
    }

    [[nodiscard]] std::byte difference_of_byte(const std::byte* from) const noexcept {
        return *from ^ static_cast<std::byte>(word_);
    }

    // Returns: the first byte from here on, before the last, that is not as written, or the last.
    [[nodiscard]] const std::byte* find_other(const std::byte* from, const std::byte* last) const noexcept {
        while (from != last && difference_of_byte(from) == std::byte{0}) ++from;
        return from;
    }

private:
    static constexpr std::uint64_t ones = 0x0101'0101'0101'0101U;

    std::uint64_t word_;
};

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

    // Effects: notes that `bytes` bytes were asked for. Requires: bytes + least_large_rest <= room.
    static void write(void* block, std::size_t bytes, std::size_t room) noexcept {
        fill_end(block, bytes, bytes + word);
        note(block, bytes, room);
    }

    static void write_freed(void* block, std::size_t room) noexcept { note(block, of_free, room); }

    // Returns: what was noted last, or of_free. Aborts if the end was written to.
    [[nodiscard]] static std::size_t read(const void* block, std::size_t room) noexcept {
        std::uint64_t hidden = 0;
        std::memcpy(&hidden, static_cast<const std::byte*>(block) + room - word, word);
        const std::size_t bytes = hidden * secret_of_heap.inverse() - address_of(block);
        if (bytes == of_free) return bytes;
        const std::size_t most = room - least_large_rest;
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

// What Sizes::bytes_of() returns, without a branch.
template <class Sizes>
struct table_of_sizes {
    constexpr table_of_sizes() noexcept {
        for (std::size_t i = 0; i < Sizes::count; ++i) bytes[i] = static_cast<std::uint16_t>(Sizes::bytes_of(i));
    }

    std::uint16_t bytes[Sizes::count] = {};
};

// Sizes is the table of the blocks' classes.
template <class Sizes>
class block_canary {
    using states = block_states<Sizes::granularity>;
    static constexpr std::size_t word = sizeof(std::uint64_t);
    static constexpr std::size_t most_short = canary_filling::bytes_of_pair;

    // A free block up to this size is filled whole; of a larger one the first 16 bytes, but for the link, and the last
    // ones. Their cache lines are touched anyway; others would cost more than the rest of an allocation and a free.
    static constexpr std::size_t most_filled = 128;
    static constexpr std::size_t filled_at_end = 64;

public:
    // Effects: notes that `bytes` bytes of the block were asked for. Requires: the block was free, and is in use now,
    // and bytes < block_bytes. As it is filled, only the place of the link is missing, or what is in the middle.
    [[gnu::always_inline]] static void begin(void* block, std::size_t bytes, std::size_t block_bytes) noexcept {
        std::byte* const begin = static_cast<std::byte*>(block);
        const canary_filling filling(block);
        const std::size_t rest = block_bytes - bytes;
        filling.write_word(begin);
        if (rest > filled_at_end && block_bytes > most_filled) [[unlikely]]
            filling.write(begin + bytes);
        states::set_rest(block, rest);
    }

    // Effects: the same for a block in use, whose first `bytes` bytes are kept.
    static void change(void* block, std::size_t bytes, std::size_t block_bytes) noexcept {
        std::byte* const begin = static_cast<std::byte*>(block);
        const canary_filling filling(block);
        const std::size_t rest = block_bytes - bytes;
        std::byte filled[most_short];
        filling.write(filled);
        std::memcpy(begin + bytes, filled, detail::smaller(rest, most_short));
        if (rest > most_short) filling.write(begin + block_bytes - most_short);
        states::set_rest(block, rest);
    }

    // Effects: aborts if the first or the last byte behind the end of the block was written to.
    static void expect_intact(const void* block, std::size_t rest, std::size_t block_bytes) noexcept {
        expect_intact(canary_filling(block), block, rest, block_bytes);
    }

    // Effects: the same, for a block in use.
    static void expect_intact_in_use(const void* block, std::size_t block_bytes) noexcept {
        const std::uint8_t state = states::state_in_use(block);
        if (state != 0) expect_intact(block, states::rest_of(block, state), block_bytes);
    }

    // Effects: aborts if the block, which is in use, was written to behind its end; then fills it, as a free one.
    [[gnu::always_inline]] static void end(void* block, std::uint8_t state, std::size_t block_class) noexcept {
        static constexpr table_of_sizes<Sizes> sizes;
        const std::size_t block_bytes = sizes.bytes[block_class % Sizes::count];
        const canary_filling filling(block);
        expect_intact(filling, block, states::rest_of(block, state), block_bytes);
        fill(filling, block, block_bytes);
    }

    // Effects: fills a free block, but for the place of its link.
    static void fill(void* block, std::size_t block_bytes) noexcept { fill(canary_filling(block), block, block_bytes); }

    // Effects: aborts if the free block was written to since it was filled.
    [[gnu::always_inline]] static void check_free(const void* block, std::size_t block_bytes) noexcept {
        if (block_bytes < 2 * word) return;
        const std::byte* const begin = static_cast<const std::byte*>(block);
        const canary_filling filling(block);
        std::uint64_t wrong = filling.difference_of_word(begin + word);
        if (has_odd_word(block_bytes)) wrong |= filling.difference_of_word(begin + block_bytes - word);
        canary_filling::pair differences{};
        for (std::size_t at = most_short; at < filled_of(block_bytes); at += most_short) {
            differences |= filling.difference(begin + at);
        }
        if (block_bytes > most_filled) {
            for (std::size_t left = filled_at_end; left != 0; left -= most_short) {
                differences |= filling.difference(begin + block_bytes - left);
            }
        }
        if ((wrong | differences[0] | differences[1]) != 0) [[unlikely]]
            report_free(block, block_bytes);
    }

private:
    [[gnu::always_inline]] static void expect_intact(const canary_filling& filling, const void* block, std::size_t rest,
                                                     std::size_t block_bytes) noexcept {
        const std::byte* const end = static_cast<const std::byte*>(block) + block_bytes;
        const std::byte wrong = filling.difference_of_byte(end - rest) | filling.difference_of_byte(end - 1);
        if (wrong != std::byte{0}) [[unlikely]]
            report(block, block_bytes - rest, block_bytes);
    }

    [[gnu::always_inline]] static void fill(const canary_filling& filling, void* block,
                                            std::size_t block_bytes) noexcept {
        if (block_bytes < 2 * word) return;
        std::byte* const begin = static_cast<std::byte*>(block);
        filling.write_word(begin + word);
        for (std::size_t at = most_short; at < filled_of(block_bytes); at += most_short) filling.write(begin + at);
        if (has_odd_word(block_bytes)) filling.write_word(begin + block_bytes - word);
        if (block_bytes <= most_filled) return;
        for (std::size_t left = filled_at_end; left != 0; left -= most_short) filling.write(begin + block_bytes - left);
    }

    // Returns: whether the last word of the block is no half of a pair.
    [[nodiscard]] static bool has_odd_word(std::size_t block_bytes) noexcept {
        return Sizes::granularity < most_short && block_bytes % most_short != 0;
    }

    // Returns: how much of the block is filled at its beginning.
    [[nodiscard]] static std::size_t filled_of(std::size_t block_bytes) noexcept {
        return block_bytes <= most_filled ? block_bytes / most_short * most_short : most_short;
    }

    [[noreturn, gnu::cold, gnu::noinline]] static void report(const void* block, std::size_t bytes,
                                                              std::size_t block_bytes) noexcept {
        const auto* const begin = static_cast<const std::byte*>(block);
        const canary_filling filling(block);
        const std::byte* at = begin + bytes;
        if (block_bytes - bytes > most_short) {
            at = filling.find_other(at, at + most_short);
            if (at == begin + bytes + most_short) at = begin + block_bytes - most_short;
        }
        abort_at_overrun(block, bytes, filling.find_other(at, begin + block_bytes - 1) - begin);
    }

    [[noreturn, gnu::cold, gnu::noinline]] static void report_free(const void* block,
                                                                   std::size_t block_bytes) noexcept {
        const auto* const begin = static_cast<const std::byte*>(block);
        const canary_filling filling(block);
        const std::byte* const filled = begin + detail::larger(filled_of(block_bytes), 2 * word);
        const std::byte* at = filling.find_other(begin + word, filled);
        if (at == filled) {
            const std::size_t last = block_bytes > most_filled ? filled_at_end : word;
            at = filling.find_other(begin + block_bytes - last, begin + block_bytes - 1);
        }
        char text[160];
        std::snprintf(text, sizeof(text), "a free block was written to: byte %td of %zu bytes at %p", at - begin,
                      block_bytes, block);
        abort_with(text);
    }
};

}  // namespace freehold::detail

#else

namespace freehold::detail {

// Named, and not called.
void fill_end(void* block, std::size_t bytes, std::size_t end) noexcept;
void expect_end_intact(const void* block, std::size_t bytes, std::size_t end) noexcept;

struct large_end {
    static constexpr std::size_t of_free = 0;
    static void write(void* block, std::size_t bytes, std::size_t room) noexcept;
    static void write_freed(void* block, std::size_t room) noexcept;
    [[nodiscard]] static std::size_t read(const void* block, std::size_t room) noexcept;
};

template <class Sizes>
struct block_canary {
    static void begin(void* block, std::size_t bytes, std::size_t block_bytes) noexcept;
    static void change(void* block, std::size_t bytes, std::size_t block_bytes) noexcept;
    static void expect_intact(const void* block, std::size_t rest, std::size_t block_bytes) noexcept;
    static void expect_intact_in_use(const void* block, std::size_t block_bytes) noexcept;
    static void end(void* block, std::uint8_t state, std::size_t block_class) noexcept;
    static void fill(void* block, std::size_t block_bytes) noexcept;
    static void check_free(const void* block, std::size_t block_bytes) noexcept;
};

}  // namespace freehold::detail

#endif
