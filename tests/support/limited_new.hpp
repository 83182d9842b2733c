#pragma once
// limited_new: makes operator new and mmap fail, so that a test sees every allocation of an operation fail in turn.
//
// The program's operator new is replaced, and its calls of mmap are diverted, in exceptions/limited_new.cpp.

namespace support {

// While one exists, operator new in this thread throws std::bad_alloc, and mmap fails, after `allowed` more
// allocations.
class limited_new {
public:
    explicit limited_new(int allowed) noexcept { left_ = allowed; }
    limited_new(const limited_new&) = delete;
    limited_new& operator=(const limited_new&) = delete;
    ~limited_new() { left_ = unlimited; }

    // Returns: whether the next allocation is allowed; counts it.
    [[nodiscard]] static bool allow() noexcept { return left_ == unlimited || (left_ > 0 && left_-- > 0); }

    // Returns: how many blocks this thread has had from operator new and has not freed.
    [[nodiscard]] static long living() noexcept { return living_; }

    // Effects: counts a block that operator new gave, or that was freed.
    static void count(long blocks) noexcept { living_ += blocks; }

private:
    static constexpr int unlimited = -1;
    static inline thread_local int left_ = unlimited;
    static inline thread_local long living_ = 0;
};

}  // namespace support
