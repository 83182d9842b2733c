#pragma once
// count_shards: the parts of a count that threads add up in, each on a cache line of its own.
//
// A thread always counts in the same shard. Threads are dealt out in turn, in the order in which they first count, so
// as many threads as there are processors have a shard each. More threads share. The number of shards is a power of
// two, and whoever has an array knows its number: another module may take the machine to have fewer processors. What a
// thread adds in its shard another may subtract in its own: only the sum of all shards means something. close() takes
// that sum, shard after shard. From then on each shard tells those who count in it that it is closed.
//
// Policy::threading is a Threading (core/threading.hpp); Policy::shards() is the number in a new array; Policy::deal()
// is called once in each thread, and returns a number that the next thread does not get.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/c_memory.hpp"
#include "../../core/platform/process.hpp"
#include "../counting_policy.hpp"

namespace freehold::inline v0_2::detail {

inline constexpr std::size_t most_shards = 64;

// Returns: the number of processors, at most most_shards.
[[nodiscard]] inline std::size_t number_of_processors() noexcept {
    const std::size_t found = count_processors();
    return found != 0 ? detail::smaller(found, most_shards) : most_shards / 4;
}

template <class Policy>
class alignas(64) count_shards {
public:
    static constexpr std::size_t alignment = 256;  // of an array: its address leaves 8 bits for other uses

    // Returns: an array of shards that are 0, or null if out of memory.
    [[nodiscard]] static count_shards* make() noexcept {
        // Not operator new: the array is part of a count, which a program may have in a replaced operator delete.
        void* const place =
            detail::take_c_memory(alignment, detail::larger(Policy::shards() * sizeof(count_shards), alignment));
        if (place == nullptr) return nullptr;
        auto* const first = static_cast<count_shards*>(place);
        for (std::size_t i = 0; i < Policy::shards(); ++i) ::new (static_cast<void*>(first + i)) count_shards;
        return first;
    }

    // Requires: the array has that number + 1, or `first` is null.
    static void free(count_shards* first, std::size_t last) noexcept {
        for (std::size_t i = 0; first != nullptr && i <= last; ++i) first[i].~count_shards();
        detail::free_c_memory(first);
    }

    // A number for the calling thread, never 0. A multiple of the size of a shard.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::uint32_t thread() noexcept {
        const std::uint32_t found = place_of_thread;
        return found != 0 ? found : deal();
    }

    // Returns: the same, or 0 for a thread that has not called it.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::uint32_t thread_if_dealt() noexcept { return place_of_thread; }

    // Returns: the shard of the calling thread, of an array of that number + 1 that begins with *this.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE count_shards& mine(std::size_t last) noexcept {
        const std::size_t offset = thread() & last * sizeof(count_shards);
        return *reinterpret_cast<count_shards*>(reinterpret_cast<std::byte*>(this) + offset);
    }

    // Effects: adds n. Returns: whether the shard is open; else n is not counted.
    // acquire: pairs with the release of close(). A thread that finds a shard closed counts in the root, which may
    // still have the weight of the shards: that keeps the object until their sum has taken its place. release: pairs
    // with the acquire of close(): what a former owner did happens before the destruction.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool add(count_word n) noexcept {
        return count_.fetch_add(n, std::memory_order_acq_rel) > closed / 2;
    }

    // Effects: closes all shards of such an array. Returns: their sum.
    [[nodiscard]] count_word close(std::size_t last) noexcept {
        count_word sum = 0;
        // acquire and release: pair with add()
        for (std::size_t i = 0; i <= last; ++i) sum += this[i].count_.exchange(closed, std::memory_order_acq_rel);
        return sum;
    }

    // Returns: the sum of the shards at different moments.
    [[nodiscard]] count_word sum(std::size_t last) const noexcept {
        count_word sum = 0;
        for (std::size_t i = 0; i <= last; ++i) {
            // relaxed: nothing is done that depends on it
            const count_word each = this[i].count_.load(std::memory_order_relaxed);
            if (each > closed / 2) sum += each;
        }
        return sum;
    }

private:
    // Far below what can be counted, so that late additions do not change what it says.
    static constexpr count_word closed = -(count_word{1} << 62);

    FREEHOLD_NOINLINE FREEHOLD_COLD static std::uint32_t deal() noexcept {
        const std::size_t number = Policy::deal() % most_shards;
        return place_of_thread = static_cast<std::uint32_t>((number + 1) * sizeof(count_shards));
    }

    // Constant-initialized and trivially destructible: threads count until their last instruction.
    FREEHOLD_STATIC_TLS static inline constinit thread_local std::uint32_t place_of_thread = 0;

    typename Policy::threading::template atomic<count_word> count_ = 0;
};

}  // namespace freehold::detail
