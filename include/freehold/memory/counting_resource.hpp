#pragma once
// counting_resource: counts the blocks and bytes that pass through it, in total and within nested scopes.
//
//     freehold::counting_resource memory;
//     const freehold::counting_resource::scope parsing(memory);
//     parse(text, &memory);
//     report(parsing.counts().peak_bytes);
//
// Thread safety: one thread at a time; behind a synchronized_resource, any thread.
// Exceptions: allocate passes on what the upstream throws; then nothing is counted.
// Complexity: constant; counts() linear in the number of scopes inside.
// Cost: no header in a block; a few additions.

#include <cstddef>
#include <memory_resource>

#include "../core/assert.hpp"
#include "detail/chained_resource.hpp"

namespace freehold {

// The calls since some moment. The live counts are negative if older blocks were freed since.
struct allocation_counts {
    std::size_t allocations = 0;
    std::size_t deallocations = 0;
    std::size_t bytes_allocated = 0;
    std::size_t bytes_freed = 0;
    std::ptrdiff_t peak_bytes = 0;  // the maximum of live_bytes()

    [[nodiscard]] std::ptrdiff_t live_blocks() const noexcept {
        return static_cast<std::ptrdiff_t>(allocations - deallocations);
    }

    [[nodiscard]] std::ptrdiff_t live_bytes() const noexcept {
        return static_cast<std::ptrdiff_t>(bytes_allocated - bytes_freed);
    }
};

class counting_resource final : public detail::chained_resource<counting_resource> {
public:
    // Counts from its construction on. Scopes of one resource are destroyed in the reverse order of their construction.
    class scope {
    public:
        explicit scope(counting_resource& resource) noexcept
            : resource_(resource), begin_(resource.totals_), outer_(resource.innermost_) {
            resource_.innermost_ = this;
            resource_.totals_.peak_bytes = begin_.live_bytes();
        }

        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;

        ~scope() {
            FREEHOLD_EXPECTS(resource_.innermost_ == this, "a scope ends before one that began later",
                             "freehold::counting_resource::scope");
            resource_.innermost_ = outer_;
            raise_peak(resource_.totals_, begin_.peak_bytes);
        }

        // Returns: the counts since the construction of the scope.
        [[nodiscard]] allocation_counts counts() const noexcept {
            const allocation_counts now = resource_.totals_within(this);
            return {
                .allocations = now.allocations - begin_.allocations,
                .deallocations = now.deallocations - begin_.deallocations,
                .bytes_allocated = now.bytes_allocated - begin_.bytes_allocated,
                .bytes_freed = now.bytes_freed - begin_.bytes_freed,
                .peak_bytes = now.peak_bytes - begin_.live_bytes(),
            };
        }

    private:
        friend counting_resource;

        counting_resource& resource_;
        allocation_counts begin_;
        const scope* outer_;
    };

    explicit counting_resource(std::pmr::memory_resource* upstream = std::pmr::get_default_resource()) noexcept
        : chained_resource(upstream) {}

    counting_resource(const counting_resource&) = delete;
    counting_resource& operator=(const counting_resource&) = delete;

    // Returns: what upstream_resource()->allocate(bytes, alignment) does.
    // Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        void* const block = upstream_->allocate(bytes, alignment);
        ++totals_.allocations;
        totals_.bytes_allocated += bytes;
        raise_peak(totals_, totals_.live_bytes());
        return block;
    }

    // Effects: frees the block. Requires: allocate(bytes, alignment) returned it, and it was not freed since.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        ++totals_.deallocations;
        totals_.bytes_freed += bytes;
        upstream_->deallocate(block, bytes, alignment);
    }

    // Returns: the counts since the construction.
    [[nodiscard]] allocation_counts counts() const noexcept { return totals_within(nullptr); }

private:
    static void raise_peak(allocation_counts& counts, std::ptrdiff_t bytes) noexcept {
        if (counts.peak_bytes < bytes) counts.peak_bytes = bytes;
    }

    // Returns: the totals, with the peak since the construction of the scope, or of the resource if it is null.
    [[nodiscard]] allocation_counts totals_within(const scope* outermost) const noexcept {
        allocation_counts totals = totals_;
        for (const scope* each = innermost_; each != outermost; each = each->outer_) {
            raise_peak(totals, each->begin_.peak_bytes);
        }
        return totals;
    }

    allocation_counts totals_;  // its peak is that of the innermost scope
    const scope* innermost_ = nullptr;
};

}  // namespace freehold
