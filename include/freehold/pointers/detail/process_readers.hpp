#pragma once
// process_readers: the reader_domain of a process, or of each module that is built with hidden symbols.

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <thread>

#include "../../core/annotate.hpp"
#include "../../core/asymmetric_fence.hpp"
#include "../../core/static_tls.hpp"
#include "../../core/thread_end.hpp"
#include "../../core/thread_state.hpp"
#include "reader_domain.hpp"

#ifdef FREEHOLD_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace freehold::detail {

struct process_reading {
    template <class T>
    using atomic = std::atomic<T>;
    using record = reader_record<process_reading>;

    static constexpr std::size_t slots = 8;  // a cache line
    static constexpr std::size_t shared_slots = 16;

    [[gnu::always_inline]] static void light_fence() noexcept { fence_.light(); }
    // Returns: whether light_fence() is only a fence for the compiler, and the domain that of this module's threads.
    [[nodiscard, gnu::always_inline]] static bool is_light_for(const reader_domain<process_reading>* domain) noexcept {
        return fence_.is_light_for(domain);
    }
    static void heavy_fence() noexcept { fence_.heavy(); }

    // The clock that is read in a few nanoseconds. Its steps are 1 to 10 milliseconds.
    [[nodiscard]] static std::uint32_t now() noexcept {
        std::timespec time{};
        ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
        return static_cast<std::uint32_t>(time.tv_sec * 1000 + time.tv_nsec / 1'000'000);
    }

    [[nodiscard]] static bool is_alone() noexcept { return is_single_threaded(); }

    // Pages from the system, and not malloc's memory: neither takes a lock that another thread may hold.
    [[nodiscard]] static void* allocate(std::size_t bytes) noexcept {
        void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) return nullptr;
#ifdef FREEHOLD_ADDRESS_SANITIZER
        __lsan_register_root_region(pages, bytes);  // deferred references are no leaks
#endif
        return pages;
    }

    // Effects: gives back what allocate(bytes) returned.
    static void free(void* pages, std::size_t bytes) noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
        __lsan_unregister_root_region(pages, bytes);
#endif
        ::munmap(pages, bytes);
    }

    // The calling thread's slots. Those of a thread without a record are all taken: a reader need not look for a null
    // pointer.
    [[nodiscard, gnu::always_inline]] static word_slots<process_reading>& own_slots() noexcept { return *own_; }

    [[nodiscard]] static record* own() noexcept { return own_ != &none_ ? static_cast<record*>(own_) : nullptr; }
    static void set_own(record* mine) noexcept { own_ = mine != nullptr ? mine : &none_; }

    [[nodiscard]] static bool at_thread_end() noexcept {
        if (has_ended_) return false;
        register_process();
        static_cast<void>(thread_end<&end>::arm());
        return true;
    }

    static void pause() noexcept { std::this_thread::yield(); }

private:
    static void end() noexcept;
    static void register_process() noexcept;

    static inline constinit word_slots<process_reading> none_{{2, 2, 2, 2, 2, 2, 2, 2}};
    FREEHOLD_STATIC_TLS static inline thread_local constinit word_slots<process_reading>* own_ = &none_;
    static inline thread_local constinit bool has_ended_ = false;
    static inline constinit asymmetric_fence fence_;
};

inline constinit reader_domain<process_reading> process_readers;

inline void process_reading::register_process() noexcept { fence_.register_process(&process_readers); }

inline void process_reading::end() noexcept {
    process_readers.leave();
    has_ended_ = true;
}

}  // namespace freehold::detail
