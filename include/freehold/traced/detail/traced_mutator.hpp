#pragma once
// traced_mutator: what a thread that uses a traced heap has of it: where it allocates, and what a collection starts
// from there. A traced_heap has one; a shared_traced_heap one for each session.

#include <cstddef>
#include <span>

#include "cell_allocator.hpp"
#include "held_arguments.hpp"
#include "stack_roots.hpp"

namespace freehold::inline v0_2::detail {

class traced_collector;

// The arguments of a make that may collect. A collection runs finalizers, which may collect in turn.
struct held_objects {
    std::span<const void* const> objects;
    const held_objects* outer;
};

struct traced_mutator {
    traced_mutator(traced_collector& its_heap, cell_blocks& blocks, bool is_conservative)
        : heap(its_heap), cells(blocks), stack(blocks.chunks, is_conservative) {}
    traced_mutator(const traced_mutator&) = delete;
    traced_mutator& operator=(const traced_mutator&) = delete;

    // The objects survive collections during its lifetime.
    class [[nodiscard]] holding {
    public:
        holding(traced_mutator& mutator, std::span<const void* const> objects) noexcept
            : mutator_(mutator), held_{objects, mutator.held} {
            mutator_.held = &held_;
        }
        holding(const holding&) = delete;
        holding& operator=(const holding&) = delete;
        ~holding() { mutator_.held = held_.outer; }

    private:
        traced_mutator& mutator_;
        const held_objects held_;
    };

    // Returns: whether a constructor, destructor or finalizer of an object may be running, or a deferral.
    [[nodiscard]] bool is_in_a_call() const noexcept {
        return constructing + constructing_without_exceptions + finalizing != 0;
    }

    traced_collector& heap;
    cell_allocator cells;
    std::size_t constructing = 0;                     // running constructors that may throw, and so may allocate
    std::size_t constructing_without_exceptions = 0;  // running noexcept constructors
    held_values::list held_by_calls = nullptr;        // of containers that grow
    std::size_t finalizing = 0;                       // calls that run finalizers
    const held_objects* held = nullptr;               // of calls of make
    stack_roots stack;
    traced_mutator* next = nullptr;  // of the same heap
};

}  // namespace freehold::detail
