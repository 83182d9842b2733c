#pragma once
// traced_frame: the frame of a coroutine, as an object of a traced heap. traced_promise puts it there.
//
//     struct numbers {
//         struct promise_type : freehold::traced_promise<promise_type> {
//             numbers get_return_object() { return {frame()}; }
//             std::suspend_always initial_suspend() noexcept { return {}; }
//             std::suspend_always final_suspend() noexcept { return {}; }
//             std::suspend_always yield_value(int next) noexcept { value = next; return {}; }
//             void return_void() {}
//             void unhandled_exception() { throw; }
//             int value = 0;
//         };
//         freehold::traced_local<freehold::traced_frame> frame;
//     };
//
//     numbers values_of(freehold::traced_heap&, freehold::traced_local<node> list) {
//         for (; list; list = list->next) co_yield list->value;
//     }
//
// A traced_local in such a coroutine, or among its parameters or in its promise, is a slot of the frame, and no root.
// So a frame is freed when nothing reaches it, also if an object that it holds leads back to it. Then its variables are
// destroyed, as an object's members are. A coroutine that runs on the
// stack of its thread is not freed.
//
// The frame is the heap's, and goes with it from thread to thread. Resume it in the thread that has the heap; in a
// shared_traced_heap, in any thread with a session. A traced_local in it points to objects of the same heap. What else
// the frame holds, such as a std::vector of traced_ptrs, is not found.
//
// Thread safety: one thread at a time uses a frame, which has the heap or a session of it. Exceptions: a call of the
// coroutine throws std::bad_alloc, and what its body throws before it first suspends. Complexity: constant, as
// heap.make. A young collection looks at all traced_locals in frames, and any collection at the words on the stacks of
// the threads that have the heap, for the addresses of frames that run. Cost: 32 bytes before each frame; a
// traced_local in it is in a list.

#include <coroutine>
#include <cstddef>
#include <type_traits>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "detail/frame_list.hpp"
#include "detail/frame_maker.hpp"
#include "detail/heap_checks.hpp"
#include "traced_heap.hpp"
#include "traced_view.hpp"

namespace freehold::inline v0_2 {

class shared_traced_heap;

template <class Promise>
class traced_promise;

class traced_frame {
public:
    traced_frame(const traced_frame&) = delete;
    traced_frame& operator=(const traced_frame&) = delete;
    ~traced_frame() = delete;

    // Returns: whether the coroutine has run to its end, or was destroyed.
    [[nodiscard]] bool done() const noexcept { return record_.coroutine == nullptr || handle().done(); }

    // Effects: the coroutine runs until it suspends. Requires: it is suspended, and not done; the calling thread has
    // the heap, or a session of it. Throws: what the coroutine throws.
    void resume() const {
        expect_usable();
        FREEHOLD_EXPECTS(!done(), "a coroutine is resumed that is done", "freehold::traced_frame");
        handle().resume();
    }

    // Effects: destroys the variables of the coroutine now. Nothing, if that was done before.
    // Requires: it is suspended; the calling thread has the heap, or a session of it.
    void destroy() noexcept {
        expect_usable();
        detail::frame_maker::destroy(record_);
    }

    // Returns: the promise. Requires: the coroutine has a promise of that type, and was not destroyed.
    template <class Promise>
    [[nodiscard]] Promise& promise() const noexcept {
        FREEHOLD_EXPECTS(record_.coroutine != nullptr, "the promise of a coroutine is used that was destroyed",
                         "freehold::traced_frame");
        return std::coroutine_handle<Promise>::from_address(record_.coroutine).promise();
    }

    // Returns: the language's handle, to await the coroutine with. It keeps nothing alive.
    [[nodiscard]] std::coroutine_handle<> handle() const noexcept {
        return std::coroutine_handle<>::from_address(record_.coroutine);
    }

private:
    template <class Promise>
    friend class traced_promise;

    void expect_usable() const noexcept {
        if constexpr (detail::heap_checks::is_on) detail::heap_checks::check_object(this, "freehold::traced_frame");
    }

    detail::frame_record record_;
};

// The base of a promise_type. The coroutine has a parameter `traced_heap&` or `shared_traced_heap&`, which is the heap
// that its frame is in.
template <class Promise>
class traced_promise {
public:
    traced_promise(const traced_promise&) = delete;
    traced_promise& operator=(const traced_promise&) = delete;

    // Always inline: g++ takes a call of this and of operator delete for a mismatched pair.
    template <class... Arguments>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static void* operator new(std::size_t bytes, Arguments&... arguments) {
        constexpr bool has_heap = (is_heap<Arguments> || ...);
        static_assert(has_heap,
                      "freehold: a coroutine with a traced_promise has a parameter traced_heap& or "
                      "shared_traced_heap&");
        if constexpr (has_heap)
            return detail::frame_maker::allocate(traced_promise::heap_among(arguments...), bytes, arguments...);
    }

    // The memory is the heap's.
    // NOLINTNEXTLINE(misc-new-delete-overloads): the other one is a template
    static void operator delete(void* frame, std::size_t /*bytes*/) noexcept {
        detail::frame_record::of(frame).leave();
    }

    // Returns: the frame of this coroutine.
    [[nodiscard]] traced_view<traced_frame> frame() noexcept {
        const auto handle = std::coroutine_handle<Promise>::from_promise(static_cast<Promise&>(*this));
        return traced_view<traced_frame>(reinterpret_cast<traced_frame*>(&detail::frame_record::of(handle.address())));
    }

protected:
    traced_promise() = default;
    ~traced_promise() = default;

private:
    template <class Argument>
    static constexpr bool is_heap =
        std::is_same_v<Argument, traced_heap> || std::is_same_v<Argument, shared_traced_heap>;

    template <class First, class... Rest>
    [[nodiscard]] static auto& heap_among(First& first, Rest&... rest) noexcept {
        if constexpr (is_heap<First>) {
            return first;
        } else {
            return traced_promise::heap_among(rest...);
        }
    }
};

}  // namespace freehold
