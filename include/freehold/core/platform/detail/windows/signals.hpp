#pragma once
// Part of signals.hpp, which has the contracts. Faults are exceptions of the system: the handler is the one for those
// that no function on the stack handles.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <cstdint>

#include "declarations.hpp"

namespace freehold::inline v0_2::detail {

class [[nodiscard]] signals_blocked {
public:
    signals_blocked() noexcept {}  // not defaulted: an object of it is not unused
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;
};

template <void (*Handle)(const void* address) noexcept>
class fault_handler {
public:
    static bool install() noexcept {
        before_ = SetUnhandledExceptionFilter(&handle);
        return true;
    }

private:
    static long __stdcall handle(::_EXCEPTION_POINTERS* pointers) {
        const windows_exception& found = **reinterpret_cast<const windows_exception* const*>(pointers);
        if (found.code == windows_access_violation) Handle(reinterpret_cast<const void*>(found.information[1]));
        constexpr long end_the_program = 0;  // as the system does
        return before_ != nullptr ? before_(pointers) : end_the_program;
    }

    static inline windows_exception_filter before_ = nullptr;
};

}  // namespace freehold::detail

#endif
