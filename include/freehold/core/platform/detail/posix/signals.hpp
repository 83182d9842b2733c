#pragma once
// Part of signals.hpp, which has the contracts.

#include "../../../config.hpp"

#if !defined(FREEHOLD_WINDOWS)

#include <signal.h>

namespace freehold::inline v0_2::detail {

class [[nodiscard]] signals_blocked {
public:
    signals_blocked() noexcept {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;
    ~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

template <void (*Handle)(const void* address) noexcept>
class fault_handler {
public:
    static bool install() noexcept {
        struct sigaction action{};
        action.sa_sigaction = &handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        return ::sigaction(SIGSEGV, &action, &before_[0]) == 0 && ::sigaction(SIGBUS, &action, &before_[1]) == 0;
    }

private:
    static void handle(int signal, siginfo_t* info, void* context) noexcept {
        Handle(info->si_addr);
        struct sigaction& before = before_[signal == SIGBUS ? 1 : 0];
        if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
        if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
        // The access is tried again, and ends the program.
        before.sa_handler = SIG_DFL;
        ::sigaction(signal, &before, nullptr);
    }

    static inline struct sigaction before_[2] = {};  // of SIGSEGV and SIGBUS
};

}  // namespace freehold::detail

#endif
