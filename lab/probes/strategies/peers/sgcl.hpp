#pragma once
// SGCL: sgcl::tracked_ptr, which leads to an object that a collector frees. It marks and sweeps in a thread of its own.

#include <sgcl/sgcl.h>

#include <utility>

#include "../../pointer_strategy.hpp"
#include "../../text.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = "SGCL " LAB_TEXT(FREEHOLD_SGCL_COMMIT);
    static constexpr bool collects_in_threads = true;

    template <class T>
    using pointer = sgcl::tracked_ptr<T>;

    template <class T>
    using vector = sgcl::vector<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return sgcl::make_tracked<T>(std::forward<Arguments>(arguments)...);
    }

    static void clear() { sgcl::collector::force_collect(true); }
};

}  // namespace lab
