#pragma once
// The words on a thread's stack and in its registers.

#include <cstddef>
#include <new>

#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/platform/stack_bounds.hpp"

namespace freehold::inline v0_2::detail {

// Trivially destructible and constant-initialized, as the decision on static thread-local variables has it.
FREEHOLD_STATIC_TLS inline thread_local constinit stack_bounds known_stack{};

// Returns: where the stack of the calling thread is; null pointers if the system does not know it. The system is asked
// once.
[[nodiscard]] inline const stack_bounds& stack_of_thread() noexcept {
    if (known_stack.base == nullptr) known_stack = find_stack();
    return known_stack;
}

// For a conservative collector, to which every word may be a pointer, and to find coroutines that run.
class thread_stack {
public:
    thread_stack() = default;  // has no words

    // Returns: the stack of the calling thread. Throws: std::bad_alloc if the system does not know it.
    [[nodiscard]] static thread_stack here() {
        thread_stack found;
        found.base_ = stack_of_thread().base;
        if (found.base_ == nullptr) raise<std::bad_alloc>();
        return found;
    }

    // Effects: calls use(word) for each word from the caller's frame to the oldest one, and for the callee-saved
    // registers. Requires: it is the stack of the calling thread, or has no words.
    template <class Use>
    FREEHOLD_NOINLINE void each_word(Use use) const {
        __builtin_unwind_init();  // saves the registers in this frame, which is above the frame of each_word_above
        each_word_above(use);
        // Not a tail call, which would drop this frame.
        FREEHOLD_PRETEND_ACCESS();
    }

private:
    template <class Use>
    FREEHOLD_NOINLINE void each_word_above(Use& use) const {
        each_word_between(static_cast<const std::byte*>(__builtin_frame_address(0)), base_, use);
    }

    // Not instrumented: between the variables on a stack there are poisoned bytes, and other threads may write to
    // variables.
    template <class Use>
    __attribute__((no_sanitize("address", "thread"))) static void each_word_between(const std::byte* begin,
                                                                                    const std::byte* end, Use& use) {
#ifdef FREEHOLD_ADDRESS_SANITIZER
        // AddressSanitizer may keep variables in frames elsewhere, to find a use after return. What is poisoned there
        // is no variable, but left over.
        void* const frames = __asan_get_current_fake_stack();
#endif
        for (; begin + sizeof(void*) <= end; begin += sizeof(void*)) {
            void* const word = *reinterpret_cast<void* const*>(begin);
            use(word);
#ifdef FREEHOLD_ADDRESS_SANITIZER
            void* first = nullptr;
            void* last = nullptr;
            if (frames == nullptr || __asan_addr_is_in_fake_stack(frames, word, &first, &last) == nullptr) continue;
            for (auto* in = static_cast<void* const*>(first); in < static_cast<void* const*>(last); ++in) {
                if (__asan_address_is_poisoned(in) == 0) use(*in);
            }
#endif
        }
    }

    std::byte* base_ = nullptr;
};

}  // namespace freehold::detail
