#pragma once
// What a strategy of memory provides. A strategy header under strategies/ defines `struct lab::strategy`,
// which derives from `lab::allocating` and names:
//   library        what it is, as text: proof of which library was compiled in
//   arena          where memory comes from: default constructible, with
//                      allocator<T>()   a standard allocator of its memory
//   buffer_arena   only where memory can come from a buffer alone: constructed from its address and size in bytes
//   reuses         false where what was freed is not allocated again
//   winks_out      true where the end of an arena frees what was not freed
//   give_back()    only where memory is kept when all of it is free and no arena is left

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <optional>
#include <utility>

namespace lab {

struct allocating {
    static constexpr bool reuses = true;
    static constexpr bool winks_out = false;
    static void give_back() {}
};

// An arena for those that need none: every allocator of the type is as good as another.
template <template <class> class Allocator>
struct common_arena {
    template <class T>
    Allocator<T> allocator() {
        return {};
    }
};

// A memory resource behind the virtual calls of std::pmr.
template <class Resource>
class polymorphic_arena {
public:
    template <class... Arguments>
    explicit polymorphic_arena(Arguments&&... arguments) : resource_(std::forward<Arguments>(arguments)...) {}

    template <class T>
    std::pmr::polymorphic_allocator<T> allocator() {
        return &resource_;
    }

    Resource& resource() { return resource_; }

private:
    Resource resource_;
};

// Takes what a list of 500'000 numbers takes, and is warm when it is used again.
inline std::byte large_buffer[std::size_t{16} << 20];

template <class Arena, class T>
using allocator_of = decltype(std::declval<Arena&>().template allocator<T>());

// Has the arena give back what is free, where its resource can be asked to.
template <class Arena>
void trim(Arena& arena) {
    if constexpr (requires { arena.resource().trim(); }) {
        arena.resource().trim();
    }
}

// The arena that the points of a workload share: made by the first of them.
template <class Strategy>
struct kept_arena {
    static inline std::optional<typename Strategy::arena> arena;

    static typename Strategy::arena& get() {
        if (!arena) {
            arena.emplace();
        }
        return *arena;
    }

    static void rest() { trim(get()); }

    static void clear() {
        arena.reset();
        Strategy::give_back();
    }
};

}  // namespace lab
