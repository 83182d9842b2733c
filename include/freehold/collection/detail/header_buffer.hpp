#pragma once
// A growing array of headers that never throws: what has no room is refused.

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "cyclic_header.hpp"

namespace freehold::detail {

// Trivially destructible, as part of a thread's static room: release() frees the memory.
class header_buffer {
public:
    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

    [[nodiscard]] cyclic_header*& operator[](std::size_t i) noexcept { return begin_[i]; }
    [[nodiscard]] cyclic_header** begin() noexcept { return begin_; }
    [[nodiscard]] cyclic_header** end() noexcept { return end_; }

    // Effects: adds `added`. Returns: whether there was room, or more could be had.
    [[nodiscard]] bool push(cyclic_header* added) noexcept {
        if (end_ == limit_ && !reserve(2 * size() + 64)) [[unlikely]]
            return false;
        *end_++ = added;
        return true;
    }

    [[nodiscard]] cyclic_header* pop() noexcept { return *--end_; }

    // Effects: keeps the first so many.
    void truncate(std::size_t length) noexcept { end_ = begin_ + length; }

    // Effects: has room for so many. Returns: whether it has.
    [[gnu::noinline]] bool reserve(std::size_t room) noexcept {
        if (room <= static_cast<std::size_t>(limit_ - begin_)) return true;
        void* const memory = ::operator new(room * sizeof(*begin_), std::nothrow);
        if (memory == nullptr) return false;
        auto* const moved = static_cast<cyclic_header**>(memory);
        const std::size_t length = size();
        if (length != 0) std::memcpy(moved, begin_, length * sizeof(*begin_));
        ::operator delete(begin_);
        begin_ = moved;
        end_ = moved + length;
        limit_ = moved + room;
        return true;
    }

    // Effects: is empty, and keeps no memory.
    void release() noexcept {
        ::operator delete(begin_);
        *this = header_buffer();
    }

    void swap(header_buffer& other) noexcept { std::swap(*this, other); }

private:
    cyclic_header** begin_ = nullptr;
    cyclic_header** end_ = nullptr;
    cyclic_header** limit_ = nullptr;
};

}  // namespace freehold::detail
