#pragma once
// What a collection looks at before and after it marks: handles and, for a conservative one, the words on the stack.
//
// Each handle is in a list: traced_locals in the list of their thread; traced_root, traced_weak_ptr and ephemeron in a
// list of their heap.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <cstddef>
#include <new>

#include "../../core/annotate.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/static_tls.hpp"

namespace freehold::detail {

// Part of a traced_local. The list of a thread begins with its newest one.
struct local_root {
    const void* object;
    local_root* older;

    FREEHOLD_STATIC_TLS static inline constinit thread_local local_root* newest = nullptr;

    // Effects: removes the root from the list. Requires: it is not the newest one.
    [[gnu::cold, gnu::noinline]] void unlink() noexcept {
        local_root* newer = newest;
        while (newer->older != this) newer = newer->older;
        newer->older = older;
    }
};

// Part of a handle in a list of a heap. It may be anywhere, and be destroyed at any time.
class listed_handle {
public:
    listed_handle() = default;
    listed_handle(const listed_handle&) = delete;
    listed_handle& operator=(const listed_handle&) = delete;
    ~listed_handle() { unlist(); }

    // Effects: becomes the first of the list that begins at `first`.
    void list(listed_handle*& first) noexcept {
        unlist();
        next_ = first;
        if (next_ != nullptr) next_->link_ = &next_;
        link_ = &first;
        first = this;
    }

    void unlist() noexcept {
        if (link_ == nullptr) return;
        *link_ = next_;
        if (next_ != nullptr) next_->link_ = link_;
        link_ = nullptr;
    }

    void clear() noexcept {
        object = nullptr;
        unlist();
    }

    [[nodiscard]] listed_handle* next() const noexcept { return next_; }

    const void* object = nullptr;

private:
    listed_handle* next_ = nullptr;
    listed_handle** link_ = nullptr;  // points to this handle
};

// Part of an ephemeron: the value lives as long as the key, which is `object`.
struct ephemeron_handle : listed_handle {
    const void* value = nullptr;  // null if and only if the key is

    void clear() noexcept {
        value = nullptr;
        listed_handle::clear();
    }
};

// Handles that keep nothing alive. A young collection looks only at those that were set since the last collection.
template <class Handle>
class weak_handles {
public:
    void add(Handle& handle) noexcept { handle.list(young_); }

    // Effects: calls use(handle) for each handle that a collection looks at.
    template <class Use>
    void each(bool full, Use use) const {
        const listed_handle* const lists[] = {young_, full ? old_ : nullptr};
        for (const listed_handle* list : lists) {
            for (; list != nullptr; list = list->next()) use(static_cast<const Handle&>(*list));
        }
    }

    // Effects: clears those for which !keeps(handle); the others are old.
    template <class Keeps>
    void clear_unless(bool full, Keeps keeps) noexcept {
        listed_handle* next = nullptr;
        for (listed_handle* each = full ? old_ : nullptr; each != nullptr; each = next) {
            next = each->next();
            auto& handle = static_cast<Handle&>(*each);
            if (!keeps(handle)) handle.clear();
        }
        while (young_ != nullptr) {
            auto& handle = static_cast<Handle&>(*young_);
            keeps(handle) ? handle.list(old_) : handle.clear();
        }
    }

private:
    listed_handle* young_ = nullptr;
    listed_handle* old_ = nullptr;
};

// The lists of a heap.
struct listed_handles {
    listed_handle* roots = nullptr;
    weak_handles<listed_handle> weak;
    weak_handles<ephemeron_handle> ephemerons;

    // Effects: empties all handles.
    void clear() noexcept {
        while (roots != nullptr) roots->clear();
        weak.clear_unless(true, [](const listed_handle&) { return false; });
        ephemerons.clear_unless(true, [](const ephemeron_handle&) { return false; });
    }
};

// The words on a thread's stack and in its registers, for a conservative collector.
class thread_stack {
public:
    // Effects: finds the stack of the calling thread. Throws: std::bad_alloc if the system does not know it.
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
