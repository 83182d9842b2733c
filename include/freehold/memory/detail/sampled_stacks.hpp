#pragma once
// sampled_stacks: the sites of a heap profile: the calls that led to a sampled allocation, and what they allocated.
//
// All of it is in pages that are never given back, as heap_samples.hpp says why, and each stack is there once. When
// there is no room for another stack, its samples go to one site that stands for all that is lost.
//
// Thread safety: any thread may call any function. There is no lock, so a forked child may go on. Exceptions: none.
// Cost: 4.1 MiB of addresses, touched as they are used: a stack of 20 calls takes 208 bytes and a word in a table.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/threading.hpp"
#include "heap_samples.hpp"

namespace freehold::inline v0_2::detail {

// Limits: as below.
template <class Threading, class Limits>
class basic_sampled_stacks {
public:
    using sums = basic_sample_sums<Threading>;

    static constexpr std::size_t most_calls = 64;

    struct stack {
        sums samples;
        std::uint64_t hash = 0;
        std::uint32_t count = 0;
        const void* calls[1] = {};  // `count` of them, the innermost first
    };

    template <class T>
    using atomic = typename Threading::template atomic<T>;

    // Requires: both are zeroed memory, in which no object was made: that would touch all of it.
    basic_sampled_stacks(atomic<stack*>* table, std::byte* memory) noexcept : table_(table), memory_(memory) {}

    // Returns: the site of the stack; or lost(), if there is no room for it.
    [[nodiscard]] sums& find(void* const* calls, std::size_t count) noexcept {
        const std::uint64_t hash = hash_of(calls, count);
        stack* made = nullptr;
        for (std::size_t i = 0; i != Limits::most_probes;) {
            atomic<stack*>& place = table_[(hash + i) % Limits::stacks];
            // acquire: pairs with the release below, whose thread wrote the stack
            stack* found = place.load(std::memory_order_acquire);
            if (found == nullptr) {
                if (made == nullptr) made = make(hash, calls, count);
                if (made == nullptr) break;
                if (place.compare_exchange_strong(found, made, std::memory_order_release, std::memory_order_relaxed)) {
                    return made->samples;
                }
                continue;  // another thread was first
            }
            if (is_same(*found, hash, calls, count)) return found->samples;
            ++i;
        }
        return lost_;
    }

    // Effects: calls visit(stack) for each stack.
    template <class Visit>
    void visit(Visit visit) const {
        for (std::size_t i = 0; i != Limits::stacks; ++i) {
            // acquire: pairs with the release of find(), whose thread wrote the stack
            if (const stack* const each = table_[i].load(std::memory_order_acquire)) visit(*each);
        }
    }

    // Returns: what the samples stand for whose stack had no room.
    [[nodiscard]] const sums& lost() const noexcept { return lost_; }

private:
    [[nodiscard]] static std::uint64_t hash_of(void* const* calls, std::size_t count) noexcept {
        std::uint64_t hash = 0;
        for (std::size_t i = 0; i < count; ++i) {
            hash = (hash ^ reinterpret_cast<std::uintptr_t>(calls[i])) * 0x9E3779B97F4A7C15U;
            hash ^= hash >> 29;
        }
        return hash;
    }

    [[nodiscard]] static std::size_t bytes_of(std::size_t count) noexcept { return count * sizeof(void*); }

    [[nodiscard]] static bool is_same(const stack& known, std::uint64_t hash, void* const* calls,
                                      std::size_t count) noexcept {
        return known.hash == hash && known.count == count && std::memcmp(known.calls, calls, bytes_of(count)) == 0;
    }

    // Returns: a stack that nothing refers to yet, or null without room.
    [[nodiscard]] stack* make(std::uint64_t hash, void* const* calls, std::size_t count) noexcept {
        const std::size_t bytes = round_up(offsetof(stack, calls) + bytes_of(count), alignof(stack));
        // relaxed: who adds has the bytes for itself
        if (used_.load(std::memory_order_relaxed) > Limits::bytes) return nullptr;
        const std::size_t begin = used_.fetch_add(bytes, std::memory_order_relaxed);
        if (begin + bytes > Limits::bytes) return nullptr;
        auto* const made = ::new (memory_ + begin) stack;
        made->hash = hash;
        made->count = static_cast<std::uint32_t>(count);
        std::memcpy(static_cast<void*>(made->calls), calls, bytes_of(count));
        return made;
    }

    atomic<stack*>* const table_;
    std::byte* const memory_;
    atomic<std::size_t> used_ = 0;
    sums lost_;
};

struct usual_stack_limits {
    static constexpr std::size_t stacks = 8192;
    static constexpr std::size_t most_probes = 64;
    static constexpr std::size_t bytes = std::size_t{4} * 1024 * 1024;
};

using sampled_stacks = basic_sampled_stacks<process_threading, usual_stack_limits>;

}  // namespace freehold::detail
