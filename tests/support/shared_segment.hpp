#pragma once
// shared_segment: memory that is mapped at several addresses, and by the children of a test.

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace support {

// What a segment of Boost.Interprocess provides to a pool. All that is allocated stays.
class shared_segment {
public:
    explicit shared_segment(std::size_t bytes) : file_(::memfd_create("shared_segment", 0)), bytes_(bytes) {
        EXPECT_EQ(::ftruncate(file_, static_cast<off_t>(bytes)), 0);
        map();
    }

    // Maps the same memory once more.
    shared_segment(const shared_segment& other)
        : file_(::dup(other.file_)), bytes_(other.bytes_), allocated_(other.allocated_) {
        map();
    }
    shared_segment& operator=(const shared_segment&) = delete;

    ~shared_segment() {
        ::munmap(begin_, bytes_);
        ::close(file_);
    }

    [[nodiscard]] void* get_address() const { return begin_; }
    [[nodiscard]] std::size_t get_size() const { return bytes_; }

    void* allocate_aligned(std::size_t bytes, std::size_t alignment) {
        const std::size_t at = (allocated_ + alignment - 1) / alignment * alignment;
        if (bytes > bytes_ - at) throw std::bad_alloc();
        allocated_ = at + bytes;
        return static_cast<std::byte*>(begin_) + at;
    }

    // Effects: constructs an object that is never destroyed.
    template <class T, class... Arguments>
    T& make(Arguments&&... arguments) {
        return *std::construct_at(static_cast<T*>(allocate_aligned(sizeof(T), alignof(T))),
                                  std::forward<Arguments>(arguments)...);
    }

    // Returns: the object of another mapping of the memory, or of a copy of it, in this one.
    template <class T>
    [[nodiscard]] T& here(T& elsewhere, const shared_segment& other) const {
        const auto distance = reinterpret_cast<std::byte*>(&elsewhere) - static_cast<std::byte*>(other.begin_);
        return *reinterpret_cast<T*>(static_cast<std::byte*>(begin_) + distance);
    }

    // Effects: makes this memory a copy of the other. Requires: it is as large.
    void copy(const shared_segment& other) { std::memcpy(begin_, other.begin_, bytes_); }

    [[nodiscard]] bool equals(const shared_segment& other) const {
        return std::memcmp(begin_, other.begin_, bytes_) == 0;
    }

private:
    void map() {
        begin_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
        EXPECT_NE(begin_, MAP_FAILED);
    }

    int file_;
    std::size_t bytes_;
    std::size_t allocated_ = 0;
    void* begin_ = nullptr;
};

}  // namespace support
