#pragma once
// hardening: reports of the faults that a hardened program finds on guarded pages.
//
// With FREEHOLD_HARDENED, which all files of a program must share, one block in 5000 of the pool of the process lies on
// pages of its own. A use after free or an overrun there is a segmentation fault; report_guarded_faults() makes the
// program say what it was, before it ends. Without FREEHOLD_HARDENED it does nothing.
//
// Thread safety: any thread may call it. Exceptions: none. Cost: from then on a guarded block records which calls
// allocated and freed it.

#ifdef FREEHOLD_HARDENED  // elsewhere none of these headers is needed

#include <atomic>
#include <cstddef>
#include <cstdio>

#include "../core/platform/call_stack.hpp"
#include "../core/platform/errors.hpp"
#include "../core/platform/signals.hpp"
#include "detail/guarded_blocks.hpp"

namespace freehold::inline v0_2::detail {

class guarded_faults {
public:
    // Effects: see report_guarded_faults().
    static bool install() noexcept {
        static constinit std::atomic<bool> is_installed = false;
        // relaxed: only the first thread goes on
        if (is_installed.exchange(true, std::memory_order_relaxed)) return true;
        guarded_blocks::call_stack first;
        first.note(true);                                                    // loads what later calls need
        guarded_blocks::keeps_calls.store(true, std::memory_order_relaxed);  // relaxed: orders nothing
        return fault_handler<&handle>::install();
    }

private:
    static void handle(const void* address) noexcept {
        guarded_blocks* const all = guarded_blocks::known();
        if (all != nullptr && all->contains(address)) report(*all, address);
    }

    static void report(guarded_blocks& all, const void* address) noexcept {
        const auto [block, past_end, before_begin] = all.explain(address);
        if (block == nullptr) return write_error("freehold: an access to a guarded page without a block\n");
        // relaxed: the thread that frees a block and one that uses it are not synchronized
        const bool is_freed = block->now.load(std::memory_order_relaxed) == guarded_blocks::state::freed;
        char line[160];
        const char* const when = is_freed ? "a block is used after it was freed" : "a block is used beyond its bounds";
        const char* const where = past_end > 0 ? " past the end" : before_begin > 0 ? " before the begin" : "";
        const std::ptrdiff_t byte = past_end > 0 ? past_end : before_begin > 0 ? before_begin : -before_begin;
        std::snprintf(line, sizeof(line), "freehold: %s: byte %td%s of %zu bytes at %p\n", when, byte, where,
                      block->bytes, static_cast<void*>(block->block));
        write_error(line);
        print("    allocated by:\n", block->allocated);
        if (is_freed) print("    freed by:\n", block->freed);
    }

    static void print(const char* text, const guarded_blocks::call_stack& stack) noexcept {
        if (stack.count == 0) return;
        write_error(text);
        write_calls(stack.calls, stack.count);
    }
};

}  // namespace freehold::detail

#endif

namespace freehold::inline v0_2 {

// Effects: in a hardened program, from now on a segmentation fault on a guarded page prints what happened: which byte
// of which block, and which calls allocated and freed it. Then the handler that was installed before is called, or the
// program ends by the signal. Returns: whether the system has installed the handler.
inline bool report_guarded_faults() noexcept {
#ifdef FREEHOLD_HARDENED
    return detail::guarded_faults::install();
#else
    return false;
#endif
}

}  // namespace freehold
