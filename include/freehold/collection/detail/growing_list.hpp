#pragma once
// growing_list: a list that says when there is no memory to grow, where throwing is not possible.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace freehold::detail {

template <class T>
class growing_list {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    // Returns: whether there was memory for the item.
    [[nodiscard]] bool push(T item) noexcept {
        if (size_ == capacity_ && !grow()) [[unlikely]]
            return false;
        items_[size_++] = item;
        return true;
    }

    // Requires: !is_empty().
    [[nodiscard]] T pop() noexcept { return items_[--size_]; }

    [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
    void clear() noexcept { size_ = 0; }

    [[nodiscard]] const T* begin() const noexcept { return items_.get(); }
    [[nodiscard]] const T* end() const noexcept { return items_.get() + size_; }

private:
    [[gnu::noinline]] bool grow() noexcept {
        const std::size_t larger = capacity_ == 0 ? 256 : capacity_ * 2;
        std::unique_ptr<T[]> items(new (std::nothrow) T[larger]);
        if (items == nullptr) return false;
        std::copy_n(items_.get(), size_, items.get());
        items_ = std::move(items);
        capacity_ = larger;
        return true;
    }

    std::unique_ptr<T[]> items_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace freehold::detail
