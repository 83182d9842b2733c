#pragma once
// Part of unwind.hpp, which has the contracts.

#include "../../../config.hpp"

#if !defined(FREEHOLD_WINDOWS)

#include <unwind.h>

#include "../../unwind.hpp"

namespace freehold::inline v0_2::detail {

inline constexpr bool finds_calls = true;

[[nodiscard]] inline int unwind_calls(void** calls, int most) noexcept {
    struct notes {
        void** calls;
        int most;
        int count;
    } noted{calls, most, 0};
    const auto note = [](::_Unwind_Context* frame, void* to) {
        auto& all = *static_cast<notes*>(to);
        if (all.count == all.most) return ::_URC_END_OF_STACK;
        void* const address = reinterpret_cast<void*>(::_Unwind_GetIP(frame));
        if (address == nullptr) return ::_URC_END_OF_STACK;
        all.calls[all.count++] = address;
        return ::_URC_NO_REASON;
    };
    ::_Unwind_Backtrace(note, &noted);
    return noted.count;
}

}  // namespace freehold::detail

#endif
