#pragma once
// An interpreter with raw pointers, where a collector finds by itself what is dead.

#include <cstdint>
#include <new>

#include "evaluator.hpp"
#include "memory_strategy.hpp"

namespace lab::interpreter {

template <class Strategy>
class uncounted : public collecting<Strategy> {
public:
    template <class T>
    using owner = T*;
    template <class T>
    using field = T*;
    template <class T>
    using view = T*;

    static std::uint64_t run(int times) {
        uncounted form;
        return evaluator<uncounted>(form).run(times);
    }

    static void clear() { Strategy::give_back(); }

    template <class T>
    T* make(const auto&... arguments) {
        return ::new (arena_.template allocator<T>().allocate(1)) T(arguments...);
    }

private:
    typename Strategy::arena arena_;
};

// Only a collector knows which objects are dead.
template <class Strategy>
    requires requires { Strategy::collections(); }
using of = evaluated<uncounted<Strategy>>;

}  // namespace lab::interpreter
