#pragma once
// How the object in a control block comes to be and ends: through the user's allocator, or by default-initialisation.

#include <memory>
#include <new>
#include <utility>

namespace freehold::detail {

template <class Allocator, class T>
using rebound = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;

// As allocate_shared has it: by allocator_traits<A>::construct and destroy of the allocator rebound to the object.
struct through_allocator {
    template <class Allocator, class T, class... Arguments>
    static void construct(const Allocator& allocator, T* place, Arguments&&... arguments) {
        rebound<Allocator, T> constructor(allocator);
        std::allocator_traits<rebound<Allocator, T>>::construct(constructor, place,
                                                                std::forward<Arguments>(arguments)...);
    }

    template <class Allocator, class T>
    static void destroy(const Allocator& allocator, T* object) noexcept {
        rebound<Allocator, T> destroyer(allocator);
        std::allocator_traits<rebound<Allocator, T>>::destroy(destroyer, object);
    }
};

// As allocate_shared_for_overwrite has it: the allocator gives the memory alone.
struct for_overwrite {
    template <class Allocator, class T>
    static void construct(const Allocator&, T* place) {
        ::new (static_cast<void*>(place)) T;
    }

    template <class Allocator, class T>
    static void destroy(const Allocator&, T* object) noexcept {
        object->~T();
    }
};

}  // namespace freehold::detail
