#pragma once
// Preconditions that are checked in builds without NDEBUG, and what happens where one does not hold.
//
// A `Requires` that costs no more than a comparison is stated with FREEHOLD_EXPECTS. When it does not hold, the handler
// of the program is called. The default handler prints to stderr the condition, what it means, the type, and the
// calls that led there. Then the program is aborted. With NDEBUG nothing is evaluated.
//
// Thread safety: any thread may call any function. Cost: a comparison where the condition holds.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if __has_include(<execinfo.h>)
#define FREEHOLD_BACKTRACE 1
#include <execinfo.h>
#endif

namespace freehold {

// A precondition that does not hold.
struct precondition_failure {
    const char* condition;  // as Freehold's code states it
    const char* meaning;    // what the caller did; empty where the condition says it
    const char* type;       // what it was done to, as in "freehold::shared_ptr<widget>"; empty where that is unknown
    const char* file;       // where Freehold checks it
    int line;
    const void* place;  // the same in the program's code
};

// It is called in the thread that broke the precondition, from a noexcept function: one that throws ends the program by
// std::terminate. When it returns, the program is aborted. Several threads may call it at once.
using precondition_handler = void (*)(const precondition_failure&);

// Effects: prints the failure and the calls that led to it to stderr.
inline void print_precondition_failure(const precondition_failure& failure) noexcept;

namespace detail {

// One in each shared library that hides its symbols. Changed by the compiler's __atomic operations: <atomic> costs more
// to compile than an intrusive_ptr.
inline constinit precondition_handler current_precondition_handler = nullptr;

}  // namespace detail

// Effects: failed preconditions are told to `handler`, or to print_precondition_failure where it is null.
// Returns: the handler before, or null.
inline precondition_handler set_precondition_handler(precondition_handler handler) noexcept {
    // acquire, release: what the handler needs was written before it was set
    return __atomic_exchange_n(&detail::current_precondition_handler, handler, __ATOMIC_ACQ_REL);
}

[[nodiscard]] inline precondition_handler get_precondition_handler() noexcept {
    // acquire: pairs with the release of set_precondition_handler
    return __atomic_load_n(&detail::current_precondition_handler, __ATOMIC_ACQUIRE);
}

namespace detail {

// Effects: prints the calls that led to the place, and the command that turns them into lines of source.
[[gnu::cold, gnu::noinline]] inline void print_calls_to([[maybe_unused]] const void* place) noexcept {
#ifdef FREEHOLD_BACKTRACE
    constexpr int most = 32;
    void* calls[most];
    const int count = ::backtrace(calls, most);
    if (count == 0) return;
    int first = 0;
    while (first < count && calls[first] != place) ++first;
    if (first == count) first = 0;
    char** const described = ::backtrace_symbols(calls, count);
    if (described == nullptr) return;
    std::fprintf(stderr, "    called from:\n");
    for (int i = first; i < count; ++i) std::fprintf(stderr, "        %s\n", described[i]);
    // "PROGRAM(+0x1234) [0x555555555234]", or "PROGRAM() [0x401234]" where it is not relocated
    const int length = static_cast<int>(std::strcspn(described[first], "("));
    std::fprintf(stderr, "    for their lines: addr2line -Cfipe %.*s", length, described[first]);
    for (int i = first; i < count; ++i) {
        const char* const text = described[i];
        if (std::strncmp(text, described[first], static_cast<std::size_t>(length) + 1) != 0) continue;
        unsigned long address = 0;
        // One less: the call stands before the address that it returns to.
        if (std::sscanf(text + length, "(+%lx", &address) == 1 || std::sscanf(text + length, "() [%lx", &address) == 1)
            std::fprintf(stderr, " 0x%lx", address - 1);
    }
    std::fprintf(stderr, "\n");
    std::free(described);
#endif
}

[[noreturn, gnu::cold, gnu::noinline]] inline void precondition_failed(const char* condition, const char* file,
                                                                       int line, const char* meaning = "",
                                                                       const char* type = "") noexcept {
    const precondition_failure failure{condition, meaning, type, file, line, __builtin_return_address(0)};
    const precondition_handler handler = get_precondition_handler();
    (handler != nullptr ? handler : print_precondition_failure)(failure);
    std::abort();
}

}  // namespace detail

[[gnu::cold]] inline void print_precondition_failure(const precondition_failure& failure) noexcept {
    std::fprintf(stderr, "freehold: precondition failed: %s\n", failure.condition);
    if (failure.meaning[0] != '\0') std::fprintf(stderr, "    %s\n", failure.meaning);
    if (failure.type[0] != '\0') std::fprintf(stderr, "    type: %s\n", failure.type);
    std::fprintf(stderr, "    checked at: %s:%d\n", failure.file, failure.line);
    detail::print_calls_to(failure.place);
}

}  // namespace freehold

// FREEHOLD_EXPECTS(condition, meaning, type): the last two may be left out. It is a macro because only a macro sees the
// text and the place of the condition and vanishes with NDEBUG.
#ifdef NDEBUG
#define FREEHOLD_EXPECTS(condition, ...) static_cast<void>(0)
#else
#define FREEHOLD_EXPECTS(condition, ...) \
    ((condition) ? static_cast<void>(0)  \
                 : ::freehold::detail::precondition_failed(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__))
#endif
