#pragma once
// Finds the callers of a function, and the number of their chain.

#include <cstdint>

#include "eh_frame.hpp"
#include "events.hpp"

namespace recorder {

constexpr std::uint64_t most_frame_bytes = 1 << 26;

inline std::uint64_t word_at(std::uint64_t address) { return *reinterpret_cast<const std::uint64_t*>(address); }

// Called by the one thread that uses the list of modules.
inline void tell_module(thread_memory& me, const module& found, const char* name) {
    static char program[4096];  // a handler of signals may have a small stack
    if (*name == 0) {
        const ssize_t letters = readlink("/proc/self/exe", program, sizeof program - 1);
        program[letters > 0 ? letters : 0] = 0;
        name = program;
    }
    write_module(me, found.number, name);
}

[[gnu::noinline, gnu::cold]] inline rule learn(thread_memory& me, std::uint64_t address) {
    const int error = errno;
    module_list::use modules(process->modules);
    const module* const found =
        modules.of(address - 1, [&](const module& each, const char* name) { tell_module(me, each, name); });
    const rule made = found != nullptr ? eh_frame::rule_at(found->table, address) : rule{};
    errno = error;
    return made;
}

[[gnu::noinline, gnu::cold]] inline void define(thread_memory& me, std::uint32_t number, const chain& callers) {
    const int error = errno;
    if (!callers.is_whole) shared->cut.fetch_add(1, std::memory_order_relaxed);
    std::uint32_t numbers[most_frames];
    std::uint64_t offsets[most_frames];
    {
        module_list::use modules(process->modules);
        for (std::uint32_t i = 0; i < callers.length; ++i) {
            const std::uint64_t address = callers.address[i];
            const module* const found =
                modules.of(address - 1, [&](const module& each, const char* name) { tell_module(me, each, name); });
            numbers[i] = found != nullptr ? found->number + 1 : 0;
            offsets[i] = address - (found != nullptr ? found->base : 0);
        }
    }
    write_site(me, number, numbers, offsets, callers.length);
    errno = error;
}

// Returns the number of the chain of callers of the function with this frame, which keeps a frame pointer.
inline std::uint32_t site_of(thread_memory& me, std::uint64_t frame) {
    const std::uint64_t generation = process->generation.load(std::memory_order_relaxed) & 0xffff;
    chain callers;
    callers.hash ^= generation;
    std::uint64_t bp = word_at(frame), address = word_at(frame + 8), sp = frame + 16;
    while (true) {
        callers.add(address);
        if (callers.length == most_frames) break;
        const rule found =
            process->rules.of(address, generation, [&](std::uint64_t unknown) { return learn(me, unknown); });
        std::uint64_t cfa = 0;
        if (found.from == base::stack_pointer)
            cfa = sp + static_cast<std::uint64_t>(std::int64_t{found.cfa});
        else if (found.from == base::frame_pointer)
            cfa = bp + static_cast<std::uint64_t>(std::int64_t{found.cfa});
        else if (found.from == base::behind_frame_pointer)
            cfa = word_at(bp + static_cast<std::uint64_t>(std::int64_t{found.cfa}));
        else {
            callers.is_whole = found.from == base::end;
            break;
        }
        if (cfa <= sp || cfa - sp > most_frame_bytes) break;
        const std::int64_t slot = std::int64_t{8} * found.slot;
        if (found.where == saved::from_cfa) bp = word_at(cfa + static_cast<std::uint64_t>(slot));
        if (found.where == saved::from_frame_pointer) bp = word_at(bp + static_cast<std::uint64_t>(slot));
        address = word_at(cfa - 8);
        sp = cfa;
        if (address == 0) {
            callers.is_whole = true;
            break;
        }
    }
    return process->sites.number_of(callers.hash, [&](std::uint32_t number) { define(me, number, callers); });
}

}
