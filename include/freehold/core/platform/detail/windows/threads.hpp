#pragma once
// Part of threads.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include "declarations.hpp"

namespace freehold::inline v0_2::detail {

using thread_id = windows_flags;
inline constexpr thread_id no_thread = 0;

[[nodiscard]] inline thread_id this_thread() noexcept { return GetCurrentThreadId(); }

inline void name_this_thread(const char*) noexcept {}

inline void yield() noexcept { SwitchToThread(); }

using native_mutex = windows_lock;

class native_thread {
public:
    [[nodiscard]] bool start(void* (*run)(void* argument), void* argument) noexcept {
        run_ = run;
        argument_ = argument;
        native_ = CreateThread(nullptr, 0, &call, this, 0, nullptr);
        return native_ != nullptr;
    }

    void join() noexcept {
        WaitForSingleObject(native_, windows_infinite);
        CloseHandle(native_);
    }

private:
    static unsigned long __stdcall call(void* self) {
        const auto& started = *static_cast<const native_thread*>(self);
        started.run_(started.argument_);
        return 0;
    }

    void* native_ = nullptr;
    void* (*run_)(void*) = nullptr;
    void* argument_ = nullptr;
};

}  // namespace freehold::detail

#endif
