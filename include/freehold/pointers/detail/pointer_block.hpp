#pragma once
// The control block of an object that was made elsewhere: it holds the object's address, its deleter and an allocator.
// Also the cleanup of a managed object, which a control block can take over.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/complete_type.hpp"
#include "block_handle.hpp"
#include "object_block.hpp"

namespace freehold::inline v0_2 {

struct default_deleter;

namespace detail {

// What `delete p` or `delete[] p` does. A type of its own: an owner without a deleter has none to ask for.
// The assertions are behind the functions: a class that fails one has what is before it, and no other error follows.
// They are of a constant: clang explains a concept in six lines more.
template <class T>
struct delete_object {
    void operator()(T* object) const noexcept {
        if constexpr (is_complete<T>) delete object;
    }

    static constexpr bool is_defined = is_complete<T>;
    static_assert(is_defined, "freehold: delete of an incomplete type: include the definition of T here");
};

template <class T>
struct delete_object<T[]> {
    void operator()(T* array) const noexcept {
        if constexpr (is_complete<T>) delete[] array;
    }

    static constexpr bool is_defined = is_complete<T>;
    static_assert(is_defined, "freehold: delete[] of an incomplete type: include the definition of T here");
};

// Whether a deleter calls delete or delete[], and nothing of the user's but a destructor.
template <class Deleter>
inline constexpr bool is_default_deletion = false;

template <class T>
inline constexpr bool is_default_deletion<delete_object<T>> = is_complete<std::remove_extent_t<T>>;
template <class T>
inline constexpr bool is_default_deletion<std::default_delete<T>> = true;
template <>
inline constexpr bool is_default_deletion<default_deleter> = true;

// Whether a class, or a base of it, has an operator delete of its own, which may do anything.
template <class T>
concept has_own_delete = requires(T* object, void* memory) {
    requires requires { T::operator delete(memory); } || requires { T::operator delete(memory, sizeof(T)); } ||
                 requires { T::operator delete(object, std::destroying_delete); } ||
                 requires { T::operator delete(object, std::destroying_delete, sizeof(T)); };
};

// Whether a deleter is known to release no owner of another object.
template <class Deleter>
inline constexpr bool deletes_nothing_else = false;

template <class T>
    requires is_complete<std::remove_extent_t<T>>
inline constexpr bool deletes_nothing_else<delete_object<T>> =
    std::is_trivially_destructible_v<std::remove_extent_t<T>>;

template <class Counting, class Pointer, class Deleter, class Allocator>
class pointer_block final : public typed_block<pointer_block<Counting, Pointer, Deleter, Allocator>, Counting> {
public:
    static constexpr bool destroys_nothing_else = deletes_nothing_else<Deleter>;

    static consteval block_contents contents() {
        constexpr std::size_t place = round_up(sizeof(control_block<Counting>), alignof(Pointer));
        if constexpr (std::is_pointer_v<Pointer>) {
            using object = std::remove_cv_t<std::remove_pointer_t<Pointer>>;
            // Of another deleter's object nothing is asked: it may be incomplete here, and complete later.
            std::size_t bytes = 0;
            if constexpr (is_default_deletion<Deleter>) bytes = sizeof(object);
            return {detail::characters_of("pointer "), place, bytes, detail::name_of<object>()};
        } else {
            return {detail::characters_of("other "), place, 0, detail::name_of<Pointer>()};
        }
    }

    pointer_block(const Allocator& allocator, Pointer pointer, Deleter&& deleter) noexcept
        : pointer_(pointer), allocator_(allocator), deleter_(std::move(deleter)) {}

    void destroy_object() noexcept { deleter_(pointer_); }

    void deallocate() noexcept { block_allocation<pointer_block, Allocator>::free(this, allocator_); }

    [[nodiscard]] void* deleter_of_type(type_key type) noexcept {
        return type == type_key::of<Deleter>() ? static_cast<void*>(std::addressof(deleter_)) : nullptr;
    }

    // Of an array whose length is not known, the first element.
    [[nodiscard]] byte_range deleted() noexcept {
        if constexpr (is_default_deletion<Deleter> && std::is_pointer_v<Pointer>) {
            if constexpr (!has_own_delete<std::remove_pointer_t<Pointer>>) return detail::bytes_of(pointer_);
        }
        return {};
    }

private:
    Pointer pointer_;
    // The deleter last: get_deleter hands it out, and nothing may lie in its padding.
    [[no_unique_address]] Allocator allocator_;
    [[no_unique_address]] Deleter deleter_;
};

// Calls the deleter, unless deactivated.
template <class Pointer, class Deleter>
struct deletion_guard {
    ~deletion_guard() {
        if (active) deleter(pointer);
    }

    Pointer pointer;
    Deleter& deleter;
    bool active = true;
};

// Returns: a control block that owns `pointer`.
// Throws: what the allocation throws; then deleter(pointer) was called.
template <class Counting, class Pointer, class Deleter, class Allocator>
[[nodiscard]] control_block<Counting>* own_pointer(Pointer pointer, Deleter& deleter, const Allocator& allocator) {
    using block = pointer_block<Counting, Pointer, Deleter, Allocator>;
    deletion_guard<Pointer, Deleter> guard{pointer, deleter};
    control_block<Counting>* const control = detail::make_block<block>(allocator, pointer, std::move(deleter));
    guard.active = false;
    return control;
}

// Effects: owner.release(). Returns: a control block that owns what it owned, and its deleter.
// Throws: what the allocation throws; then `owner` is unchanged.
template <class Counting, class Y, class Deleter, class Allocator>
[[nodiscard]] control_block<Counting>* own_unique(std::unique_ptr<Y, Deleter>& owner, const Allocator& allocator) {
    using pointer = typename std::unique_ptr<Y, Deleter>::pointer;
    control_block<Counting>* control;
    if constexpr (std::is_reference_v<Deleter>) {
        // Of a reference_wrapper, std::ref makes another one and none around it. <memory> declares it, for the same
        // purpose; <functional> would be a third more to compile.
        using kept = decltype(std::ref(owner.get_deleter()));
        using block = pointer_block<Counting, pointer, kept, Allocator>;
        control = detail::make_block<block>(allocator, owner.get(), std::ref(owner.get_deleter()));
    } else {
        // The block's constructor moves the deleter, after the allocation: if that throws, `owner` keeps it.
        using block = pointer_block<Counting, pointer, Deleter, Allocator>;
        control = detail::make_block<block>(allocator, owner.get(), std::move(owner.get_deleter()));
    }
    (void)owner.release();
    return control;
}

template <class Manager, class T>
concept manager_of = requires(Manager* manager, T* object) { reclaim_managed_object(manager, object); };

// A deleter that needs no room, or is the address of a function.
template <class Deleter, class T>
concept storable_deleter = (std::is_pointer_v<Deleter> && std::is_function_v<std::remove_pointer_t<Deleter>>) ||
                           (std::is_empty_v<Deleter> && std::default_initializable<Deleter>);

// How to destroy a managed object, in three words: the object, its manager, and a function that knows their types.
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

    // Returns: whether it destroys `object`.
    [[nodiscard]] bool destroys(const volatile void* object) const noexcept {
        return object_ != 0 && object_ == reinterpret_cast<std::uintptr_t>(object);
    }

    [[nodiscard]] bool is_empty() const noexcept { return function_ == nullptr; }

    friend bool operator==(const cleanup&, const cleanup&) noexcept = default;

    // Effects: leaves *this empty. Returns: what it was.
    [[nodiscard]] cleanup take() noexcept {
        // Not all of *this at once: see the members.
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

    // Alternately numbers and pointers: two words of one kind would be read as one of 16 bytes, and a new managed_ptr
    // would be slow to move (docs/decisions/0012-a-handle-word-by-word.md).
    std::uintptr_t object_ = 0;
    function function_ = nullptr;
    std::uintptr_t manager_ = 0;
};

// Runs a managed object's cleanup in a deleter's place.
struct run_cleanup {
    void operator()(std::nullptr_t) const noexcept { kept.run(); }

    cleanup kept;
};

// Effects: empties `managed`. Returns: a handle that owns what it owned: the share itself if it was one.
// Throws: what the allocation throws; then `managed` is unchanged.
template <class Counting, class Allocator>
[[nodiscard]] block_handle<Counting> own_managed(cleanup& managed, const Allocator& allocator) {
    if (managed.is_empty()) return {};
    if (managed.releases_share<Counting>()) return managed.take_share<Counting>();
    using block = pointer_block<Counting, std::nullptr_t, run_cleanup, Allocator>;
    control_block<Counting>* const control = detail::make_block<block>(allocator, nullptr, run_cleanup{managed});
    (void)managed.take();
    return control;
}

}  // namespace detail
}  // namespace freehold
