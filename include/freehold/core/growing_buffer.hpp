#pragma once
// A growing array that never throws: it reports failure when memory is short.
//
// It compiles fast: each type of element costs a std::vector 8 ms, and this less than 1.

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

#include "config.hpp"

namespace freehold::inline v0_2::detail {

// Trivially destructible, to be part of a thread-local variable: release() frees the memory.
template <class T>
class growing_buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

    [[nodiscard]] T& operator[](std::size_t i) const noexcept { return begin_[i]; }
    [[nodiscard]] T* begin() const noexcept { return begin_; }
    [[nodiscard]] T* end() const noexcept { return end_; }

    // Requires: !empty().
    [[nodiscard]] T& back() const noexcept { return end_[-1]; }

    // Effects: appends `added`. Returns: false if out of memory.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool push(T added) noexcept {
        if (is_full() && !reserve(2 * size() + 64)) [[unlikely]]
            return false;
        add(added);
        return true;
    }

    // Effects: appends what the other buffer has. Returns: false if out of memory; then nothing is appended.
    [[nodiscard]] bool append(const growing_buffer& other) noexcept {
        if (other.empty()) return true;
        if (!reserve_more(other.size())) return false;
        std::memcpy(end_, other.begin_, other.size() * sizeof(T));
        end_ += other.size();
        return true;
    }

    // Returns: whether the capacity is used up.
    [[nodiscard]] bool is_full() const noexcept { return end_ == limit_; }

    // Effects: appends `added`. Requires: !is_full().
    void add(T added) noexcept { *end_++ = added; }

    // Requires: !empty().
    [[nodiscard]] T pop() noexcept { return *--end_; }

    // Effects: truncates to `length` elements.
    void truncate(std::size_t length) noexcept { end_ = begin_ + length; }

    // Effects: removes the elements from index `first` up to index `last`.
    void erase(std::size_t first, std::size_t last) noexcept {
        if (first == last) return;
        std::memmove(begin_ + first, begin_ + last, (size() - last) * sizeof(T));
        end_ -= last - first;
    }

    // Effects: appends T() until there are `length` elements. Returns: false if out of memory; then nothing is
    // appended. Requires: length >= size().
    [[nodiscard]] bool extend(std::size_t length) noexcept {
        const auto capacity = static_cast<std::size_t>(limit_ - begin_);
        if (length > capacity && !reserve(length > 2 * capacity ? length : 2 * capacity)) return false;
        while (size() < length) add(T());
        return true;
    }

    // Effects: reserves capacity. Returns: false if out of memory.
    FREEHOLD_NOINLINE bool reserve(std::size_t capacity) noexcept {
        if (capacity <= static_cast<std::size_t>(limit_ - begin_)) return true;
        void* const memory = ::operator new(capacity * sizeof(T), std::nothrow);
        if (memory == nullptr) return false;
        auto* const moved = static_cast<T*>(memory);
        const std::size_t length = size();
        if (length != 0) std::memcpy(moved, begin_, length * sizeof(T));
        ::operator delete(begin_);
        begin_ = moved;
        end_ = moved + length;
        limit_ = moved + capacity;
        return true;
    }

    // Effects: reserves capacity for `count` more elements, so that the next ones often have it too.
    // Returns: false if out of memory.
    [[nodiscard]] bool reserve_more(std::size_t count) noexcept {
        const std::size_t needed = size() + count;
        return needed <= static_cast<std::size_t>(limit_ - begin_) || reserve(2 * needed);
    }

    // Effects: empties the buffer and frees its memory.
    void release() noexcept {
        ::operator delete(begin_);
        *this = growing_buffer();
    }

    void swap(growing_buffer& other) noexcept {
        const growing_buffer kept = other;
        other = *this;
        *this = kept;
    }

private:
    T* begin_ = nullptr;
    T* end_ = nullptr;
    T* limit_ = nullptr;
};

// The same with a destructor that releases the memory.
template <class T>
class growing_list : public growing_buffer<T> {
public:
    growing_list() = default;
    growing_list(const growing_list&) = delete;
    growing_list& operator=(const growing_list&) = delete;
    ~growing_list() { this->release(); }
};

}  // namespace freehold::detail
