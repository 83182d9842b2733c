#pragma once
// counting_resource: counts blocks and bytes, in total and within nested scopes; on request also what each scope holds.
//
//     freehold::counting_resource memory;
//     const freehold::counting_resource::scope parsing(memory);
//     parse(text, &memory);
//     report(parsing.counts().peak_bytes);
//
// Thread safety: one thread at a time; behind a synchronized_resource, any thread.
// Exceptions: allocate passes on what the upstream throws; then nothing is counted.
// Complexity: constant; counts() linear in the number of scopes inside; a scope with a name in that of the names.
// Cost: a few additions, and no header in a block. With by_scope each block has a header of its alignment, at least 16
// bytes.

#include <cstddef>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <new>
#include <utility>

#include "../core/alignment.hpp"
#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "detail/chained_resource.hpp"

namespace freehold::inline v0_2 {

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

// What was allocated in the scopes of one name and is not freed yet, wherever that happens.
struct held_memory {
    const char* name;  // of the scopes; null for what was allocated in none that has a name
    std::size_t blocks;
    std::size_t bytes;
    std::size_t peak_bytes;  // the maximum of `bytes`
};

class counting_resource final : public detail::chained_resource<counting_resource> {
    struct holder : held_memory {
        holder* next;
    };

public:
    // Counts from its construction on. Scopes of one resource are destroyed in the reverse order of their construction.
    class scope {
    public:
        explicit scope(counting_resource& resource) noexcept
            : resource_(resource), begin_(resource.totals_), outer_(resource.innermost_), holder_(resource.holder_) {
            resource_.innermost_ = this;
            resource_.totals_.peak_bytes = begin_.live_bytes();
        }

        // Effects: likewise; and until a scope with another name begins, what is allocated is held by this name, if the
        // resource counts by_scope. Requires: the name outlives the resource.
        // Throws: what the upstream throws, at the first scope of the name.
        scope(counting_resource& resource, const char* name) : scope(resource) {
            if (resource_.has_headers_) resource_.holder_ = resource_.find_holder(name);
        }

        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;

        ~scope() {
            FREEHOLD_EXPECTS(resource_.innermost_ == this, "a scope ends before one that began later",
                             "freehold::counting_resource::scope");
            resource_.innermost_ = outer_;
            resource_.holder_ = holder_;
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
        holder* holder_;  // before
    };

    // Asks for held(): each block gets a header that tells its scope.
    struct by_scope {};

    explicit counting_resource(std::pmr::memory_resource* upstream = std::pmr::get_default_resource()) noexcept
        : chained_resource(upstream) {}

    explicit counting_resource(by_scope,
                               std::pmr::memory_resource* upstream = std::pmr::get_default_resource()) noexcept
        : chained_resource(upstream), has_headers_(true) {}

    ~counting_resource() override {
        while (named_ != nullptr) {
            holder* const next = named_->next;
            upstream_->deallocate(std::exchange(named_, next), sizeof(holder), alignof(holder));
        }
    }

    // Returns: what upstream_resource()->allocate(bytes, alignment) does; behind a header if the resource counts
    // by_scope. Throws: what the upstream throws; std::bad_alloc if the size with a header is not representable.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        void* const block =
            has_headers_ ? allocate_with_header(bytes, alignment) : upstream_->allocate(bytes, alignment);
        ++totals_.allocations;
        totals_.bytes_allocated += bytes;
        raise_peak(totals_, totals_.live_bytes());
        return block;
    }

    // As std::pmr::memory_resource::deallocate.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        ++totals_.deallocations;
        totals_.bytes_freed += bytes;
        if (has_headers_) {
            deallocate_with_header(block, bytes, alignment);
        } else {
            upstream_->deallocate(block, bytes, alignment);
        }
    }

    // Returns: the counts since the construction.
    [[nodiscard]] allocation_counts counts() const noexcept { return totals_within(nullptr); }

    // Effects: calls visit(const held_memory&) for what no name holds, and for each name of a scope, the latest first.
    template <class Visit>
    void held(Visit visit) const {
        if (!has_headers_) return;
        visit(static_cast<const held_memory&>(unnamed_));
        for (const holder* each = named_; each != nullptr; each = each->next) {
            visit(static_cast<const held_memory&>(*each));
        }
    }

private:
    [[nodiscard]] static std::size_t header_bytes(std::size_t alignment) noexcept {
        return detail::larger(alignment, std::size_t{16});
    }

    // Returns: where the address of a block's holder is stored: at the end of its header.
    [[nodiscard]] static holder** header_of(void* block) noexcept { return static_cast<holder**>(block) - 1; }

    [[nodiscard]] void* allocate_with_header(std::size_t bytes, std::size_t alignment) {
        const std::size_t header = header_bytes(alignment);
        if (bytes > (std::numeric_limits<std::size_t>::max)() - header) detail::raise<std::bad_alloc>();
        auto* const memory =
            static_cast<std::byte*>(upstream_->allocate(header + bytes, detail::larger(alignment, alignof(holder*))));
        void* const block = memory + header;
        ::new (header_of(block)) holder*(holder_);
        ++holder_->blocks;
        holder_->bytes += bytes;
        holder_->peak_bytes = detail::larger(holder_->peak_bytes, holder_->bytes);
        return block;
    }

    void deallocate_with_header(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        holder& before = **header_of(block);
        --before.blocks;
        before.bytes -= bytes;
        const std::size_t header = header_bytes(alignment);
        upstream_->deallocate(static_cast<std::byte*>(block) - header, header + bytes,
                              detail::larger(alignment, alignof(holder*)));
    }

    [[nodiscard]] holder* find_holder(const char* name) {
        for (holder* each = named_; each != nullptr; each = each->next) {
            if (std::strcmp(each->name, name) == 0) return each;
        }
        void* const memory = upstream_->allocate(sizeof(holder), alignof(holder));
        return named_ = ::new (memory) holder{{name, 0, 0, 0}, named_};
    }

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
    bool has_headers_ = false;
    holder unnamed_{};
    holder* holder_ = &unnamed_;  // of what is allocated next
    holder* named_ = nullptr;
};

}  // namespace freehold
