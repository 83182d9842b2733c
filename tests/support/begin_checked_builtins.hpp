// From here on the names of the compiler's atomic builtins stand for operations of the checker, until
// end_checked_builtins.hpp. Included any number of times. Requires: checked_word.hpp was included before.

#define __atomic_load_n(word, order) (::support::checked_word(word).load(order))
#define __atomic_store_n(word, value, order) (::support::checked_word(word).store(value, order))
#define __atomic_exchange_n(word, value, order) \
    (::support::checked_word(word).update([&](const auto&) { return value; }, order, "exchange"))
#define __atomic_fetch_add(word, n, order) (::support::checked_word(word).fetch_add(n, order))
#define __atomic_add_fetch(word, n, order) (::support::checked_word(word).add(n, order))
#define __atomic_sub_fetch(word, n, order) (::support::checked_word(word).subtract(n, order))
#define __atomic_compare_exchange_n(word, expected, desired, is_weak, success, failure) \
    (::support::checked_word(word).compare_exchange(expected, desired, is_weak, success, failure))
