#pragma once
// Destruction of any depth in constant stack and without allocation.
//
// Destroying an object may release the last owner of another, and so on along a chain of any length. Up to a bounded
// depth destructors nest, as the standard has it; beyond, an expired object joins a list, which the outermost
// destruction drains: such an object's destructor runs after the release of its last owner has returned. Where the
// link is kept is the business of the list.

#include "../../core/config.hpp"
#include "../../core/platform/thread_local.hpp"

namespace freehold::inline v0_2::detail {

// One in each thread for each kind of object that shares a List: push(object) adds one to destroy later, or
// returns false; destroy_one() removes one and destroys it; empty() says whether there is any.
template <class List>
class destruction_depth {
public:
    // Effects: calls destroy(object) now, or leaves the object to the outermost call in this thread.
    template <class Object, class Destroy>
    FREEHOLD_ALWAYS_INLINE static void run(Object* object, Destroy destroy) noexcept {
        if (enter() < 0) [[unlikely]]
            return run_deep(object, destroy);
        nest(object, destroy);
    }

private:
    // Deep enough that trees are destroyed as they always were, and shallow enough for the smallest of stacks.
    static constexpr int max_depth = 64;

    // Requires: levels_left counts this level.
    template <class Object, class Destroy>
    FREEHOLD_ALWAYS_INLINE static void nest(Object* object, Destroy destroy) noexcept {
        destroy(object);
        // Asked first: which level is the outermost depends on the data, and is harder to predict.
        if (leave()) [[unlikely]]
            drain_if_outermost();
    }

    // Returns: how many levels are left below this one.
    FREEHOLD_PER_THREAD_ACCESS static int enter() noexcept { return --levels_left; }

    // Returns: whether the list has objects.
    FREEHOLD_PER_THREAD_ACCESS static bool leave() noexcept {
        ++levels_left;
        return !list.empty();
    }

    // Out of line, so that the common path saves no register for it.
    template <class Object, class Destroy>
    FREEHOLD_NOINLINE FREEHOLD_COLD static void run_deep(Object* object, Destroy destroy) noexcept {
        if (!list.push(object)) return nest(object, destroy);
        ++levels_left;
    }

    FREEHOLD_NOINLINE static void drain_if_outermost() noexcept {
        if (levels_left != max_depth) return;
        --levels_left;
        while (!list.empty()) list.destroy_one();
        ++levels_left;
    }

    // Counts down, so that one instruction counts a level and shows by its sign that there is none left.
    FREEHOLD_STATIC_TLS static inline constinit thread_local int levels_left = max_depth;
    FREEHOLD_STATIC_TLS static inline constinit thread_local List list{};
};

}  // namespace freehold::detail
