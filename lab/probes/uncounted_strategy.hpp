#pragma once
// What a strategy of memory for raw lists provides: how uncounted cells are made and freed.
// A strategy header under strategies/uncounted/ defines `struct lab::strategy`, which derives from `lab::uncounted`, is
// a strategy of memory (memory_strategy.hpp) otherwise, and names:
//   frees          false where cells are not freed one by one
//   in_any_order   true where cells may die in any order, and their memory is used again
//   collections()  only where there is a garbage collector: what it has done since it was last asked
//   weak<T>        only where that collector clears pointers: a weak pointer, with lock()
//   session        only where threads may use objects: what each has meanwhile, with lock(mutex) and idle(); and
//                  expect_threads(), which is called before
//   scope          only where what dies together can be freed, or found again, at once: made from an arena before lists
//                  are made in it, and destroyed when they are dead

namespace lab {

struct uncounted {
    static constexpr bool frees = true;
    static constexpr bool in_any_order = false;

    struct scope {
        explicit scope(auto&) {}
    };
};

}  // namespace lab
