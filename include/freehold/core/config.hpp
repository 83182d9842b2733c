#pragma once
// The language, the system and the processor that a program is built for, and attributes that not every compiler has.
//
// Whatever else asks the system or the processor is in core/platform/. Each header there documents an interface that
// knows no system, and then includes what one system does for it, from the folder of that name in
// core/platform/detail/. The system is chosen here. Another one is another folder; no other header changes.

// For compilers that are told to compile older C++: a header that does not exist. They stop there, while after an
// #error they go on through all that they do not understand.
#if __cplusplus < 202002L
#include <freehold_needs_cplusplus_20_compile_with_std_c++20>
#endif

#if defined(__linux__)
#define FREEHOLD_LINUX 1
#elif defined(_WIN64)
#define FREEHOLD_WINDOWS 1
#elif defined(__APPLE__)
#define FREEHOLD_MACOS 1
#else
#error "Freehold needs Linux, Windows with 64 bits, or macOS: include/freehold/core/platform/ has no other system"
#endif

// FREEHOLD_THREAD_SANITIZER: the file is compiled for ThreadSanitizer.
#if defined(__SANITIZE_THREAD__)
#define FREEHOLD_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FREEHOLD_THREAD_SANITIZER 1
#endif
#endif

// FREEHOLD_UNWATCHED: of a function whose reads ThreadSanitizer does not see. It is inlined in other programs.
#ifdef FREEHOLD_THREAD_SANITIZER
#define FREEHOLD_UNWATCHED [[gnu::no_sanitize_thread]] FREEHOLD_NOINLINE
#else
#define FREEHOLD_UNWATCHED FREEHOLD_ALWAYS_INLINE
#endif

// FREEHOLD_HIDDEN: each module has its own. FREEHOLD_SHARED: the modules of a program share it, whatever visibility
// they are built with. On Windows a module has its own of all.
#if defined(FREEHOLD_WINDOWS)
#define FREEHOLD_HIDDEN
#define FREEHOLD_SHARED
#else
#define FREEHOLD_HIDDEN [[gnu::visibility("hidden")]]
#define FREEHOLD_SHARED [[gnu::visibility("default")]]
#endif

// FREEHOLD_SYMBOL(name) after a variable: what the linker calls it. FREEHOLD_THREAD_SYMBOL(name): of a thread-local
// one, except where g++ emulates these, on Windows: there the assembler refuses what g++ makes of the name.
#define FREEHOLD_SYMBOL(name) __asm__(name)
#if defined(FREEHOLD_WINDOWS)
#define FREEHOLD_THREAD_SYMBOL(name)
#else
#define FREEHOLD_THREAD_SYMBOL(name) FREEHOLD_SYMBOL(name)
#endif

// FREEHOLD_PRETEND_USE(value): the compiler takes the value for one that is used, and what it points to for known
// elsewhere. FREEHOLD_PRETEND_ACCESS(): it takes this for an access to all memory, so that no call before is a tail
// call. Neither is an instruction.
#define FREEHOLD_PRETEND_USE(value) __asm__ volatile("" : : "r"(value))
#define FREEHOLD_PRETEND_ACCESS() __asm__ volatile("" : : : "memory")

// FREEHOLD_FORGET_ORIGIN(pointer): the compiler takes the pointer for any other one of the same value, which may point
// beyond the object that it came from. No instruction.
#define FREEHOLD_FORGET_ORIGIN(pointer) __asm__("" : "+r"(pointer))

// FREEHOLD_CLEAR_PADDING(object): sets the bytes between the members of *object to 0. Only where the compiler can.
#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
#define FREEHOLD_CLEAR_PADDING(object) __builtin_clear_padding(object)
#endif
#endif

// FREEHOLD_ALWAYS_INLINE, FREEHOLD_NOINLINE and FREEHOLD_COLD before a declaration; FREEHOLD_UNREACHABLE(): the
// compiler may take for granted that control never gets here; FREEHOLD_PREFETCH(address) or (address, 1): it will be
// read soon, or written.
// Visual C++'s names were never compiled: core/platform/ has no file for it.
#if defined(_MSC_VER) && !defined(__clang__)
#define FREEHOLD_ALWAYS_INLINE [[msvc::forceinline]]
#define FREEHOLD_NOINLINE [[msvc::noinline]]
#define FREEHOLD_COLD
#define FREEHOLD_UNREACHABLE() __assume(false)
#define FREEHOLD_PREFETCH(...) static_cast<void>(0)
#else
#define FREEHOLD_ALWAYS_INLINE [[gnu::always_inline]]
#define FREEHOLD_NOINLINE [[gnu::noinline]]
#define FREEHOLD_COLD [[gnu::cold]]
#define FREEHOLD_UNREACHABLE() __builtin_unreachable()
#define FREEHOLD_PREFETCH(...) __builtin_prefetch(__VA_ARGS__)
#endif

// FREEHOLD_STATIC_TLS: a thread-local variable that is accessed without a call.
#if defined(__PIC__) && !defined(__PIE__) && defined(FREEHOLD_LINUX)
// In a shared library these variables take static TLS in each thread, a few hundred bytes in all, and each access saves
// a call (68 instructions become 39 for making and destroying a shared object, g++ 12).
#define FREEHOLD_STATIC_TLS [[gnu::tls_model("initial-exec")]]
#else
#define FREEHOLD_STATIC_TLS
#endif

// FREEHOLD_FORMAT(text, first): the parameters of these numbers are a format of std::printf and its first argument.
#if defined(FREEHOLD_WINDOWS) && !defined(__clang__)
#define FREEHOLD_FORMAT(text, first) [[gnu::format(gnu_printf, text, first)]]  // or %zu is unknown
#else
#define FREEHOLD_FORMAT(text, first) [[gnu::format(printf, text, first)]]
#endif

// FREEHOLD_DEBUGGER_SCRIPT before a constant: gdb reads it. There is no gdb for macOS.
#if defined(FREEHOLD_LINUX)
#define FREEHOLD_DEBUGGER_SCRIPT [[gnu::section(".debug_gdb_scripts"), gnu::used, gnu::retain, gnu::aligned(1)]]
#elif defined(FREEHOLD_WINDOWS)
#define FREEHOLD_DEBUGGER_SCRIPT [[gnu::section(".debug_gdb_scripts"), gnu::used, gnu::aligned(1)]]
#else
#define FREEHOLD_DEBUGGER_SCRIPT [[maybe_unused]]
#endif

// FREEHOLD_LIFETIME_BOUND after a parameter: the result, or the constructed object, refers to that argument. clang then
// warns if the argument is a temporary that is destroyed earlier.
#if defined(__clang__)
#define FREEHOLD_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define FREEHOLD_LIFETIME_BOUND
#endif

// FREEHOLD_TRIVIAL_ABI lets clang pass small owners in registers, if FREEHOLD_PASS_IN_REGISTERS is defined.
//
// A trivially relocatable class can be passed by value in registers if the called function runs its destructor. clang
// has an attribute for it, g++ has not. It changes the calling convention, also of the library's inline functions, so
// clang must compile all of a program with the same setting.
#if defined(FREEHOLD_PASS_IN_REGISTERS) && defined(__clang__)
#define FREEHOLD_TRIVIAL_ABI [[clang::trivial_abi]]
#else
#define FREEHOLD_TRIVIAL_ABI
#endif

namespace freehold::inline v0_2::detail {

// Whether FREEHOLD_HARDENED is defined, in all files of a program or in none. The one predicate for what only a
// hardened program does. The macro itself is asked where a header would bring others, or a symbol has another name.
#ifdef FREEHOLD_HARDENED
inline constexpr bool is_hardened = true;
#else
inline constexpr bool is_hardened = false;
#endif

// FREEHOLD_WITHOUT_NAMES: no control block has a name that says its object's type. A file of the program that is
// compiled without it may still name the kinds of block that it uses.
#ifdef FREEHOLD_WITHOUT_NAMES
inline constexpr bool names_blocks = false;
#else
inline constexpr bool names_blocks = true;
#endif

static_assert(sizeof(void*) == 4 || sizeof(void*) == 8, "Freehold needs addresses of 32 or 64 bits");

}  // namespace freehold::detail
