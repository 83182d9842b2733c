#pragma once
// The places that copy shared pointers: chains of return addresses, and what became of their copies.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "copies_stack.hpp"

namespace copies {

enum figure : std::size_t {
    copied,
    locked,
    needless,      // a local variable or a parameter, which died before the owner that it was copied from
    converted,     // needless as well, but of another type
    changed,       // needless, but assigned to or moved from
    kept,          // needless, but in an object or a container
    source_first,  // the owner that it was copied from died first
    movable,       // and it was a local one, of which this was the last copy
    crossed,       // died in another thread
    figures
};

struct site {
    callers frames{};
    std::array<std::atomic<std::uint64_t>, figures> counts{};

    // relaxed: they are read at the end
    void count(figure what) noexcept { counts[what].fetch_add(1, std::memory_order_relaxed); }
};

// All sites. Nothing is ever removed.
class sites {
public:
    site& at(address frame) noexcept {
        callers frames{};
        stack::walk(frame, frames);
        if (site* const found = find(frames)) return *found;
        std::fill(frames.begin() + 1, frames.end(), 0);  // too many: those with the same caller are one
        site* const found = find(frames);
        return found != nullptr ? *found : others_;
    }

    template <class Function>
    void for_each(Function function) {
        for (auto& each : slots_)
            if (site* const found = each.load(std::memory_order_acquire)) function(*found);  // acquire: as in find
        function(others_);
    }

private:
    // Returns the site, made if there is room.
    site* find(const callers& frames) noexcept {
        std::size_t hash = 0;
        for (const address each : frames) hash = (hash ^ each) * 0x9e3779b97f4a7c15U;
        for (std::size_t step = 0; step < most_steps; ++step) {
            auto& slot = slots_[((hash >> 32) + step) % slots_.size()];
            site* found = slot.load(std::memory_order_acquire);  // acquire: pairs with the exchange that filled it
            if (found == nullptr) {
                auto fresh = std::make_unique<site>();
                fresh->frames = frames;
                // release: whoever finds the site reads its frames; acquire: so does this
                if (slot.compare_exchange_strong(found, fresh.get(), std::memory_order_acq_rel)) return fresh.release();
            }
            if (found->frames == frames) return found;
        }
        return nullptr;
    }

    static constexpr std::size_t most_steps = 16;
    std::array<std::atomic<site*>, 1 << 16> slots_{};
    site others_;
};

}  // namespace copies
