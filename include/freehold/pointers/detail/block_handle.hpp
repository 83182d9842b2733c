#pragma once
// What a shared handle holds beside its pointer: the address of a control block, nothing, or the mark of an immortal.

#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "../../core/exceptions.hpp"
#include "control_block.hpp"

namespace freehold::detail {

// The owner of nothing and that of an immortal object have nothing to count. The mark of an immortal is its address
// with the highest bit set, so that one comparison with zero tells both from a block's address.
//
// The address is kept as a number. Beside the pointer of a handle g++ would take a second pointer for one value of 16
// bytes with it, and read both at once. Where they were just written one by one, as when a handle was just made, the
// processor can't forward that from its store buffer, and waits until both writes have reached the cache: a copy or
// move of a new handle then takes three times as long (docs/decisions/0012-a-handle-word-by-word.md).
template <class Counting>
class block_handle {
public:
    constexpr block_handle() noexcept = default;
    block_handle(control_block<Counting>* block) noexcept : word_(reinterpret_cast<std::uintptr_t>(block)) {}

    [[nodiscard]] static block_handle immortal(const void* object) noexcept {
        return block_handle(reinterpret_cast<std::uintptr_t>(object) | ~(~std::uintptr_t{0} >> 1));
    }

    // The handle as an address, for a place that stores one.
    [[nodiscard]] void* address() const noexcept { return reinterpret_cast<void*>(word_); }
    [[nodiscard]] static block_handle at(void* address) noexcept {
        return block_handle(static_cast<control_block<Counting>*>(address));
    }

    // Effects: leaves *this empty. Returns: what it was.
    [[nodiscard]] block_handle take() noexcept { return block_handle(std::exchange(word_, 0)); }

    void swap(block_handle& other) noexcept { std::swap(word_, other.word_); }

    [[nodiscard]] bool is_empty() const noexcept { return word_ == 0; }

    [[nodiscard]] bool is_counted() const noexcept { return static_cast<std::intptr_t>(word_) > 0; }

    // Returns: the block, or a null pointer if there is none.
    [[nodiscard]] control_block<Counting>* block() const noexcept { return is_counted() ? counted() : nullptr; }

    void acquire() const noexcept {
        if (is_counted()) counted()->acquire();
    }

    void release() const noexcept {
        if (is_counted()) counted()->release();
    }

    void acquire_observer() const noexcept {
        if (is_counted()) counted()->acquire_observer();
    }

    void release_observer() const noexcept {
        if (is_counted()) counted()->release_observer();
    }

    // Returns: whether there is an object to count, with one owner and no observer.
    [[nodiscard]] bool is_sole() const noexcept { return is_counted() && counted()->is_sole(); }

    // Effects: acquires an owner if there is an object that has not ended. Returns: whether it did.
    [[nodiscard]] bool try_acquire() const noexcept { return is_counted() ? counted()->try_acquire() : word_ != 0; }

    // Effects: acquires an owner of an object that has not ended. Returns: `object`. Throws: std::bad_weak_ptr.
    template <class T>
    [[nodiscard]] T* kept_alive(T* object) const {
        if (!try_acquire()) raise<std::bad_weak_ptr>();
        return object;
    }

    [[nodiscard]] long owners() const noexcept {
        if (is_counted()) return counted()->owners();
        return word_ == 0 ? 0 : LONG_MAX;
    }

    [[nodiscard]] bool before(block_handle other) const noexcept { return word_ < other.word_; }

    [[nodiscard]] std::size_t hash() const noexcept { return std::hash<std::uintptr_t>()(word_); }

    friend bool operator==(block_handle, block_handle) noexcept = default;

    // Returns: the number that the handle is, for those who latch it.
    [[nodiscard]] std::uintptr_t& word() noexcept { return word_; }

private:
    explicit block_handle(std::uintptr_t word) noexcept : word_(word) {}

    // Requires: is_counted().
    [[nodiscard]] control_block<Counting>* counted() const noexcept {
        return reinterpret_cast<control_block<Counting>*>(word_);
    }

    std::uintptr_t word_ = 0;
};

}  // namespace freehold::detail
