#pragma once
// atomic_thin_ptr<T>: a thin_ptr that several threads read and write at once. std::atomic<freehold::thin_ptr<T>>
// is the same type.
//
// It owns what make_thin made. One that may also refer to a part of an object is an atomic_shared_ptr.
//
// Thread safety: any thread may call any function but constructor and destructor at any time. Lock-free.
// Exceptions: none. Complexity: constant, but compare_exchange and loads may repeat while others write.
// Cost: three words. A load is one locked operation (the count), a snapshot none, a store one and the release of the
// old value. It allocates nothing.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "deferred_releases.hpp"
#include "detail/atomic_pointer.hpp"
#include "snapshot_ptr.hpp"
#include "thin_ptr.hpp"

namespace freehold::inline v0_2 {

namespace detail {

template <class T>
struct pointer_word<thin_ptr<T>> : object_word<thin_ptr<T>> {
    using base = object_word<thin_ptr<T>>;
    using pointer = thin_ptr<T>;

    [[nodiscard]] static std::uintptr_t take(pointer&& taken, alias_records&) noexcept {
        return base::of(std::exchange(access::pointer_of(taken), nullptr));
    }

    [[nodiscard]] static pointer share(std::uintptr_t word) noexcept {
        T* const object = base::get(word);
        return object != nullptr ? access::share<pointer>(object) : pointer();
    }

    static void release(std::uintptr_t word) noexcept { access::block_of<pointer>(base::get(word))->release(); }

    [[nodiscard]] static std::size_t bytes(std::uintptr_t word) noexcept {
        return access::block_of<pointer>(base::get(word))->kind()->bytes;
    }
};

}  // namespace detail

template <class T>
using atomic_thin_ptr = std::atomic<thin_ptr<T>>;

}  // namespace freehold

template <class T>
struct std::atomic<freehold::thin_ptr<T>> : freehold::detail::atomic_pointer<freehold::thin_ptr<T>> {
    using freehold::detail::atomic_pointer<freehold::thin_ptr<T>>::atomic_pointer;
    using freehold::detail::atomic_pointer<freehold::thin_ptr<T>>::operator=;
};
