#pragma once
// The owners that are copies, or were copied, by their addresses.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "copies_sites.hpp"

namespace copies {

// What became of an owner, which its copies ask when they die.
struct life {
    enum state : std::uint8_t { going_on, died, changed };
    std::atomic<state> now{going_on};
    std::atomic<std::uint64_t> copies{0};
    std::atomic<std::uint32_t> references{1};

    void release() noexcept {
        // acq_rel: pairs with the other releases, so that all is done before it is deleted
        if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
};

struct copy {
    site* place = nullptr;
    life* source = nullptr;
    std::uint64_t number = 0;  // among the copies of the source
    std::uint32_t thread = 0;
    bool is_of_local = false;
    bool is_converted = false;
    bool is_changed = false;  // assigned to, or moved from
};

struct owner {
    life* self = nullptr;  // once it was copied
    copy made;             // without a place, it is no copy

    void end(life::state how) noexcept {
        if (self == nullptr) return;
        self->now.store(how, std::memory_order_relaxed);  // relaxed: copies in other threads are not judged by it
        self->release();
        self = nullptr;
    }
};

class owners {
    struct shard {
        std::mutex mutex;
        std::unordered_map<const void*, owner> all;
    };

    template <class Function>
    auto with(const void* place, Function function) {
        shard& mine = shards_[reinterpret_cast<address>(place) / 16 % shards_.size()];
        const std::scoped_lock lock(mine.mutex);
        return function(mine.all);
    }

public:
    // Returns the life of the owner, with a reference to it.
    life* life_of(const void* place) {
        return with(place, [&](auto& all) {
            life*& self = all[place].self;
            if (self == nullptr) self = new life;
            self->references.fetch_add(1, std::memory_order_relaxed);  // relaxed: the table has a reference
            return self;
        });
    }

    void insert(const void* place, const owner& fresh) {
        with(place, [&](auto& all) { all.insert_or_assign(place, fresh); });
    }

    std::optional<owner> take(const void* place) {
        return with(place, [&](auto& all) -> std::optional<owner> {
            const auto found = all.find(place);
            if (found == all.end()) return std::nullopt;
            const owner taken = found->second;
            all.erase(found);
            return taken;
        });
    }

    void mark_converted(const void* place) {
        with(place, [&](auto& all) {
            if (const auto found = all.find(place); found != all.end()) found->second.made.is_converted = true;
        });
    }

    template <class Function>
    void for_each(Function function) {
        for (auto& each : shards_) {
            const std::scoped_lock lock(each.mutex);
            for (auto& [place, found] : each.all) function(found);
        }
    }

private:
    std::array<shard, 256> shards_;
};

}  // namespace copies
