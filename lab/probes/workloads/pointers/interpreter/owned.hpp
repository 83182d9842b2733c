#pragma once
// An interpreter whose objects own each other. Functions take owners by reference to const.

#include <cstdint>

#include "evaluator.hpp"
#include "pointer_strategy.hpp"

namespace lab::interpreter {

template <class Strategy>
struct owned : collecting<Strategy> {
    template <class T>
    using owner = typename Strategy::template pointer<T>;
    template <class T>
    using field = owner<T>;
    template <class T>
    using view = const owner<T>&;

    static std::uint64_t run(int times) {
        owned form;
        return evaluator<owned>(form).run(times);
    }

    template <class T>
    static owner<T> make(const auto&... arguments) {
        return make_owner<Strategy, T>(arguments...);
    }
};

template <class Strategy>
using node = code<owned<Strategy>>;

// Cycles of owners that are not collected are never freed.
template <class Strategy>
    requires(copies<Strategy, node> && has_weak<Strategy>)
using of = evaluated<owned<Strategy>>;

}  // namespace lab::interpreter
