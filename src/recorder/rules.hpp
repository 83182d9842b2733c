#pragma once
// How the caller of a function is found from a return address in it: one rule for each, in a table of the process.

#include <atomic>
#include <bit>
#include <cstdint>

namespace recorder {

// The call frame address (CFA) is what the stack pointer was before the call; the return address is just below it.
enum class base : std::uint8_t {
    none,                  // no rule: callers are not found from here
    end,                   // the outermost function
    stack_pointer,         // the CFA is rsp + cfa
    frame_pointer,         // rbp + cfa
    behind_frame_pointer,  // stored at rbp + cfa, in a function that aligns its stack
};

enum class saved : std::uint8_t { not_at_all, from_cfa, from_frame_pointer };  // where the caller's rbp is

struct rule {
    std::int32_t cfa = 0;
    std::int16_t slot = 0;  // of the caller's rbp, in words from what `where` names
    base from = base::none;
    saved where = saved::not_at_all;
};

// The rules of return addresses. A rule depends on nothing but its address, so threads that learn the same one at once
// store the same. The memory starts as zeros.
class rule_table {
public:
    template <class Learn>
    rule of(std::uint64_t address, std::uint64_t generation, Learn learn) {
        const std::uint64_t key = address | generation << 48;  // addresses have 47 bits
        auto at = static_cast<std::uint32_t>(key * 0x9e37'79b9'7f4a'7c15 >> 48);
        for (std::uint32_t tried = 0; tried < most_tried; ++tried, at = (at + 1) % slots) {
            slot& each = slots_[at];
            // relaxed: a rule is whole by itself
            std::uint64_t found = each.key.load(std::memory_order_relaxed);
            if (found == 0) each.key.compare_exchange_strong(found, key, std::memory_order_relaxed);
            if (found != 0 && found != key) continue;
            if (const std::uint64_t known = each.rule.load(std::memory_order_relaxed)) return unpacked(known);
            const rule fresh = learn(address);
            each.rule.store(std::bit_cast<std::uint64_t>(fresh) ^ known_bit, std::memory_order_relaxed);
            return fresh;
        }
        return learn(address);
    }

private:
    static constexpr std::uint32_t slots = 1 << 16;
    static constexpr std::uint32_t most_tried = 32;
    static constexpr std::uint64_t known_bit = std::uint64_t{1} << 63;  // in `where`, which needs two bits

    struct slot {
        std::atomic<std::uint64_t> key;
        std::atomic<std::uint64_t> rule;  // 0: not yet known
    };

    static rule unpacked(std::uint64_t known) { return std::bit_cast<rule>(known ^ known_bit); }

    slot slots_[slots];
};

}
