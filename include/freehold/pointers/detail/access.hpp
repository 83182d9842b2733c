#pragma once
// The way into the shared pointers for the other owners of Freehold; users have no business here.

#include <type_traits>
#include <utility>

#include "block_handle.hpp"

namespace freehold {

template <class T, class Counting>
class shared_ptr;

template <class T, class Counting>
class weak_ptr;

template <class T>
class managed_ptr;

template <class T, class Counting>
class enable_shared_from_this;

namespace detail {

struct access {
    // Returns: a shared_ptr that takes over one owner that `handle` already counts.
    template <class T, class Counting>
    [[nodiscard]] static shared_ptr<T, Counting> adopt(std::remove_extent_t<T>* object,
                                                       block_handle<Counting> handle) noexcept {
        return shared_ptr<T, Counting>(object, handle);
    }

    // Returns: a weak_ptr that takes over one observer that `handle` already counts.
    template <class T, class Counting>
    [[nodiscard]] static weak_ptr<T, Counting> adopt_observer(std::remove_extent_t<T>* object,
                                                              block_handle<Counting> handle) noexcept {
        return weak_ptr<T, Counting>(object, handle);
    }

    // Returns: where the count of an object is that Thin owns or could own.
    template <class Thin>
    [[nodiscard]] static auto* block_of(typename Thin::element_type* object) noexcept {
        return Thin::block_at(object);
    }

    // Returns: one owner more of such an object.
    template <class Thin>
    [[nodiscard]] static Thin share(typename Thin::element_type* object) noexcept {
        block_of<Thin>(object)->acquire();
        return Thin(object);
    }

    template <class Pointer>
    [[nodiscard]] static auto handle(const Pointer& pointer) noexcept {
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

    // Effects: tells an object that can make owners of itself of its first owner.
    template <class Counting, class Y>
    static void introduce(block_handle<Counting> handle, Y* object) noexcept {
        if constexpr (requires { base_of<Counting>(const_cast<std::remove_cv_t<Y>*>(object)); }) {
            if (object == nullptr) return;
            auto* const plain = const_cast<std::remove_cv_t<Y>*>(object);
            base_of<Counting>(plain)->observe_first(handle, plain);
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

}  // namespace detail
}  // namespace freehold
