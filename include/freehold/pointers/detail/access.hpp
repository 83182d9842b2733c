#pragma once
// access: the way into the shared pointers for the other owners of Freehold; not for users.

#include <concepts>
#include <type_traits>

#include "../../core/config.hpp"
#include "../../fwd.hpp"
#include "block_handle.hpp"

namespace freehold::inline v0_2 {

namespace detail {

struct access {
    // Returns: a shared_ptr that takes over one owner that `handle` already counts.
    template <class T, class Counting>
    [[nodiscard]] static shared_ptr<T, Counting> adopt(std::remove_extent_t<T>* object,
                                                       block_handle<Counting> handle) noexcept {
        return shared_ptr<T, Counting>(object, handle);
    }

    // Returns: a weak_ptr that takes over one weak pointer that `handle` already counts.
    template <class T, class Counting>
    [[nodiscard]] static weak_ptr<T, Counting> adopt_weak(std::remove_extent_t<T>* object,
                                                          block_handle<Counting> handle) noexcept {
        return weak_ptr<T, Counting>(object, handle);
    }

    // Returns: the control block of an object that Thin owns or could own.
    template <class Thin>
    [[nodiscard]] static auto* block_of(typename Thin::element_type* object) noexcept {
        return Thin::block_at(object);
    }

    // Returns: another owner of such an object.
    template <class Thin>
    [[nodiscard]] static Thin share(typename Thin::element_type* object) noexcept {
        block_of<Thin>(object)->acquire();
        return Thin(object);
    }

    // Returns: an owner of what `weak` refers to. Throws: std::bad_weak_ptr if it has none.
    template <class Weak>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static auto owner_of(const Weak& weak) {
        return weak.template acquire<typename Weak::otherwise_raise>();
    }

    template <class Pointer>
    [[nodiscard]] static auto handle(const Pointer& pointer) noexcept -> decltype(pointer.handle_) {
        return pointer.handle_;
    }

    template <class Pointer>
    [[nodiscard]] static auto& handle_of(Pointer& pointer) noexcept {
        return pointer.handle_;
    }

    // Effects: leaves `pointer` empty without releasing. Returns: what it held.
    template <class Pointer>
    [[nodiscard]] static auto release(Pointer& pointer) noexcept {
        pointer.pointer_ = nullptr;
        return pointer.handle_.take();
    }

    template <class Pointer>
    [[nodiscard]] static auto& cleanup_of(Pointer& pointer) noexcept {
        return pointer.cleanup_;
    }

    template <class Pointer>
    [[nodiscard]] static auto& pointer_of(Pointer& pointer) noexcept {
        return pointer.pointer_;
    }

    // Effects: gives an object that can make owners of itself a weak pointer to itself.
    template <class Counting, class Y>
    static void introduce(block_handle<Counting> handle, Y* object) noexcept {
        if constexpr (requires { base_of<Counting>(const_cast<std::remove_cv_t<Y>*>(object)); }) {
            if (object == nullptr) return;
            auto* const plain = const_cast<std::remove_cv_t<Y>*>(object);
            base_of<Counting>(plain)->keep_weak(handle, plain);
        }
    }

private:
    // Chosen for objects with one accessible base that makes owners of them.
    template <class Counting, class U>
    static const enable_shared_from_this<U, Counting>* base_of(
        const enable_shared_from_this<U, Counting>* base) noexcept {
        return base;
    }
};

// A shared_ptr or weak_ptr that counts by Counting.
template <class Pointer, class Counting>
concept counted_by = requires(const Pointer& pointer) {
    { access::handle(pointer) } -> std::same_as<block_handle<Counting>>;
};

}  // namespace detail
}  // namespace freehold
