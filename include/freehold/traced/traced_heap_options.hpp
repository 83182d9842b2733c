#pragma once
// traced_heap_options: when a traced heap collects, what is a root, and a callback for its collections.
//
//     freehold::traced_heap_options options;
//     options.on_collection = [](const freehold::traced_collection& done) { log(done.pause); };
//     freehold::traced_heap heap(options);
//
// Copies of the options share the callback. A default-constructed traced_heap has the values below.

#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>  // brings the durations and the clock, for a tenth of what <chrono> costs
#include <type_traits>
#include <utility>

#include "../core/config.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// Any function that takes an Argument: std::function, without the cost of including <functional>.
// Copies share the function.
template <class Argument>
class callback {
public:
    callback() = default;
    callback(std::nullptr_t) noexcept {}

    template <class Function>
        requires(!std::same_as<std::remove_cvref_t<Function>, callback> &&
                 std::is_invocable_v<std::decay_t<Function>&, Argument>)
    callback(Function&& function)
        : function_(std::make_shared<std::decay_t<Function>>(std::forward<Function>(function))),
          call_([](void* called, Argument argument) {
              static_cast<void>((*static_cast<std::decay_t<Function>*>(called))(static_cast<Argument>(argument)));
          }) {}

    [[nodiscard]] explicit operator bool() const noexcept { return call_ != nullptr; }

    // Requires: there is a function.
    void operator()(Argument argument) const { call_(function_.get(), static_cast<Argument>(argument)); }

private:
    std::shared_ptr<void> function_;
    void (*call_)(void*, Argument) = nullptr;
};

}  // namespace detail

// What a traced heap does while the program waits.
enum class traced_pause {
    young,      // a young collection
    full,       // a full one
    mark_step,  // a step of a full marking
    last_step,  // the end of one: a young collection, after which the objects that were not reached are dead
    sweep_step  // destroys some of them
};

// A pause, as on_collection receives it.
struct traced_collection {
    bool is_full;  // not only young objects die: all that can't be reached, or after last_step most of them
    std::chrono::steady_clock::time_point started;
    std::chrono::nanoseconds pause;  // without the finalizers
    std::size_t surviving_objects;   // in a young collection, only the young ones; in a step none
    std::size_t surviving_bytes;
    std::size_t live_bytes;      // of all objects that survived this or an earlier collection
    std::size_t heap_bytes;      // of memory that the heap has taken
    std::size_t external_bytes;  // that the objects own outside of the heap, as far as is known
    traced_pause kind;
    std::size_t work;                        // the objects that were traced or destroyed, which pause_budget bounds
    std::chrono::nanoseconds stopping = {};  // of the pause, until all sessions of a shared_traced_heap had stopped
};

struct traced_heap_options {
    // A young collection comes after this many bytes of allocation. A smaller nursery promotes more; one that exceeds
    // the processor's caches is slow to write. In a shared_traced_heap each session that allocates has as many, up to
    // max_nursery_bytes together.
    std::size_t nursery_bytes = std::size_t{4} * 1024 * 1024;

    // If at least three quarters of the young bytes survived a collection, the next one is deferred, up to this many
    // bytes, in a shared_traced_heap for each session: there are fewer collections, with longer pauses.
    std::size_t max_nursery_bytes = std::size_t{32} * 1024 * 1024;

    // A collection is a full one if live objects have grown by this factor since the last full one, and have at least
    // min_full_bytes.
    double growth_factor = 2;
    std::size_t min_full_bytes = std::size_t{8} * 1024 * 1024;

    // The heap takes no more memory than this, with what its objects own outside of it as far as that is known: then a
    // full collection comes, and if that does not help, make throws std::bad_alloc. Memory is taken in chunks of 4 MiB.
    std::size_t limit_bytes = (std::numeric_limits<std::size_t>::max)();

    // The number of objects that one pause may trace or destroy, at 10 to 50 ns each. A full collection of more objects
    // is done in steps while the program goes on, a young one comes before it would exceed the budget. Without a budget
    // there are the fewest instructions, and pauses that grow with the heap. 8192 keeps them near a millisecond. A
    // number of objects instead of a time, so that a program collects in the same places each time it runs.
    std::size_t pause_budget = (std::numeric_limits<std::size_t>::max)();

    // A thread marks while the program runs, one for all heaps of the process that ask: full collections are done in
    // steps (pause_budget is 8192 unless it is less), and the program takes part in them only where the thread is late,
    // and for objects that must not be traced beside it (traces_concurrently.hpp).
    bool helper = false;

    // The threads that mark in a full collection that is not done in steps, with the calling one: at most 256. With
    // more than one, `trace` members are called in several threads at once, for different objects, while the program
    // waits. So they are in a shared_traced_heap, whose stopped sessions mark, too.
    std::size_t mark_threads = 1;

    // Any word on the thread's stack or in a register that may be an address in an object keeps that object alive. So
    // variables may be raw pointers and traced_views. A number that looks like an address may keep a dead object alive.
    // The stacks of coroutines and fibers are not scanned.
    bool conservative_stack = false;

    // For tests: every allocation does a full collection first, to expose missing roots.
    bool collect_at_every_allocation = false;

    // Called after each collection, before finalizers run, and after each step of one. Any function that takes a const
    // traced_collection&. It must not use the heap, and must not throw.
    detail::callback<const traced_collection&> on_collection = nullptr;
};

}  // namespace freehold
