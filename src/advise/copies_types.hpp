#pragma once
// The types of the objects that are shared, by their control blocks, and whether each was used by one thread alone.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <typeinfo>
#include <unordered_map>

#include <ext/atomicity.h>

#include "copies_stack.hpp"

namespace copies {

// relaxed, all: they are read at the end
struct type {
    std::atomic<std::uint64_t> objects{0};
    std::atomic<std::uint64_t> copies{0};
    std::atomic<std::uint64_t> locked{0};   // operations on the counts that lock
    std::atomic<std::uint64_t> crossed{0};  // objects whose counts a second thread touched
};

class types {
public:
    // Notes that the thread is about to change a count of the block.
    void touch(const void* block, std::uint32_t thread, bool is_copy) {
        shard& mine = shard_of(block);
        const std::scoped_lock lock(mine.mutex);
        const auto [found, is_fresh] = mine.blocks.try_emplace(block, entry{nullptr, thread, false});
        entry& known = found->second;
        if (is_fresh) {
            known.of = &of(block);
            known.of->objects.fetch_add(1, std::memory_order_relaxed);
        }
        if (is_copy) known.of->copies.fetch_add(1, std::memory_order_relaxed);
        if (!__gnu_cxx::__is_single_threaded()) known.of->locked.fetch_add(1, std::memory_order_relaxed);
        if (known.thread != thread && !known.has_crossed) {
            known.has_crossed = true;
            known.of->crossed.fetch_add(1, std::memory_order_relaxed);
        }
    }

    // The last owner locks nothing: where both counts are 1, they are only read.
    void end(const void* block) {
        shard& mine = shard_of(block);
        const std::scoped_lock lock(mine.mutex);
        const auto found = mine.blocks.find(block);
        if (found == mine.blocks.end()) return;
        if (!__gnu_cxx::__is_single_threaded()) found->second.of->locked.fetch_sub(1, std::memory_order_relaxed);
        mine.blocks.erase(found);
    }

    template <class Function>
    void for_each(Function function) {
        const std::scoped_lock lock(mutex_);
        for (const auto& [name, found] : all_) function(name, found);
    }

private:
    struct entry {
        type* of;
        std::uint32_t thread;
        bool has_crossed;
    };
    struct shard {
        std::mutex mutex;
        std::unordered_map<const void*, entry> blocks;
    };

    shard& shard_of(const void* block) { return shards_[reinterpret_cast<address>(block) / 16 % shards_.size()]; }

    // Returns the type by the name of the block's class, which is empty where the program has no RTTI.
    type& of(const void* block) {
        const auto* const table = *static_cast<const std::type_info* const* const*>(block);
        const std::scoped_lock lock(mutex_);
        return all_[table[-1] != nullptr ? table[-1]->name() : ""];
    }

    std::array<shard, 256> shards_;
    std::mutex mutex_;
    std::map<std::string, type> all_;
};

}  // namespace copies
