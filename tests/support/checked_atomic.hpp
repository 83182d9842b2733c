#pragma once
// checked_atomic, checked_fence and plain: std::atomic, std::atomic_thread_fence and unprotected data under the
// checker.
//
// As large as what they hold, as std::atomic is. Outside of an execution they are plain data.

#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "execution.hpp"

namespace support {

template <class T>
[[nodiscard]] atomic_bits bits_of(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(atomic_bits));
    atomic_bits bits{};
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
[[nodiscard]] T value_of(const atomic_bits& bits) {
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value;
}

template <class T>
class checked_atomic {
    using place = std::source_location;
    using order = std::memory_order;
    using difference = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

public:
    using value_type = T;
    static constexpr bool is_always_lock_free = true;

    constexpr checked_atomic() noexcept : checked_atomic(T()) {}
    constexpr checked_atomic(T value) noexcept : value_(value) {
        if (!std::is_constant_evaluated()) begin();
    }
    checked_atomic(const checked_atomic&) = delete;
    checked_atomic& operator=(const checked_atomic&) = delete;
    constexpr ~checked_atomic() {
        if (!std::is_constant_evaluated()) end();
    }

    [[nodiscard]] T load(order o = order::seq_cst, place where = place::current()) const {
        if (execution* const run = execution::mine()) return value_of<T>(run->load(&value_, sizeof(T), o, where));
        return value_;
    }

    void store(T value, order o = order::seq_cst, place where = place::current()) {
        if (execution* const run = execution::mine()) return run->store(&value_, sizeof(T), bits_of(value), o, where);
        value_ = value;
    }

    T exchange(T value, order o = order::seq_cst, place where = place::current()) {
        return update([value](T) { return value; }, o, "exchange", where);
    }

    T fetch_add(difference n, order o = order::seq_cst, place where = place::current()) {
        return update([n](T value) { return static_cast<T>(value + n); }, o, "fetch_add", where);
    }

    T fetch_sub(difference n, order o = order::seq_cst, place where = place::current()) {
        return update([n](T value) { return static_cast<T>(value - n); }, o, "fetch_sub", where);
    }

    T fetch_or(T n, order o = order::seq_cst, place where = place::current()) {
        return update([n](T value) { return static_cast<T>(value | n); }, o, "fetch_or", where);
    }

    T fetch_and(T n, order o = order::seq_cst, place where = place::current()) {
        return update([n](T value) { return static_cast<T>(value & n); }, o, "fetch_and", where);
    }

    T fetch_xor(T n, order o = order::seq_cst, place where = place::current()) {
        return update([n](T value) { return static_cast<T>(value ^ n); }, o, "fetch_xor", where);
    }

    bool compare_exchange_strong(T& expected, T desired, order success, order failure, place where = place::current()) {
        return compare_exchange(expected, desired, false, success, failure, where);
    }
    bool compare_exchange_strong(T& expected, T desired, order o = order::seq_cst, place where = place::current()) {
        return compare_exchange(expected, desired, false, o, on_failure(o), where);
    }
    bool compare_exchange_weak(T& expected, T desired, order success, order failure, place where = place::current()) {
        return compare_exchange(expected, desired, true, success, failure, where);
    }
    bool compare_exchange_weak(T& expected, T desired, order o = order::seq_cst, place where = place::current()) {
        return compare_exchange(expected, desired, true, o, on_failure(o), where);
    }

    // Returns: the last in modification order, as nobody but the kernel sees it.
    [[nodiscard]] T newest() const { return value_; }

    operator T() const { return load(); }
    T operator=(T value) {
        store(value);
        return value;
    }

private:
    void begin() const noexcept {
        if (execution* const run = execution::mine()) run->begin_lifetime(&value_, sizeof(T), place::current());
    }
    void end() const noexcept {
        if (execution* const run = execution::mine()) run->end_lifetime(&value_, sizeof(T), place::current());
    }

    [[nodiscard]] static constexpr order on_failure(order o) {
        if (o == order::acq_rel) return order::acquire;
        return o == order::release ? order::relaxed : o;
    }

    template <class Change>
    T update(Change change, order o, const char* what, place where) {
        if (execution* const run = execution::mine()) {
            const auto changed = [&](const atomic_bits& bits) { return bits_of(change(value_of<T>(bits))); };
            return value_of<T>(run->update(&value_, sizeof(T), changed, o, what, where));
        }
        return std::exchange(value_, change(value_));
    }

    bool compare_exchange(T& expected, T desired, bool is_weak, order success, order failure, place where) {
        if (execution* const run = execution::mine()) {
            atomic_bits seen = bits_of(expected);
            const bool done =
                run->compare_exchange(&value_, sizeof(T), seen, bits_of(desired), is_weak, success, failure, where);
            if (!done) expected = value_of<T>(seen);
            return done;
        }
        if (value_ != expected) {
            expected = value_;
            return false;
        }
        value_ = desired;
        return true;
    }

    T value_;
};

inline void checked_fence(std::memory_order order, std::source_location where = std::source_location::current()) {
    if (execution* const run = execution::mine()) run->fence(order, where);
}

// Effects: notes that the calling thread wrote or read what is at the address.
inline void wrote(const void* address, std::source_location where = std::source_location::current()) {
    if (execution* const run = execution::mine()) run->wrote_plain(address, where);
}
inline void has_read(const void* address, std::source_location where = std::source_location::current()) {
    if (execution* const run = execution::mine()) run->read_plain(address, where);
}

template <class T>
class plain {
public:
    plain(T value = T()) : value_(std::move(value)) {
        if (execution* const run = execution::mine()) run->begin_plain(&value_, std::source_location::current());
    }
    plain(const plain&) = delete;
    plain& operator=(const plain&) = delete;
    ~plain() {
        if (execution* const run = execution::mine()) {
            run->end_lifetime(&value_, sizeof(T), std::source_location::current());
        }
    }

    [[nodiscard]] const T& get(std::source_location where = std::source_location::current()) const {
        has_read(&value_, where);
        return value_;
    }
    void set(T value, std::source_location where = std::source_location::current()) {
        wrote(&value_, where);
        value_ = std::move(value);
    }

private:
    T value_;
};

}  // namespace support
