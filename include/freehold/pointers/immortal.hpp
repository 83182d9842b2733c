#pragma once
// immortal<T>: an object with static storage that is handed out as a shared_ptr and never counted or destroyed.
//
//     constinit freehold::immortal<settings> defaults{/* arguments */};
//     freehold::shared_ptr<const settings> current = defaults.share();
//
// For the empty node, the default font, the interned name: all threads share it, and its count would be the most
// contended word of the program.
//
// Thread safety: any thread may share it; the user synchronizes access to the object. Exceptions: those of T's
// constructor. Complexity: constant. Cost: a copy of such a pointer reads and writes no memory but the handle.

#include <concepts>
#include <memory>
#include <utility>

#include "../counting/atomic_counting.hpp"
#include "../counting/biased_counting.hpp"
#include "../counting/plain_counting.hpp"
#include "detail/access.hpp"
#include "shared_ptr.hpp"

namespace freehold::inline v0_2 {

template <class T>
class immortal {
public:
    // Effects: constructs the object from the arguments; at compile time for a constinit variable.
    template <class... Arguments>
        requires std::constructible_from<T, Arguments...>
    constexpr explicit immortal(Arguments&&... arguments) : object_(std::forward<Arguments>(arguments)...) {}

    immortal(const immortal&) = delete;
    immortal& operator=(const immortal&) = delete;

    // The object is never destroyed: pointers to it may be used until the last instruction of the process.
    constexpr ~immortal() {}

    [[nodiscard]] constexpr T& get() noexcept { return object_; }

    // Returns: an owner of the object, whose use_count() is the greatest long. It can have weak pointers like any
    // other.
    template <class Counting = atomic_counting>
    [[nodiscard]] shared_ptr<T, Counting> share() noexcept {
        T* const object = std::addressof(object_);
        return detail::access::adopt<T, Counting>(object, detail::block_handle<Counting>::immortal(object));
    }

    // Returns: the same for a local_shared_ptr or a biased_shared_ptr.
    [[nodiscard]] shared_ptr<T, plain_counting> share_local() noexcept { return share<plain_counting>(); }
    [[nodiscard]] shared_ptr<T, biased_counting> share_biased() noexcept { return share<biased_counting>(); }

private:
    union {
        alignas(T) alignas(detail::block_handle<atomic_counting>::immortal_alignment) T object_;
    };
};

}  // namespace freehold
