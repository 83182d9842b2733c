#pragma once
// The callers of a function, by frame pointers.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <link.h>
#include <pthread.h>

namespace copies {

using address = std::uintptr_t;
// Return addresses, innermost first. Where nothing is optimized, a container has a dozen of its own.
using callers = std::array<address, 24>;

// The code of the program and its libraries.
class code {
public:
    static bool holds(address place) noexcept {
        const auto* known = known_.load(std::memory_order_acquire);  // acquire: pairs with the store in read
        if (known != nullptr && among(*known, place)) return true;
        // A library may have been loaded since. relaxed: at worst it is read twice
        const std::uint32_t misses = misses_.fetch_add(1, std::memory_order_relaxed) + 1;
        return std::has_single_bit(misses) && among(read(), place);
    }

private:
    using ranges = std::vector<std::pair<address, address>>;

    static bool among(const ranges& all, address place) noexcept {
        for (const auto& [begin, end] : all)
            if (begin <= place && place < end) return true;
        return false;
    }

    static const ranges& read() noexcept {
        auto* const fresh = new ranges;  // never deleted: others may read the last one
        dl_iterate_phdr(
            [](dl_phdr_info* module, std::size_t, void* into) {
                for (const auto* each = module->dlpi_phdr; each != module->dlpi_phdr + module->dlpi_phnum; ++each) {
                    const address begin = module->dlpi_addr + each->p_vaddr;
                    if (each->p_type == PT_LOAD && (each->p_flags & PF_X) != 0)
                        static_cast<ranges*>(into)->emplace_back(begin, begin + each->p_memsz);
                }
                return 0;
            },
            fresh);
        known_.store(fresh, std::memory_order_release);  // release: whoever reads it sees its content
        return *fresh;
    }

    static inline std::atomic<const ranges*> known_ = nullptr;
    static inline std::atomic<std::uint32_t> misses_ = 0;
};

// The stack of the calling thread, as far as it is known.
class stack {
public:
    static bool holds(address place, address frame) noexcept { return frame <= place && place < end(); }

    // Notes the return addresses from the frame on. Code without frame pointers ends the chain, or leads it astray.
    static void walk(address frame, callers& into) noexcept {
        for (address& each : into) {
            const auto* const words = reinterpret_cast<const address*>(frame);
            if (!code::holds(words[1])) return;
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

}  // namespace copies
