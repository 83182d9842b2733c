#pragma once
// shared_segment: memory that is mapped at several addresses, and by the children of a test.

#include <gtest/gtest.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace support {

#if defined(_WIN32)

using memory_file = HANDLE;

inline memory_file make_memory_file(std::size_t bytes) {
    return CreateFileMappingA(INVALID_HANDLE_VALUE, nullptr, PAGE_READWRITE, 0, static_cast<DWORD>(bytes), nullptr);
}

inline memory_file duplicate(memory_file file) {
    memory_file copy = nullptr;
    const HANDLE process = GetCurrentProcess();
    EXPECT_TRUE(DuplicateHandle(process, file, process, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS));
    return copy;
}

// Returns: null if it fails.
inline void* map(memory_file file, std::size_t bytes) { return MapViewOfFile(file, FILE_MAP_ALL_ACCESS, 0, 0, bytes); }

inline void unmap_and_close(void* begin, std::size_t, memory_file file) {
    UnmapViewOfFile(begin);
    CloseHandle(file);
}

#else

using memory_file = int;

inline memory_file make_memory_file(std::size_t bytes) {
    const memory_file file = ::memfd_create("shared_segment", 0);
    EXPECT_EQ(::ftruncate(file, static_cast<off_t>(bytes)), 0);
    return file;
}

inline memory_file duplicate(memory_file file) { return ::dup(file); }

// Returns: null if it fails.
inline void* map(memory_file file, std::size_t bytes) {
    void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return begin == MAP_FAILED ? nullptr : begin;
}

inline void unmap_and_close(void* begin, std::size_t bytes, memory_file file) {
    ::munmap(begin, bytes);
    ::close(file);
}

#endif

// What a segment of Boost.Interprocess provides to a pool. All that is allocated stays.
class shared_segment {
public:
    explicit shared_segment(std::size_t bytes) : file_(make_memory_file(bytes)), bytes_(bytes) {
        EXPECT_NE(begin_, nullptr);
    }

    // Maps the same memory once more.
    shared_segment(const shared_segment& other)
        : file_(duplicate(other.file_)), bytes_(other.bytes_), allocated_(other.allocated_) {
        EXPECT_NE(begin_, nullptr);
    }
    shared_segment& operator=(const shared_segment&) = delete;

    ~shared_segment() { unmap_and_close(begin_, bytes_, file_); }

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
    memory_file file_;
    std::size_t bytes_;
    std::size_t allocated_ = 0;
    void* begin_ = map(file_, bytes_);
};

}  // namespace support
