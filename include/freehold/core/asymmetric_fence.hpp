#pragma once
// A fence in two halves: one for readers, which costs nothing, and one for reclaimers, which costs a system call.
//
// A reader announces what it reads and then reads; a reclaimer unlinks an object and then looks at the announcements.
// Each thread stores and then loads, so without a fence both could load old values. The kernel's membarrier makes every
// running thread of the process pass a full fence: the reader's half is then only a fence for the compiler. Where the
// kernel refuses membarrier (an old kernel, a seccomp filter), both halves are seq_cst fences. If it begins to refuse
// while the program runs, heavy() waits for 10 milliseconds.

#include <atomic>

#include "config.hpp"
#include "platform/membarrier.hpp"
#include "platform/sleep.hpp"
#include "threading.hpp"

namespace freehold::inline v0_2::detail {

template <class Threading>
class basic_asymmetric_fence {
public:
    constexpr basic_asymmetric_fence() noexcept = default;

    // Effects: a seq_cst fence with respect to every heavy().
    // Cost: with membarrier a load and a branch that is always predicted, else the processor's full fence.
    FREEHOLD_ALWAYS_INLINE void light() const noexcept {
        // relaxed: the reader's half becomes a compiler fence only after the process is registered, and a reclaimer
        // that runs later sees the registration or repeats it
        if (mode_.load(std::memory_order_relaxed) == expedited) [[likely]] {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        } else {
            full();
        }
    }

    // Effects: a seq_cst fence, and one in every other thread that is inside light() or reaches it later.
    // Cost: with membarrier a system call that interrupts the running threads, 2 to 14 microseconds.
    void heavy() noexcept {
        full();
        if (prepare() == fences || fence_all_threads()) return;
        // The kernel has begun to refuse, as a seccomp filter does that a running program installs. Readers still rely
        // on it. Each has either stopped since its store, and passed a fence then, or its processor has written the
        // store out long before the wait ends.
        sleep_for(10'000'000);
        full();
    }

    // Effects: registers the process with the kernel at the first call. Before that readers use full fences.
    void register_process() noexcept { static_cast<void>(prepare()); }

    // Effects: readers use full fences from now on. For tests, before any thread reads.
    void refuse_membarrier() noexcept { mode_.store(fences, std::memory_order_relaxed); }

    // Returns: whether light() is a fence for the compiler alone. Once it is, it remains that.
    [[nodiscard]] bool is_asymmetric() const noexcept { return mode_.load(std::memory_order_relaxed) == expedited; }

private:
    enum mode : int { unknown, expedited, fences };

    static void full() noexcept {
#ifdef FREEHOLD_THREAD_SANITIZER
        // ThreadSanitizer knows no fences. A read-modify-write is one for the processor.
        std::atomic<int> local = 0;
        local.exchange(1, std::memory_order_seq_cst);
#else
        Threading::thread_fence(std::memory_order_seq_cst);
#endif
    }

    [[nodiscard]] mode prepare() noexcept {
        mode seen = mode_.load(std::memory_order_relaxed);  // relaxed: it has changed once, and names no other data
        if (seen != unknown) return seen;
#ifdef FREEHOLD_THREAD_SANITIZER
        const mode found = fences;
#else
        const mode found = prepare_fences() ? expedited : fences;
#endif
        // relaxed: the system call that registers the process is a full fence in all of its threads, so none sees this
        // before
        return mode_.compare_exchange_strong(seen, found, std::memory_order_relaxed) ? found : seen;
    }

    // Not the policy's: it orders nothing, and is no step of a scenario.
    std::atomic<mode> mode_ = unknown;
};

using asymmetric_fence = basic_asymmetric_fence<process_threading>;

}  // namespace freehold::detail
