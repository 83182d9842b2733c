#pragma once
// The time in which heap.make constructs an object: no collection may come, and the constructor may throw.

#include <cstddef>
#include <cstring>

#include "heap_checks.hpp"

namespace freehold::inline v0_2::detail {

// Fills a cell whose constructor throws with zeros, which lead nowhere: a conservative stack may still refer to it. If
// the type has a destructor, the cell is not marked to be destroyed.
class unmade_object {
public:
    unmade_object(void* cell, std::size_t bytes, const char* type) noexcept : cell_(cell), bytes_(bytes), type_(type) {}
    unmade_object(const unmade_object&) = delete;
    unmade_object& operator=(const unmade_object&) = delete;
    ~unmade_object() {
        if (cell_ == nullptr) return;
        std::memset(cell_, 0, bytes_);
        heap_checks::note_unmade(cell_, bytes_, type_);
    }

    // Effects: keeps the object as it is.
    void dismiss() noexcept { cell_ = nullptr; }

private:
    void* cell_;
    std::size_t bytes_;
    const char* type_;
};

// Counts the constructors that are running, unless `count` is null.
class construction {
public:
    explicit construction(std::size_t* count) noexcept : count_(count) {
        if (count_ != nullptr) ++*count_;
    }
    construction(const construction&) = delete;
    construction& operator=(const construction&) = delete;
    ~construction() {
        if (count_ != nullptr) --*count_;
    }

private:
    std::size_t* count_;
};

}  // namespace freehold::detail
