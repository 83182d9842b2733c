#pragma once
// counting: the library's atomic counting as a program uses it, the header itself with its orders.
//
// While it is read, the names of the builtins stand for operations of the tool, as in support/checked_counting.hpp.

#include "program.hpp"

#ifdef UNDER_GENMC

// The builtins, under other names; no objects, which GenMC would have to follow.
template <class T>
T tool_load(const T* word, int order) {
    return __atomic_load_n(word, order);
}
template <class T>
void tool_store(T* word, T value, int order) {
    __atomic_store_n(word, value, order);
}
template <class T>
T tool_fetch_add(T* word, T n, int order) {
    return __atomic_fetch_add(word, n, order);
}
template <class T>
bool tool_compare_exchange(T* word, T* expected, T desired, int success, int failure) {
    return __atomic_compare_exchange_n(word, expected, desired, false, success, failure);
}

#else

#include "support/checked_word.hpp"

template <class T>
auto tool_load(T* word, int order) {
    return support::checked_word(word).load(order);
}
template <class T>
void tool_store(T* word, T value, int order) {
    support::checked_word(word).store(value, order);
}
template <class T>
T tool_fetch_add(T* word, T n, int order) {
    return support::checked_word(word).fetch_add(n, order);
}
template <class T>
bool tool_compare_exchange(T* word, T* expected, T desired, int success, int failure) {
    return support::checked_word(word).compare_exchange(expected, desired, false, success, failure);
}

#endif

#ifdef UNDER_GENMC
// Which knows none of these; no count overflows here.
#define __builtin_add_overflow(word, n, result) (*(result) = (word) + (n), false)
#define __builtin_sub_overflow(word, n, result) (*(result) = (word) - (n), false)
#endif

// Before the names below are replaced.
#include <freehold/counting/plain_counting.hpp>

#define __atomic_load_n(word, order) tool_load(word, weakened_load(order))
#define __atomic_store_n(word, value, order) tool_store(word, value, weakened_store(order))
#define __atomic_fetch_add(word, n, order) tool_fetch_add(word, n, weakened_update(order))
#define __atomic_add_fetch(word, n, order) (tool_fetch_add(word, n, weakened_update(order)) + (n))
#define __atomic_sub_fetch(word, n, order) (tool_fetch_add(word, -(n), weakened_update(order)) - (n))
#define __atomic_compare_exchange_n(word, expected, desired, is_weak, success, failure) \
    tool_compare_exchange(word, expected, desired, weakened_update(success), weakened_load(failure))

#include <freehold/counting/atomic_counting.hpp>

#ifdef UNDER_GENMC
#undef __builtin_add_overflow
#undef __builtin_sub_overflow
#endif
#undef __atomic_load_n
#undef __atomic_store_n
#undef __atomic_fetch_add
#undef __atomic_add_fetch
#undef __atomic_sub_fetch
#undef __atomic_compare_exchange_n

struct counting : freehold::atomic_counting {
    using threading = ::threading;
};
