#pragma once
// A growing array that never throws: what has no room is refused.

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace freehold::detail {

// Trivially destructible, as part of a thread's static room: release() frees the memory.
template <class T>
class growing_buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

    [[nodiscard]] T& operator[](std::size_t i) noexcept { return begin_[i]; }
    [[nodiscard]] T* begin() const noexcept { return begin_; }
    [[nodiscard]] T* end() const noexcept { return end_; }

    // Effects: adds `added`. Returns: whether there was room, or more could be had.
    [[nodiscard, gnu::always_inline]] bool push(T added) noexcept {
        if (is_full() && !reserve(2 * size() + 64)) [[unlikely]]
            return false;
        add(added);
        return true;
    }

    // Returns: whether there is no room for another.
    [[nodiscard]] bool is_full() const noexcept { return end_ == limit_; }

    // Effects: adds `added`. Requires: !is_full().
    void add(T added) noexcept { *end_++ = added; }

    // Requires: !empty().
    [[nodiscard]] T pop() noexcept { return *--end_; }

    // Effects: keeps the first so many.
    void truncate(std::size_t length) noexcept { end_ = begin_ + length; }

    // Effects: has room for so many. Returns: whether it has.
    [[gnu::noinline]] bool reserve(std::size_t room) noexcept {
        if (room <= static_cast<std::size_t>(limit_ - begin_)) return true;
        void* const memory = ::operator new(room * sizeof(T), std::nothrow);
        if (memory == nullptr) return false;
        auto* const moved = static_cast<T*>(memory);
        const std::size_t length = size();
        if (length != 0) std::memcpy(moved, begin_, length * sizeof(T));
        ::operator delete(begin_);
        begin_ = moved;
        end_ = moved + length;
        limit_ = moved + room;
        return true;
    }

    // Effects: is empty, and keeps no memory.
    void release() noexcept {
        ::operator delete(begin_);
        *this = growing_buffer();
    }

    void swap(growing_buffer& other) noexcept { std::swap(*this, other); }

private:
    T* begin_ = nullptr;
    T* end_ = nullptr;
    T* limit_ = nullptr;
};

// The same for those that are destroyed.
template <class T>
class growing_list : public growing_buffer<T> {
public:
    growing_list() = default;
    growing_list(const growing_list&) = delete;
    growing_list& operator=(const growing_list&) = delete;
    ~growing_list() { this->release(); }
};

}  // namespace freehold::detail
