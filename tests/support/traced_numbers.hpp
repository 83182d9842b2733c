#pragma once
// traced_numbers: a coroutine whose frame is in a traced heap, and which yields numbers.

#include <freehold/traced/traced_frame.hpp>
#include <freehold/traced/traced_local.hpp>

#include <coroutine>

namespace support {

struct traced_numbers {
    struct promise_type : freehold::traced_promise<promise_type> {
        traced_numbers get_return_object() { return {frame()}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int next) noexcept {
            value = next;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { throw; }

        int value = 0;
    };

    freehold::traced_local<freehold::traced_frame> frame;

    // Returns: the next number.
    [[nodiscard]] int next() const {
        frame->resume();
        return frame->promise<promise_type>().value;
    }
};

}  // namespace support
