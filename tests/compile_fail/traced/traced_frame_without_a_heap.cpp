// expect: a coroutine with a traced_promise has a parameter traced_heap&
#include <freehold/traced/traced_frame.hpp>

#include <coroutine>

struct task {
    struct promise_type : freehold::traced_promise<promise_type> {
        task get_return_object() { return {}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};

task run(int) { co_return; }
