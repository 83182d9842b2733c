#pragma once
// atomic_pointer_domain: what the atomic pointers need that a module has made, whichever module uses them. A process
// has one, or one for each module that is built with hidden symbols.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../core/asymmetric_fence.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/at_fork.hpp"
#include "../../core/platform/sleep.hpp"
#include "../../core/platform/thread_local.hpp"
#include "../../core/platform/thread_state.hpp"
#include "../../core/thread_end.hpp"
#include "../../core/threading.hpp"
#include "alias_records.hpp"
#include "reader_domain.hpp"

namespace freehold::inline v0_2::detail {

struct atomic_pointer_domain;

// The Process of reader_domain.hpp.
struct atomic_pointer_process : process_records {
    using domain = atomic_pointer_domain;
    using record = reader_record<process_threading, atomic_pointer_process>;
    using ring = deferred_releases<atomic_pointer_process>;

    static constexpr std::size_t own_slots = 8;  // a cache line
    using slots_of_thread = word_slots<process_threading, own_slots>;
    static constexpr std::size_t shared_slots = 16;
    static constexpr bool is_first_group_in_place = false;

    [[nodiscard]] static std::uint32_t now() noexcept { return static_cast<std::uint32_t>(coarse_milliseconds()); }

    [[nodiscard]] static bool is_alone() noexcept { return is_single_threaded(); }

    // The calling thread's slots, if a light fence is one for the compiler alone. Else, and without a record, slots
    // that are all taken: a reader need not look for a null pointer.
    FREEHOLD_PER_THREAD_ACCESS [[nodiscard]] static slots_of_thread& light_slots() noexcept { return *light_slots_; }

    // The domain of the module.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static constexpr domain& of_module() noexcept;

    FREEHOLD_PER_THREAD_ACCESS [[nodiscard]] static record* own() noexcept { return own_; }
    static void set_own(record* mine) noexcept;

    [[nodiscard]] static bool at_thread_end() noexcept {
        if (has_ended_) return false;
        prepare_process();
        return thread_end<&end>::arm();
    }

private:
    static void end() noexcept;
    static void prepare_process() noexcept;
    static void restart_in_child() noexcept;

    static inline constinit slots_of_thread none_{{2, 2, 2, 2, 2, 2, 2, 2}};  // each is `nothing`: taken
    FREEHOLD_STATIC_TLS static inline thread_local constinit slots_of_thread* light_slots_ = &none_;
    FREEHOLD_STATIC_TLS static inline thread_local constinit record* own_ = nullptr;
    static inline thread_local constinit bool has_ended_ = false;
};

// Returns: source.load(std::memory_order_relaxed), of any atomic.
template <class Atomic>
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline auto load_relaxed(const Atomic& source) noexcept {
    return source.load(std::memory_order_relaxed);
}

#ifndef FREEHOLD_THREAD_SANITIZER
// By the same instruction. In a loop g++ keeps the address of an atomic member on the stack, and reads that first; but
// not that of a volatile one: a snapshot takes 0.76 instead of 0.85 nanoseconds.
template <class T>
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline T* load_relaxed(const std::atomic<T*>& source) noexcept {
    static_assert(sizeof(source) == sizeof(T*) && std::atomic<T*>::is_always_lock_free);
    return *reinterpret_cast<T* const volatile*>(&source);
}
#endif

struct atomic_pointer_domain : reader_domain<process_threading, atomic_pointer_process> {
    alias_records aliases;
};

inline constinit atomic_pointer_domain atomic_pointers;

constexpr atomic_pointer_domain& atomic_pointer_process::of_module() noexcept { return atomic_pointers; }

inline void atomic_pointer_process::set_own(record* mine) noexcept {
    own_ = mine;
    light_slots_ = mine != nullptr && atomic_pointers.barrier.is_asymmetric() ? mine : &none_;
}

inline void atomic_pointer_process::restart_in_child() noexcept { atomic_pointers.restart_in_child(); }

inline void atomic_pointer_process::prepare_process() noexcept {
    atomic_pointers.barrier.register_process();
    at_fork<nullptr, nullptr, &restart_in_child>();  // without memory for the handler, a child has fewer shared slots
}

inline void atomic_pointer_process::end() noexcept {
    atomic_pointers.leave();
    has_ended_ = true;
}

}  // namespace freehold::detail
