#pragma once
// checked_word: the compiler's __atomic operations on a plain word, under the checker.

#include <atomic>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>

#include "checked_atomic.hpp"

namespace support {

[[nodiscard]] constexpr std::memory_order order_of(int builtin) {
    switch (builtin) {
        case __ATOMIC_RELAXED: return std::memory_order_relaxed;
        case __ATOMIC_CONSUME: return std::memory_order_consume;
        case __ATOMIC_ACQUIRE: return std::memory_order_acquire;
        case __ATOMIC_RELEASE: return std::memory_order_release;
        case __ATOMIC_ACQ_REL: return std::memory_order_acq_rel;
        default: return std::memory_order_seq_cst;
    }
}

// The operations on a word in plain memory. Outside of an execution they are plain.
template <class T>
class checked_word {
    using place = std::source_location;

public:
    using value_type = std::remove_const_t<T>;

    explicit checked_word(T* word) : word_(const_cast<value_type*>(word)) {}

    [[nodiscard]] value_type load(int order, place where = place::current()) const {
        execution* const run = execution::mine();
        return run == nullptr ? *word_ : value_of<value_type>(run->load(word_, sizeof(T), order_of(order), where));
    }

    void store(value_type value, int order, place where = place::current()) const {
        execution* const run = execution::mine();
        if (run == nullptr) {
            *word_ = value;
        } else {
            run->store(word_, sizeof(T), bits_of(value), order_of(order), where);
        }
    }

    template <class Change>
    value_type update(Change change, int order, const char* what, place where = place::current()) const {
        execution* const run = execution::mine();
        if (run == nullptr) return std::exchange(*word_, change(*word_));
        const auto changed = [&](const atomic_bits& bits) { return bits_of(change(value_of<value_type>(bits))); };
        return value_of<value_type>(run->update(word_, sizeof(T), changed, order_of(order), what, where));
    }

    // Returns: the value before.
    template <class N>
    value_type fetch_add(N n, int order, place where = place::current()) const {
        return update([n](value_type value) { return plus(value, n); }, order, "fetch_add", where);
    }

    // Returns: the new value.
    template <class N>
    value_type add(N n, int order, place where = place::current()) const {
        const auto sum = [n](value_type value) { return plus(value, n); };
        return sum(update(sum, order, "fetch_add", where));
    }
    template <class N>
    value_type subtract(N n, int order, place where = place::current()) const {
        const auto difference = [n](value_type value) { return minus(value, n); };
        return difference(update(difference, order, "fetch_sub", where));
    }

    template <class N>
    bool compare_exchange(value_type* expected, N desired, bool is_weak, int success, int failure,
                          place where = place::current()) const {
        execution* const run = execution::mine();
        if (run != nullptr) {
            atomic_bits seen = bits_of(*expected);
            const bool done = run->compare_exchange(word_, sizeof(T), seen, bits_of(static_cast<value_type>(desired)),
                                                    is_weak, order_of(success), order_of(failure), where);
            if (!done) *expected = value_of<value_type>(seen);
            return done;
        }
        if (*word_ != *expected) {
            *expected = *word_;
            return false;
        }
        *word_ = static_cast<value_type>(desired);
        return true;
    }

private:
    template <class N>
    [[nodiscard]] static value_type plus(value_type value, N n) {
        return static_cast<value_type>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(n));
    }
    template <class N>
    [[nodiscard]] static value_type minus(value_type value, N n) {
        return static_cast<value_type>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(n));
    }

    value_type* word_;
};

}  // namespace support
