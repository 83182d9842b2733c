#pragma once
// The places that copy shared pointers: chains of return addresses, and what became of their copies.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pthread.h>

namespace copies {

using address = std::uintptr_t;

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
    static constexpr std::size_t most_frames = 24;  // not optimized, a container has a dozen of its own
    std::array<address, most_frames> frames{};
    std::array<std::atomic<std::uint64_t>, figures> counts{};

    // relaxed: they are read at the end
    void count(figure what) noexcept { counts[what].fetch_add(1, std::memory_order_relaxed); }
};

// The stack of the calling thread, as far as it is known.
class stack {
public:
    static bool holds(address place, address frame) noexcept { return frame <= place && place < end(); }

    // Notes the return addresses from the frame on. Code without frame pointers ends the chain.
    static void walk(address frame, std::array<address, site::most_frames>& into) noexcept {
        for (address& each : into) {
            const auto* const words = reinterpret_cast<const address*>(frame);
            each = words[1];
            const address next = words[0];
            if (next <= frame || next % sizeof(address) != 0 || next + 2 * sizeof(address) > end()) return;
            frame = next;
        }
    }

private:
    static address end() noexcept {
        thread_local const address here = [] {
            pthread_attr_t attributes;
            void* begin = nullptr;
            std::size_t size = 0;
            if (pthread_getattr_np(pthread_self(), &attributes) != 0) return address{0};
            pthread_attr_getstack(&attributes, &begin, &size);
            pthread_attr_destroy(&attributes);
            return reinterpret_cast<address>(begin) + size;
        }();
        return here;
    }
};

// All sites. Nothing is ever removed; when it is full, further places are one.
class sites {
public:
    site& at(address frame) noexcept {
        std::array<address, site::most_frames> frames{};
        stack::walk(frame, frames);
        std::size_t hash = 0;
        for (const address each : frames) hash = (hash ^ each) * 0x9e3779b97f4a7c15U;
        for (std::size_t step = 0; step < most_steps; ++step) {
            auto& slot = slots_[((hash >> 32) + step) % slots_.size()];
            site* found = slot.load(std::memory_order_acquire);  // acquire: pairs with the exchange that filled it
            if (found == nullptr) {
                auto fresh = std::make_unique<site>();
                fresh->frames = frames;
                // release: whoever finds the site reads its frames
                if (slot.compare_exchange_strong(found, fresh.get(), std::memory_order_acq_rel))
                    return *fresh.release();
            }
            if (found->frames == frames) return *found;
        }
        return others_;
    }

    template <class Function>
    void for_each(Function function) {
        for (auto& each : slots_)
            if (site* const found = each.load(std::memory_order_acquire)) function(*found);  // acquire: as above
        function(others_);
    }

private:
    static constexpr std::size_t most_steps = 64;
    std::array<std::atomic<site*>, 1 << 17> slots_{};
    site others_;
};

}  // namespace copies
