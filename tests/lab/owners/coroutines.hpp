#pragma once
// A coroutine that owns what it was given while it waits. Only with -std=c++20.

#if __cpp_impl_coroutine
#include <coroutine>
#include <exception>

#include "ground.hpp"

namespace coroutines {

struct Paused {
    struct promise_type {
        Paused get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<> frame;
};

template <class T>
Paused paused(sp::shared_ptr<T> owner) {
    co_await std::suspend_always();
    ground::expose(&owner);
}

// Returns: the frame, which owns the object until it is destroyed.
template <class T>
std::coroutine_handle<> pause_with(sp::shared_ptr<T> owner) {
    return paused<T>(std::move(owner)).frame;
}

}
#endif
