#pragma once
// block_canary: known bytes behind what was asked for, and in free blocks, by which a hardened program sees that they
// were written to.
//
// A block has at least one byte more than the request. Its state says how many (block_states.hpp); the first 16 of them
// and the last 16 are filled. A free looks at the first and at the last byte only: a program's recent stores beside
// them would make a wider load wait.
//
// Free blocks are filled too, and looked at when they are used again: up to 128 bytes whole, larger ones at both ends
// and, if the program has used more than their begin, in the first KiB. A block that was not used beyond its begin has
// its filling still. Looking at it costs cache misses that the program itself has not, and branches on its size that
// are mispredicted: where most are so, they are not looked at.
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

namespace freehold::inline v0_2::detail {

#ifdef FREEHOLD_ADDRESS_SANITIZER
inline constexpr bool has_canaries = false;
#else
inline constexpr bool has_canaries = is_hardened;
#endif

// The number of bytes that a block has more than the request, at least.
inline constexpr std::size_t least_canary = has_canaries ? 1 : 0;

// Returns: the size that a block needs for a request of `bytes` bytes. The largest number is returned as it is.
[[nodiscard]] constexpr std::size_t with_canary(std::size_t bytes) noexcept {
    return has_canaries && bytes != SIZE_MAX ? bytes + least_canary : bytes;
}

}  // namespace freehold::detail

#ifdef FREEHOLD_HARDENED  // elsewhere no such header is needed

#include <bit>
#include <cstdio>
#include <cstring>

namespace freehold::inline v0_2::detail {

// Effects: reports that a byte outside of the block, at this offset, was written to, and aborts.
[[noreturn]] FREEHOLD_COLD FREEHOLD_NOINLINE inline void abort_at_overrun(const void* block, std::size_t bytes,
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
    FREEHOLD_ALWAYS_INLINE explicit canary_filling(const void* address) noexcept
        : word_((reinterpret_cast<std::uintptr_t>(address) * secret_of_heap.number() >> 58 | 0x81) * ones) {}

    // Returns: whether a filling may have the byte: its upper bits are 1 and 0. Signed, this is one comparison.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static bool is_any(std::byte found) noexcept {
        return static_cast<std::int8_t>(found) < static_cast<std::int8_t>(0xc0);
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

    [[nodiscard]] std::byte byte() const noexcept { return static_cast<std::byte>(word_); }

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

    [[nodiscard]] bool has_byte(const std::byte* at) const noexcept { return *at == byte(); }

    // Returns: the first byte from here on, before the last, that is not as written, or the last.
    [[nodiscard]] const std::byte* find_other(const std::byte* from, const std::byte* last) const noexcept {
        while (last - from >= std::ptrdiff_t{sizeof(word_)} && difference_of_word(from) == 0) from += sizeof(word_);
        while (from != last && has_byte(from)) ++from;
        return from;
    }

private:
    static constexpr std::uint64_t ones = 0x0101'0101'0101'0101U;

    std::uint64_t word_;
};

// How many blocks more the thread has freed unused than used.
FREEHOLD_STATIC_TLS inline constinit thread_local unsigned unused_blocks = 0;

// Sizes is the table of the blocks' classes.
template <class Sizes>
class block_canary {
    using states = block_states<Sizes::granularity>;
    static constexpr std::size_t word = sizeof(std::uint64_t);
    static constexpr std::size_t most_short = canary_filling::bytes_of_pair;

    static constexpr std::size_t least_unused = 32;  // smaller blocks may have their canary where their link was
    static constexpr std::size_t most_whole = 128;
    static constexpr std::size_t first_in_middle = 32;
    static constexpr std::size_t most_filled = 1024;
    static constexpr std::size_t in_step = 64;
    static constexpr unsigned most_unused = 1000;  // from here on, unused blocks are not filled

public:
    // Effects: notes that `bytes` bytes of the block were asked for. Requires: the block was taken, and bytes <
    // block_bytes. As it is filled, only what is in the middle may be missing.
    FREEHOLD_ALWAYS_INLINE static void begin(void* block, std::size_t bytes, std::size_t block_bytes) noexcept {
        const std::size_t rest = block_bytes - bytes;
        if (rest > most_short) canary_filling(block).write(static_cast<std::byte*>(block) + bytes);
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

    // Effects: aborts if the first byte behind the end of the block was written to.
    static void expect_first_intact(const void* block, std::size_t rest, std::size_t block_bytes) noexcept {
        if (!canary_filling(block).has_byte(static_cast<const std::byte*>(block) + block_bytes - rest))
            report(block, block_bytes - rest, block_bytes);
    }

    // Effects: as expect_intact(), for a block in use.
    static void expect_intact_in_use(const void* block, std::size_t block_bytes) noexcept {
        const std::uint8_t state = states::state_in_use(block);
        if (state != 0) expect_intact(block, states::rest_of(block, state), block_bytes);
    }

    // Effects: aborts if the block, which is in use, was written to behind its end; then fills it, as a free one, or
    // notes that it is not filled. Returns: false if fill_used() comes next: it is no call here, so that the callers'
    // fast paths save no register.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static bool end(void* block, std::uint8_t state,
                                                         std::size_t block_bytes) noexcept {
        const canary_filling filling(block);
        expect_intact(filling, block, states::rest_of(block, state), block_bytes);
        if (block_bytes >= least_unused) [[likely]] {
            std::byte* const begin = static_cast<std::byte*>(block);
            // Not the first word, which programs write that use nothing else; chosen without a branch.
            const std::size_t looked_at = block_bytes > most_whole ? most_short : word;
            if (filling.difference_of_word(begin + looked_at) != 0) {
                if (unused_blocks != 0) --unused_blocks;
            } else if (unused_blocks < most_unused) {
                ++unused_blocks;
            } else {
                filling.write(begin + block_bytes - most_short);
                states::set_freed(block, states::freed_unknown);
                return true;
            }
            if (block_bytes > most_whole) return false;
        }
        fill_small(filling, block, block_bytes);
        return true;
    }

    // Effects: fills a larger block, which was in use.
    static void fill_used(void* block, std::size_t block_bytes) noexcept {
        const canary_filling filling(block);
        visit_larger(static_cast<std::byte*>(block), block_bytes, true, [&](std::byte* at) { filling.write(at); });
        states::set_freed(block, states::freed_filled);
    }

    // Effects: fills a free block, but for the place of its link and the middle of a larger one.
    static void fill(void* block, std::size_t block_bytes) noexcept {
        const canary_filling filling(block);
        states::set_freed(block, states::freed);
        if (block_bytes <= most_whole) return fill_small(filling, block, block_bytes);
        visit_larger(static_cast<std::byte*>(block), block_bytes, false, [&](std::byte* at) { filling.write(at); });
    }

    // Effects: fills bytes of a free block that were used.
    static void fill_again(void* block, void* begin, std::size_t bytes) noexcept {
        std::memset(begin, static_cast<int>(canary_filling(block).byte()), bytes);
    }

    // Effects: aborts if a free block that held something was written to since it was filled; then fills it, but for
    // the place of its link. Requires: what it held is filled again.
    static void end_holding(void* block, std::size_t block_bytes) noexcept {
        check_free(block, block_bytes);
        fill(block, block_bytes);
    }

    // Effects: aborts if the block, which was in this free state, was written to since; then fills the place of the
    // link.
    FREEHOLD_ALWAYS_INLINE static void take(void* block, std::uint8_t state, std::size_t block_bytes) noexcept {
        if (state == states::freed_unknown) return;  // its canary is not in the place of the link
        const canary_filling filling(block);
        check_free(filling, block, state, block_bytes);
        filling.write_word(static_cast<std::byte*>(block));
    }

    // Effects: aborts if the free block was written to since it was filled.
    static void check_free(const void* block, std::size_t block_bytes) noexcept {
        const std::uint8_t state = states::state(block);
        if (state != states::freed_unknown) check_free(canary_filling(block), block, state, block_bytes);
    }

private:
    // Effects: calls visit_word(at) or visit(at) for words and pairs that cover all of a free block but its link. They
    // may overlap: the number of rounds of a loop would be mispredicted. Requires: block_bytes <= most_whole.
    template <class Byte, class VisitWord, class Visit>
    FREEHOLD_ALWAYS_INLINE static void visit_small(Byte* begin, std::size_t block_bytes, VisitWord visit_word,
                                                   Visit visit) noexcept {
        if (block_bytes < 2 * word) return;
        Byte* const last = begin + block_bytes - most_short;
        visit_word(begin + word);
        if (block_bytes <= 2 * most_short) {
            visit_word(last > begin ? last : begin + word);
            visit_word(last + word);
            return;
        }
        visit(begin + most_short);
        visit(last);
        if (block_bytes <= 4 * most_short) return visit(last < begin + 2 * most_short ? last : begin + 2 * most_short);
        visit(begin + 2 * most_short);
        visit(begin + 3 * most_short);
        visit(last < begin + 4 * most_short ? last : begin + 4 * most_short);
        visit(last - 2 * most_short);
        visit(last - most_short);
    }

    // Effects: calls visit(at) for pairs that cover both ends of a larger block, and its middle if that is filled.
    template <class Byte, class Visit>
    FREEHOLD_ALWAYS_INLINE static void visit_larger(Byte* begin, std::size_t block_bytes, bool is_filled,
                                                    Visit visit) noexcept {
        visit(begin + word);
        visit(begin + most_short);
        visit(begin + block_bytes - most_short);
        if (!is_filled) return;
        const std::size_t end = detail::smaller(block_bytes - most_short, most_filled);
        for (std::size_t at = first_in_middle; at < end; at += in_step) {
            Byte* const step = begin + detail::smaller(at, block_bytes - in_step);
            for (std::size_t pair = 0; pair != in_step; pair += most_short) visit(step + pair);
        }
    }

    FREEHOLD_ALWAYS_INLINE static void fill_small(const canary_filling& filling, void* block,
                                                  std::size_t block_bytes) noexcept {
        visit_small(
            static_cast<std::byte*>(block), block_bytes, [&](std::byte* at) { filling.write_word(at); },
            [&](std::byte* at) { filling.write(at); });
    }

    // Inline: around a call in the middle of malloc its fast path would save five registers.
    FREEHOLD_ALWAYS_INLINE static void check_larger(const canary_filling& filling, const void* block,
                                                    std::uint8_t state, std::size_t block_bytes) noexcept {
        canary_filling::pair differences{};
        visit_larger(static_cast<const std::byte*>(block), block_bytes, state == states::freed_filled,
                     [&](const std::byte* at) { differences |= filling.difference(at); });
        if ((differences[0] | differences[1]) != 0) [[unlikely]]
            report_free(block, state, block_bytes);
    }

    FREEHOLD_ALWAYS_INLINE static void check_free(const canary_filling& filling, const void* block, std::uint8_t state,
                                                  std::size_t block_bytes) noexcept {
        if (block_bytes > most_whole) return check_larger(filling, block, state, block_bytes);
        std::uint64_t wrong = 0;
        canary_filling::pair differences{};
        visit_small(
            static_cast<const std::byte*>(block), block_bytes,
            [&](const std::byte* at) { wrong |= filling.difference_of_word(at); },
            [&](const std::byte* at) { differences |= filling.difference(at); });
        if ((wrong | differences[0] | differences[1]) != 0) [[unlikely]]
            report_free(block, state, block_bytes);
    }

    FREEHOLD_ALWAYS_INLINE static void expect_intact(const canary_filling& filling, const void* block, std::size_t rest,
                                                     std::size_t block_bytes) noexcept {
        const std::byte* const end = static_cast<const std::byte*>(block) + block_bytes;
        // No or of the differences: that would be three instructions more.
        if (!filling.has_byte(end - rest) || !filling.has_byte(end - 1)) [[unlikely]]
            report(block, block_bytes - rest, block_bytes);
    }

    [[noreturn]] FREEHOLD_COLD FREEHOLD_NOINLINE static void report(const void* block, std::size_t bytes,
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

    [[noreturn]] FREEHOLD_COLD FREEHOLD_NOINLINE static void report_free(const void* block, std::uint8_t state,
                                                                         std::size_t block_bytes) noexcept {
        const auto* const begin = static_cast<const std::byte*>(block);
        const canary_filling filling(block);
        const bool is_filled = block_bytes <= most_whole || state == states::freed_filled;
        const std::byte* const filled =
            begin + (is_filled ? detail::smaller(block_bytes, most_filled) : first_in_middle);
        const std::byte* at = filling.find_other(begin + word, filled);
        if (at == filled) at = filling.find_other(begin + block_bytes - most_short, begin + block_bytes - 1);
        char text[160];
        std::snprintf(text, sizeof(text), "a free block was written to: byte %td of %zu bytes at %p", at - begin,
                      block_bytes, block);
        abort_with(text);
    }
};

}  // namespace freehold::detail

#else

namespace freehold::inline v0_2::detail {

// Named, and not called.
template <class Sizes>
struct block_canary {
    static void begin(void* block, std::size_t bytes, std::size_t block_bytes) noexcept;
    static void change(void* block, std::size_t bytes, std::size_t block_bytes) noexcept;
    static void expect_intact(const void* block, std::size_t rest, std::size_t block_bytes) noexcept;
    static void expect_intact_in_use(const void* block, std::size_t block_bytes) noexcept;
    [[nodiscard]] static bool end(void* block, std::uint8_t state, std::size_t block_bytes) noexcept;
    static void fill_used(void* block, std::size_t block_bytes) noexcept;
    static void fill(void* block, std::size_t block_bytes) noexcept;
    static void fill_again(void* block, void* begin, std::size_t bytes) noexcept;
    static void end_holding(void* block, std::size_t block_bytes) noexcept;
    static void check_free(const void* block, std::size_t block_bytes) noexcept;
    static void take(void* block, std::uint8_t state, std::size_t block_bytes) noexcept;
};

}  // namespace freehold::detail

#endif
