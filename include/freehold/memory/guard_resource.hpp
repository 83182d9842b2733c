#pragma once
// guard_resource: finds writes beside a block, frees with a wrong size or alignment, and double frees.
//
// Each block has red zones, 64 bytes of a pattern before and after it. They are checked when the block is freed, by
// check(), and by the destructor for live blocks, also with NDEBUG. A fault is reported in one line on stderr, and the
// program is aborted. Fresh blocks are filled with 0xCD and freed ones with 0xDD, which a reader recognizes.
//
// Thread safety: one thread at a time; behind a synchronized_resource, any thread.
// Exceptions: allocate passes on what the upstream throws; then nothing has changed.
// Complexity: logarithmic in the number of blocks, and linear in the bytes of the block; check() linear in the number
// of blocks. Cost: 128 bytes beside a block, or 64 and its alignment if that is larger, and a node of a std::pmr::set
// from the upstream. AddressSanitizer and Valgrind report a use of a red zone at once.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <new>
#include <set>
#include <utility>

#include "../core/alignment.hpp"
#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "../core/memcheck.hpp"
#include "detail/chained_resource.hpp"

namespace freehold::inline v0_2 {

class guard_resource final : public detail::chained_resource<guard_resource> {
public:
    explicit guard_resource(std::pmr::memory_resource* upstream = std::pmr::get_default_resource())
        : chained_resource(upstream), live_(upstream) {}

    // Effects: checks all live blocks. They stay allocated in the upstream, as without this resource.
    ~guard_resource() override {
        for (const request& each : live_) open(each);
    }

    // Returns: `bytes` bytes aligned to `alignment`, filled with 0xCD, between red zones.
    // Throws: std::bad_alloc if the size with its red zones is not representable; what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        if (bytes > (std::numeric_limits<std::size_t>::max)() - before(alignment) - zone)
            detail::raise<std::bad_alloc>();
        // The node comes first, since its allocation may fail. It is not in the set while the upstream is called.
        auto node = live_.extract(live_.insert(request{nullptr, bytes, alignment}).first);
        auto* const begin = static_cast<std::byte*>(upstream_->allocate(total(node.value()), alignment));
        std::byte* const block = begin + before(alignment);
        std::memset(block - zone, red, zone);
        std::memset(block, fresh, bytes);
        std::memset(block + bytes, red, zone);
        detail::tell_free(begin, total(node.value()));
        detail::tell_allocated(block, bytes);
        node.value().block = block;
        live_.insert(std::move(node));
        return block;
    }

    // Effects: checks the block and frees it. Aborts the program if allocate(bytes, alignment) did not return it, if it
    // was freed since, or if its red zones were written to.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        const request freed_now{static_cast<std::byte*>(block), bytes, alignment};
        const auto found = live_.find(freed_now);
        if (found == live_.end()) {
            fail(freed_now, "is freed but none of the live blocks, of which there are ", live_.size());
        }
        if (bytes != found->bytes) fail(*found, "was freed with a size of ", bytes);
        if (alignment != found->alignment) fail(*found, "was freed with an alignment of ", alignment);
        open(freed_now);
        live_.erase(found);
        std::memset(block, freed, bytes);
        upstream_->deallocate(freed_now.block - before(alignment), total(freed_now), alignment);
    }

    // Effects: checks the red zones of all live blocks. Aborts the program if one was written to. After Apple's
    // AssertMacros.h, which defines check(), it is called as (memory.check)().
    void(check)() const noexcept {
        for (const request& each : live_) check_block(each);
    }

private:
    struct request {
        std::byte* block;
        std::size_t bytes;
        std::size_t alignment;

        // A block has one address.
        friend bool operator<(const request& a, const request& b) noexcept { return std::less<>()(a.block, b.block); }
    };

    static constexpr std::size_t zone = 64;
    static constexpr unsigned char red = 0xFD;
    static constexpr unsigned char fresh = 0xCD;
    static constexpr unsigned char freed = 0xDD;

    // Returns: the offset of the block in the upstream's memory. The red zone is the end of the bytes before it.
    [[nodiscard]] static std::size_t before(std::size_t alignment) noexcept { return detail::larger(alignment, zone); }

    [[nodiscard]] static std::size_t total(const request& asked) noexcept {
        return before(asked.alignment) + asked.bytes + zone;
    }

    static void check_block(const request& asked) noexcept {
        std::byte* const block = asked.block;
        std::byte* const end = block + asked.bytes;
        for (std::byte* const begin : {block - zone, end}) {
            detail::tell_allocated(begin, zone);
            detail::tell_readable(begin, zone);
        }
        // From the block outwards, so that the byte nearest to the block is reported.
        for (std::size_t i = 0; i < zone; ++i) {
            if (end[i] != std::byte{red}) fail(asked, "was overrun at byte ", asked.bytes + i);
        }
        for (std::size_t i = 1; i <= zone; ++i) {
            if (*(block - i) != std::byte{red}) fail(asked, "was overrun at byte -", i);
        }
        for (std::byte* const begin : {block - zone, end}) detail::tell_free(begin, zone);
    }

    // Effects: checks the block and makes its red zones usable again.
    static void open(const request& asked) noexcept {
        check_block(asked);
        detail::tell_allocated(asked.block - before(asked.alignment), before(asked.alignment));
        detail::tell_allocated(asked.block + asked.bytes, zone);
    }

    [[noreturn]] FREEHOLD_COLD FREEHOLD_NOINLINE static void fail(const request& asked, const char* fault,
                                                                  std::size_t number) noexcept {
        std::fprintf(stderr, "freehold: guard_resource: the block %p of %zu bytes, alignment %zu, %s%zu\n",
                     static_cast<const void*>(asked.block), asked.bytes, asked.alignment, fault, number);
        std::abort();
    }

    std::pmr::set<request> live_;
};

}  // namespace freehold
