#pragma once
// The control block of an object that was made elsewhere: holds its address, its deleter and an allocator.

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "cleanup.hpp"
#include "control_block.hpp"
#include "object_block.hpp"

namespace freehold::detail {

// What `delete p` or `delete[] p` does. A type of its own: an owner without a deleter has none to ask for.
template <class T>
struct delete_object {
    void operator()(T* object) const noexcept {
        static_assert(sizeof(T) > 0, "freehold: delete of an incomplete type");
        delete object;
    }
};

template <class T>
struct delete_object<T[]> {
    void operator()(T* array) const noexcept {
        static_assert(sizeof(T) > 0, "freehold: delete[] of an incomplete type");
        delete[] array;
    }
};

// Whether a deleter is known to release no owner of another object.
template <class Deleter>
inline constexpr bool deletes_alone = false;

template <class T>
inline constexpr bool deletes_alone<delete_object<T>> = std::is_trivially_destructible_v<std::remove_extent_t<T>>;

template <class Counting, class Pointer, class Deleter, class Allocator>
class pointer_block final : public typed_block<pointer_block<Counting, Pointer, Deleter, Allocator>, Counting> {
public:
    static constexpr bool ends_alone = deletes_alone<Deleter>;

    pointer_block(const Allocator& allocator, Pointer pointer, Deleter&& deleter) noexcept
        : pointer_(pointer), allocator_(allocator), deleter_(std::move(deleter)) {}

    void destroy_object() noexcept { deleter_(pointer_); }

    void deallocate() noexcept { block_allocation<pointer_block, Allocator>::free(this, allocator_); }

    [[nodiscard]] void* deleter_of_type(type_key type) noexcept {
        return type == type_key::of<Deleter>() ? static_cast<void*>(std::addressof(deleter_)) : nullptr;
    }

private:
    Pointer pointer_;
    // The deleter last: get_deleter hands it out, and nothing may lie in its padding.
    [[no_unique_address]] Allocator allocator_;
    [[no_unique_address]] Deleter deleter_;
};

// Calls the deleter unless ownership was passed on.
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
        // A deleter is moved by the block's constructor, when there is memory: until then `owner` needs it.
        using block = pointer_block<Counting, pointer, Deleter, Allocator>;
        control = detail::make_block<block>(allocator, owner.get(), std::move(owner.get_deleter()));
    }
    (void)owner.release();
    return control;
}

// Runs a managed object's cleanup in a deleter's place.
struct run_cleanup {
    void operator()(std::nullptr_t) const noexcept { kept.run(); }

    cleanup kept;
};

// Effects: empties `managed`. Returns: a handle that owns what it owned, with nothing new where that was a share.
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

}  // namespace freehold::detail
