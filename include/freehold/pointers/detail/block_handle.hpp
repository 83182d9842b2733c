#pragma once
// What a shared handle holds beside its pointer: the address of a control block, nothing, or the mark of an immortal.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "control_block.hpp"

namespace freehold::detail {

// The owner of nothing and that of an immortal object have nothing to count. The mark of an immortal is its address
// with the highest bit set, so that one comparison with zero tells both from a block's address.
template <class Counting>
class block_handle {
public:
    constexpr block_handle() noexcept = default;
    block_handle(control_block<Counting>* block) noexcept : block_(block) {}

    [[nodiscard]] static block_handle immortal(const void* object) noexcept {
        const auto mark = reinterpret_cast<std::uintptr_t>(object) | ~(~std::uintptr_t{0} >> 1);
        return block_handle(reinterpret_cast<control_block<Counting>*>(mark));
    }

    // The handle as an address, for a place that stores one.
    [[nodiscard]] void* address() const noexcept { return block_; }
    [[nodiscard]] static block_handle at(void* address) noexcept {
        return block_handle(static_cast<control_block<Counting>*>(address));
    }

    // Returns: *this, word by word: of a copied class g++ 12 does not see that it lies beside the other word of a
    // handle, and copies them one by one.
    [[nodiscard]] block_handle copy() const noexcept { return block_handle(block_); }

    [[nodiscard]] bool is_counted() const noexcept { return reinterpret_cast<std::intptr_t>(block_) > 0; }

    // Returns: the block, or a null pointer if there is none.
    [[nodiscard]] control_block<Counting>* block() const noexcept { return is_counted() ? block_ : nullptr; }

    void acquire() const noexcept {
        if (is_counted()) block_->acquire();
    }

    void release() const noexcept {
        if (is_counted()) block_->release();
    }

    void acquire_observer() const noexcept {
        if (is_counted()) block_->acquire_observer();
    }

    void release_observer() const noexcept {
        if (is_counted()) block_->release_observer();
    }

    // Returns: whether there is an object to count, with one owner and no observer.
    [[nodiscard]] bool is_sole() const noexcept { return is_counted() && block_->is_sole(); }

    // Effects: acquires an owner if there is an object that has not ended. Returns: whether it did.
    [[nodiscard]] bool try_acquire() const noexcept { return is_counted() ? block_->try_acquire() : block_ != nullptr; }

    [[nodiscard]] long owners() const noexcept {
        if (is_counted()) return block_->owners();
        return block_ == nullptr ? 0 : std::numeric_limits<long>::max();
    }

    [[nodiscard]] bool before(block_handle other) const noexcept { return std::less<>()(block_, other.block_); }

    [[nodiscard]] std::size_t hash() const noexcept { return std::hash<const void*>()(block_); }

    friend bool operator==(block_handle, block_handle) noexcept = default;

private:
    control_block<Counting>* block_ = nullptr;
};

}  // namespace freehold::detail
