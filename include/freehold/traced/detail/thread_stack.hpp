#pragma once
// The words on a thread's stack and in its registers.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <cstddef>
#include <new>

#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"

namespace freehold::detail {

// The memory of a stack. Trivially destructible and constant-initialized, as the decision on static thread-local
// variables has it.
struct stack_bounds {
    std::byte* lowest = nullptr;
    std::byte* base = nullptr;  // the end: a stack grows downwards

    // Returns: those of the calling thread; null pointers if the system does not know them. The system is asked once,
    // as the answer takes a file in the main thread.
    [[nodiscard]] static const stack_bounds& of_thread() noexcept {
        if (here.base == nullptr) here = find();
        return here;
    }

private:
    [[nodiscard]] static stack_bounds find() noexcept {
        pthread_attr_t attributes;
        if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return {};
        void* lowest = nullptr;
        std::size_t bytes = 0;
        const bool known = ::pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
        ::pthread_attr_destroy(&attributes);
        if (!known) return {};
        return {static_cast<std::byte*>(lowest), static_cast<std::byte*>(lowest) + bytes};
    }

    FREEHOLD_STATIC_TLS static thread_local constinit stack_bounds here;
};

FREEHOLD_STATIC_TLS inline thread_local constinit stack_bounds stack_bounds::here{};

// For a conservative collector, to which every word may be a pointer.
class thread_stack {
public:
    // Effects: finds the stack of the calling thread. Throws: std::bad_alloc if the system does not know it.
    thread_stack() : base_(stack_bounds::of_thread().base) {
        if (base_ == nullptr) raise<std::bad_alloc>();
    }

    // Effects: calls use(word) for each word from the caller's frame to the oldest one, and for the callee-saved
    // registers. Requires: the calling thread made this object.
    template <class Use>
    [[gnu::noinline]] void each_word(Use use) const {
        __builtin_unwind_init();  // saves the registers in this frame, which is above the frame of each_word_above
        each_word_above(use);
        // Not a tail call, which would drop this frame.
        asm volatile("" ::: "memory");
    }

private:
    template <class Use>
    [[gnu::noinline]] void each_word_above(Use& use) const {
        each_word_between(static_cast<const std::byte*>(__builtin_frame_address(0)), base_, use);
    }

    // Not instrumented: between the variables on a stack there are poisoned bytes.
    template <class Use>
    __attribute__((no_sanitize("address"))) static void each_word_between(const std::byte* begin, const std::byte* end,
                                                                          Use& use) {
#ifdef FREEHOLD_ADDRESS_SANITIZER
        // AddressSanitizer may keep variables in frames elsewhere, to find a use after return.
        void* const frames = __asan_get_current_fake_stack();
#endif
        for (; begin + sizeof(void*) <= end; begin += sizeof(void*)) {
            void* const word = *reinterpret_cast<void* const*>(begin);
            use(word);
#ifdef FREEHOLD_ADDRESS_SANITIZER
            void* first = nullptr;
            void* last = nullptr;
            if (frames == nullptr || __asan_addr_is_in_fake_stack(frames, word, &first, &last) == nullptr) continue;
            for (auto* in = static_cast<void* const*>(first); in < static_cast<void* const*>(last); ++in) use(*in);
#endif
        }
    }

    std::byte* base_ = nullptr;
};

}  // namespace freehold::detail
