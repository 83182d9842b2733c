#pragma once
// Checked preconditions, in builds without NDEBUG, and the handler of their failures.
//
// FREEHOLD_EXPECTS checks a `Requires` that costs no more than a comparison. A failure calls the program's handler. The
// default handler prints the condition, its meaning, the type and the call stack to stderr. Then the program is
// aborted. With NDEBUG nothing is evaluated.
//
// Thread safety: any thread may call any function. Cost: one comparison if the condition holds.

#include <cstdio>
#include <cstdlib>

#include "config.hpp"
#include "platform/call_stack.hpp"

namespace freehold::inline v0_2 {

// A failed precondition.
struct precondition_failure {
    const char* condition;  // the text of the check
    const char* meaning;    // the caller's mistake; empty if the condition says it
    const char* type;       // the class concerned, as in "freehold::shared_ptr<widget>"; empty if unknown
    const char* file;       // the source of the check
    int line;
    const void* place;  // the return address of the check
};

// Called in the thread that violated the precondition, from a noexcept function: a handler that throws calls
// std::terminate. When it returns, the program is aborted. Several threads may call it at once.
using precondition_handler = void (*)(const precondition_failure&);

// Effects: prints the failure and the calls that led to it to stderr.
inline void print_precondition_failure(const precondition_failure& failure) noexcept;

namespace detail {

// One in each shared library that hides its symbols. Changed by the compiler's __atomic operations: <atomic> costs more
// to compile than an intrusive_ptr.
inline constinit precondition_handler current_precondition_handler = nullptr;

}  // namespace detail

// Effects: makes `handler` the program's handler, or print_precondition_failure if it is null.
// Returns: the previous handler, or null.
inline precondition_handler set_precondition_handler(precondition_handler handler) noexcept {
    // release: publishes what the handler reads; acquire: the same for the previous handler
    return __atomic_exchange_n(&detail::current_precondition_handler, handler, __ATOMIC_ACQ_REL);
}

[[nodiscard]] inline precondition_handler get_precondition_handler() noexcept {
    // acquire: pairs with the release of set_precondition_handler
    return __atomic_load_n(&detail::current_precondition_handler, __ATOMIC_ACQUIRE);
}

namespace detail {

[[noreturn]] FREEHOLD_COLD FREEHOLD_NOINLINE inline void precondition_failed(const char* condition, const char* file,
                                                                             int line, const char* meaning = "",
                                                                             const char* type = "") noexcept {
    const precondition_failure failure{condition, meaning, type, file, line, __builtin_return_address(0)};
    const precondition_handler handler = get_precondition_handler();
    (handler != nullptr ? handler : print_precondition_failure)(failure);
    std::abort();
}

}  // namespace detail

FREEHOLD_COLD inline void print_precondition_failure(const precondition_failure& failure) noexcept {
    std::fprintf(stderr, "freehold: precondition failed: %s\n", failure.condition);
    if (failure.meaning[0] != '\0') std::fprintf(stderr, "    %s\n", failure.meaning);
    if (failure.type[0] != '\0') std::fprintf(stderr, "    type: %s\n", failure.type);
    std::fprintf(stderr, "    checked at: %s:%d\n", failure.file, failure.line);
    detail::print_calls_to(failure.place);
}

}  // namespace freehold

// FREEHOLD_EXPECTS(condition, meaning, type): the last two are optional. A macro, to have the text and the place of the
// condition and to vanish with NDEBUG.
#ifdef NDEBUG
#define FREEHOLD_EXPECTS(condition, ...) static_cast<void>(0)
#else
#define FREEHOLD_EXPECTS(condition, ...) \
    ((condition) ? static_cast<void>(0)  \
                 : ::freehold::detail::precondition_failed(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__))
#endif
