#pragma once
// What a thread has on its stack and in its registers, word by word: for a collector that takes what looks like a
// pointer for one.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <cstddef>
#include <new>

#include "../../core/annotate.hpp"
#include "../../core/exceptions.hpp"

namespace freehold::detail {

class thread_stack {
public:
    // Postconditions: it is that of the calling thread. Throws: std::bad_alloc if the system does not tell where it is.
    thread_stack() {
        pthread_attr_t attributes;
        if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) raise<std::bad_alloc>();
        void* lowest = nullptr;
        std::size_t bytes = 0;
        const bool known = ::pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
        ::pthread_attr_destroy(&attributes);
        if (!known) raise<std::bad_alloc>();
        base_ = static_cast<std::byte*>(lowest) + bytes;
    }

    // Effects: calls use(word) for each word from the caller's frame to the first of the thread, and for the registers
    // that a function leaves as they are. Requires: the calling thread is that of the constructor.
    template <class Use>
    [[gnu::noinline]] void each_word(Use use) const {
        __builtin_unwind_init();  // stores the registers in this frame, which lies above that of each_word_above
        each_word_above(use);
        // Not a tail call, for which this frame would be gone.
        asm volatile("" ::: "memory");
    }

private:
    template <class Use>
    [[gnu::noinline]] void each_word_above(Use& use) const {
        each_word_between(static_cast<const std::byte*>(__builtin_frame_address(0)), base_, use);
    }

    // Not looked at by AddressSanitizer: between the variables of a stack there are bytes that must not be used.
    template <class Use>
    __attribute__((no_sanitize("address"))) static void each_word_between(const std::byte* begin, const std::byte* end,
                                                                          Use& use) {
#ifdef FREEHOLD_ADDRESS_SANITIZER
        // Variables may be in frames elsewhere, so that their use after a return is found.
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
