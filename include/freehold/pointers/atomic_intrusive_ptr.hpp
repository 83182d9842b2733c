#pragma once
// atomic_intrusive_ptr<T>: an intrusive_ptr that several threads read and write at once.
// std::atomic<freehold::intrusive_ptr<T>> is the same type.
//
// Requires: the count of T may be used by several threads, and intrusive_ptr_add_ref does not throw.
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
#include "intrusive_ptr.hpp"
#include "snapshot_ptr.hpp"

namespace freehold::inline v0_2 {

namespace detail {

template <class T>
struct pointer_word<intrusive_ptr<T>> : object_word<intrusive_ptr<T>> {
    using base = object_word<intrusive_ptr<T>>;
    using pointer = intrusive_ptr<T>;

    [[nodiscard]] static std::uintptr_t take(pointer&& taken, alias_records&) noexcept {
        return base::of(taken.detach());
    }

    [[nodiscard]] static pointer share(std::uintptr_t word) noexcept { return pointer(base::get(word)); }

    static void release(std::uintptr_t word) noexcept { pointer(base::get(word), false).reset(); }

    [[nodiscard]] static std::size_t bytes(std::uintptr_t) noexcept { return sizeof(T); }
};

}  // namespace detail

template <class T>
using atomic_intrusive_ptr = std::atomic<intrusive_ptr<T>>;

}  // namespace freehold

template <class T>
struct std::atomic<freehold::intrusive_ptr<T>> : freehold::detail::atomic_pointer<freehold::intrusive_ptr<T>> {
    using freehold::detail::atomic_pointer<freehold::intrusive_ptr<T>>::atomic_pointer;
    using freehold::detail::atomic_pointer<freehold::intrusive_ptr<T>>::operator=;
};
