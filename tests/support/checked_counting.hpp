#pragma once
// checked_counting: the library's atomic counting under the checker. Repeats can be made as well.
//
// The library counts in plain words (counting/atomic_counting.hpp says why). While that header is read here, the names
// of the builtins stand for operations of the checker: what is checked is the header itself, with its orders. Included
// before all other headers of the library, in each test of a program, which is not linked with tests that count as
// usual.

#include "checked_word.hpp"

#define __atomic_load_n(word, order) (::support::checked_word(word).load(order))
#define __atomic_store_n(word, value, order) (::support::checked_word(word).store(value, order))
#define __atomic_exchange_n(word, value, order) \
    (::support::checked_word(word).update([&](const auto&) { return value; }, order, "exchange"))
#define __atomic_add_fetch(word, n, order) (::support::checked_word(word).add(n, order))
#define __atomic_sub_fetch(word, n, order) (::support::checked_word(word).subtract(n, order))
#define __atomic_compare_exchange_n(word, expected, desired, is_weak, success, failure) \
    (::support::checked_word(word).compare_exchange(expected, desired, is_weak, success, failure))

#include <freehold/counting/atomic_counting.hpp>

#undef __atomic_load_n
#undef __atomic_store_n
#undef __atomic_exchange_n
#undef __atomic_add_fetch
#undef __atomic_sub_fetch
#undef __atomic_compare_exchange_n

#include "repeated_counting.hpp"

namespace support {

using checked_counting = repeated_counting<freehold::atomic_counting>;

}  // namespace support
