#pragma once
// How a managed object ends, in three words: the object, who takes it back, and the function that knows their types.

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "control_block.hpp"

namespace freehold::detail {

template <class Manager, class T>
concept manager_of = requires(Manager* manager, T* object) { reclaim_managed_object(manager, object); };

// A deleter that needs no room, or is the address of a function.
template <class Deleter, class T>
concept storable_deleter = (std::is_pointer_v<Deleter> && std::is_function_v<std::remove_pointer_t<Deleter>>) ||
                           (std::is_empty_v<Deleter> && std::default_initializable<Deleter>);

class cleanup {
    using function = void (*)(void* object, void* manager) noexcept;

public:
    constexpr cleanup() noexcept = default;

    template <class T>
    [[nodiscard]] static cleanup deleting(T* object) noexcept {
        static_assert(sizeof(T) > 0, "freehold: managed_ptr of an incomplete type");
        return cleanup(object, nullptr, [](void* o, void*) noexcept { delete static_cast<T*>(o); });
    }

    template <class T, class Manager>
    [[nodiscard]] static cleanup reclaiming(T* object, Manager* manager) noexcept {
        return cleanup(object, manager, [](void* o, void* m) noexcept {
            reclaim_managed_object(static_cast<Manager*>(m), static_cast<T*>(o));
        });
    }

    // Effects: owner.release().
    template <class T, class Deleter>
    [[nodiscard]] static cleanup from(std::unique_ptr<T, Deleter>& owner) noexcept {
        if constexpr (std::is_pointer_v<Deleter>) {
            void* const deleter = reinterpret_cast<void*>(owner.get_deleter());
            return cleanup(owner.release(), deleter,
                           [](void* o, void* d) noexcept { reinterpret_cast<Deleter>(d)(static_cast<T*>(o)); });
        } else {
            return cleanup(owner.release(), nullptr, [](void* o, void*) noexcept { Deleter()(static_cast<T*>(o)); });
        }
    }

    // A share in an object: the handle stands in the manager's place.
    template <class Counting>
    [[nodiscard]] static cleanup releasing(block_handle<Counting> handle) noexcept {
        return cleanup(nullptr, handle.address(), release_share<Counting>);
    }

    // Returns: whether this releases a share that is counted by Counting; then `take_share` recovers it.
    template <class Counting>
    [[nodiscard]] bool releases_share() const noexcept {
        return function_ == release_share<Counting>;
    }

    // Effects: leaves *this empty. Returns: the share. Requires: releases_share<Counting>().
    template <class Counting>
    [[nodiscard]] block_handle<Counting> take_share() noexcept {
        return block_handle<Counting>::at(reinterpret_cast<void*>(take().manager_));
    }

    // Returns: whether it is `object` that ends.
    [[nodiscard]] bool ends(const volatile void* object) const noexcept {
        return object_ != 0 && object_ == reinterpret_cast<std::uintptr_t>(object);
    }

    [[nodiscard]] bool is_empty() const noexcept { return function_ == nullptr; }

    // Effects: leaves *this empty. Returns: what it was.
    [[nodiscard]] cleanup take() noexcept {
        // Not all of *this at once, for the reason that is told at its members.
        return cleanup(object_, std::exchange(function_, nullptr), manager_);
    }

    void run() const noexcept {
        if (function_ != nullptr) function_(reinterpret_cast<void*>(object_), reinterpret_cast<void*>(manager_));
    }

private:
    cleanup(const volatile void* object, const volatile void* manager, function action) noexcept
        : cleanup(reinterpret_cast<std::uintptr_t>(object), action, reinterpret_cast<std::uintptr_t>(manager)) {}

    cleanup(std::uintptr_t object, function action, std::uintptr_t manager) noexcept
        : object_(object), function_(action), manager_(manager) {}

    template <class Counting>
    static void release_share(void*, void* handle) noexcept {
        block_handle<Counting>::at(handle).release();
    }

    // Numbers and pointers by turns: words of one kind would be read as one of 16 bytes, and a managed_ptr that was
    // just made would be slow to move (docs/decisions/0012-a-handle-word-by-word.md).
    std::uintptr_t object_ = 0;
    function function_ = nullptr;
    std::uintptr_t manager_ = 0;
};

}  // namespace freehold::detail
