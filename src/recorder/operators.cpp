// operator new and delete: those of the C++ library are called, and the malloc or free that they call is recorded as
// theirs. A program that has operators of its own never comes here.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include <dlfcn.h>

#include "hooks.hpp"

using namespace recorder;

namespace {

// Returns the operator that the program would call. The C++ library may have come with a module that was loaded later,
// where RTLD_NEXT does not look.
void* find_operator(const char* name) {
    if (void* const next = dlsym(RTLD_NEXT, name)) return next;
    for (const char* const library : {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"})
        if (void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
            if (void* const found = dlsym(loaded, name)) return found;
    abort();  // who has called us is linked with a library that has it
}

template <class Function>
class operator_of {
public:
    explicit constexpr operator_of(const char* name) : name_(name) {}

    // Returns null before get().
    Function known() const {
        // relaxed: code is there before its address is known
        return reinterpret_cast<Function>(found_.load(std::memory_order_relaxed));
    }

    Function get() {
        if (__builtin_expect(known() == nullptr, 0)) {
            const std::uint8_t caller = std::exchange(current.called_by, 0);  // the loader may call malloc
            found_.store(find_operator(name_), std::memory_order_relaxed);
            current.called_by = caller;
        }
        return known();
    }

private:
    const char* name_;
    std::atomic<void*> found_{nullptr};
};

// Calls an operator, which may throw: then malloc has failed, and nothing is left to be recorded.
template <class Function, class... Arguments>
[[gnu::always_inline]] inline auto call(operator_of<Function>& next, kind what, std::uint64_t frame,
                                        Arguments... arguments) {
    const Function function = next.get();
    if (current.called_by == 0) {  // not operator new for an operator new[]
        current.called_by = what;
        current.frame = frame;
    }
    return function(arguments...);
}

}

#define FRAME reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))
// What is recorded, or may be, is called by a jump, so its caller is that of the operator.
#define RECORDER_NEW(symbol, what, parameters, ...)                                         \
    static constinit operator_of<void*(*)parameters> next##symbol(#symbol);                 \
    static __attribute__((noinline)) void* recorded##symbol parameters {                    \
        void* const block = call(next##symbol, what, FRAME __VA_OPT__(, ) __VA_ARGS__);     \
        current.called_by = 0;                                                              \
        return block;                                                                       \
    }                                                                                       \
    RECORDER_EXPORTED void* symbol parameters {                                             \
        const auto next = next##symbol.known();                                             \
        if (next == nullptr || !is_passed_over(size)) return recorded##symbol(__VA_ARGS__); \
        return next(__VA_ARGS__);                                                           \
    }
#define RECORDER_DELETE(symbol, what, parameters, ...)                                        \
    static constinit operator_of<void(*) parameters> next##symbol(#symbol);                   \
    static __attribute__((noinline)) void recorded##symbol parameters {                       \
        if (block != nullptr) call(next##symbol, what, FRAME __VA_OPT__(, ) __VA_ARGS__);     \
        current.called_by = 0;                                                                \
    }                                                                                         \
    RECORDER_EXPORTED void symbol parameters {                                                \
        const auto next = next##symbol.known();                                               \
        if (next == nullptr || !was_passed_over(block)) return recorded##symbol(__VA_ARGS__); \
        next(__VA_ARGS__);                                                                    \
    }

using size_type = std::size_t;
using alignment_type = std::align_val_t;
using nothrow_type = const std::nothrow_t&;

RECORDER_NEW(_Znwm, made, (size_type size), size)
RECORDER_NEW(_Znam, made_array, (size_type size), size)
RECORDER_NEW(_ZnwmRKSt9nothrow_t, made, (size_type size, nothrow_type tag), size, tag)
RECORDER_NEW(_ZnamRKSt9nothrow_t, made_array, (size_type size, nothrow_type tag), size, tag)
RECORDER_NEW(_ZnwmSt11align_val_t, made_aligned, (size_type size, alignment_type to), size, to)
RECORDER_NEW(_ZnamSt11align_val_t, made_aligned, (size_type size, alignment_type to), size, to)
RECORDER_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, made_aligned, (size_type size, alignment_type to, nothrow_type tag),
             size, to, tag)
RECORDER_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, made_aligned, (size_type size, alignment_type to, nothrow_type tag),
             size, to, tag)

RECORDER_DELETE(_ZdlPv, deleted, (void* block), block)
RECORDER_DELETE(_ZdaPv, deleted_array, (void* block), block)
RECORDER_DELETE(_ZdlPvm, deleted_sized, (void* block, size_type size), block, size)
RECORDER_DELETE(_ZdaPvm, deleted_array, (void* block, size_type size), block, size)
RECORDER_DELETE(_ZdlPvRKSt9nothrow_t, deleted, (void* block, nothrow_type tag), block, tag)
RECORDER_DELETE(_ZdaPvRKSt9nothrow_t, deleted_array, (void* block, nothrow_type tag), block, tag)
RECORDER_DELETE(_ZdlPvSt11align_val_t, deleted_aligned, (void* block, alignment_type to), block, to)
RECORDER_DELETE(_ZdaPvSt11align_val_t, deleted_aligned, (void* block, alignment_type to), block, to)
RECORDER_DELETE(_ZdlPvmSt11align_val_t, deleted_aligned, (void* block, size_type size, alignment_type to), block, size,
                to)
RECORDER_DELETE(_ZdaPvmSt11align_val_t, deleted_aligned, (void* block, size_type size, alignment_type to), block, size,
                to)
