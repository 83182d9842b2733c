#pragma once
// An interpreter in a traced heap. Functions take views, and return roots.

#include <freehold/traced/traced_heap.hpp>

#include <cstdint>

#include "evaluator.hpp"

namespace lab::interpreter {

template <class Strategy>
class traced : public collecting<Strategy> {
public:
    template <class T>
    using owner = typename Strategy::template local<T>;
    template <class T>
    using field = freehold::traced_ptr<T>;
    template <class T>
    using view = freehold::traced_view<T>;

    static std::uint64_t run(int times) {
        traced form;
        return evaluator<traced>(form).run(times);
    }

    static void prepare(int) {
        Strategy::fill_nursery([] { run(1); });
    }
    static void clear() { Strategy::give_back(); }

    template <class T>
    owner<T> make(const auto&... arguments) {
        return heap_.template make_unrooted<T>(arguments...);
    }

private:
    freehold::traced_heap& heap_ = Strategy::heap();
};

template <class Strategy>
using of = evaluated<traced<Strategy>>;

}  // namespace lab::interpreter
