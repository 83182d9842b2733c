#pragma once
// Retired objects in a list that is linked through the objects: retiring allocates nothing.

#include <utility>

namespace freehold::detail {

// The base of every object that can be retired.
struct retired_object {
    constexpr retired_object() noexcept = default;
    // A copy is not retired.
    constexpr retired_object(const retired_object&) noexcept {}
    constexpr retired_object& operator=(const retired_object&) noexcept { return *this; }
    ~retired_object() = default;

    retired_object* next = nullptr;                       // once retired
    void (*reclaim)(retired_object*) noexcept = nullptr;  // once retired: calls the deleter
};

class retired_list {
public:
    constexpr retired_list() noexcept = default;

    retired_list(retired_list&& other) noexcept
        : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}

    retired_list& operator=(retired_list&&) = delete;
    ~retired_list() = default;

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    void push(retired_object* added) noexcept {
        added->next = first_;
        if (first_ == nullptr) last_ = added;
        first_ = added;
    }

    // Requires: !empty().
    [[nodiscard]] retired_object* pop() noexcept {
        retired_object* const taken = first_;
        first_ = taken->next;
        return taken;
    }

    // Returns: all objects. Effects: empties the list.
    [[nodiscard]] retired_list take() noexcept { return std::move(*this); }

    // Effects: moves all of `added` to this list.
    void append(retired_list&& added) noexcept {
        if (added.empty()) return;
        added.last_->next = first_;
        if (first_ == nullptr) last_ = added.last_;
        first_ = std::exchange(added.first_, nullptr);
    }

    // Returns: the first object, from which the others are linked. Requires: !empty().
    [[nodiscard]] retired_object* first() const noexcept { return first_; }

    // Effects: links `next`, which may be null, behind the last object. Requires: !empty().
    void link_behind(retired_object* next) noexcept { last_->next = next; }

    // Effects: empties the list and calls the deleter of each object, which may retire others.
    void reclaim_all() noexcept {
        while (!empty()) {
            retired_object* const object = pop();
            object->reclaim(object);
        }
    }

private:
    retired_object* first_ = nullptr;
    retired_object* last_ = nullptr;  // unspecified while the list is empty
};

}  // namespace freehold::detail
