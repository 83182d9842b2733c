#pragma once
// freehold::pmr: Freehold's resources under the standard's names, and the rest of std::pmr. Only the namespace changes.
//
//     namespace pmr = freehold::pmr;      // was: std::pmr
//     pmr::unsynchronized_pool_resource pool;
//     pmr::vector<pmr::string> words(&pool);
//
// The resources are constructed, used and derived from as the standard's ([mem.res.pool], [mem.res.monotonic.buffer]):
// the default upstream is the default resource. pool_resource or monotonic_resource give the same memory without
// virtual calls. All other names are std::pmr's own; those of <regex>, <stacktrace> and <generator> are left there.
//
// Thread safety, exceptions, complexity and cost: those of pool_resource, concurrent_pool_resource and, for
// monotonic_buffer_resource, monotonic_resource, and a virtual call. A synchronized_pool_resource whose
// max_blocks_per_chunk is less than 4096, and not 0, is a pool_resource behind a mutex.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <limits>
#include <list>
#include <map>
#include <memory_resource>
#include <new>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "concurrent_pool_resource.hpp"
#include "detail/chunk.hpp"
#include "detail/slab.hpp"
#include "pool_resource.hpp"
#include "synchronized_resource.hpp"

namespace freehold::inline v0_2::detail {

// The buffers of monotonic_buffer_resource, to the letter of [mem.res.monotonic.buffer]. monotonic_resource differs
// from it: it serves a large request by itself and keeps the current chunk, and its chunks stop growing.
class growing_buffers {
public:
    static constexpr std::size_t first_size = 992;  // bytes: with the record of the chunk 1 KiB

    // Effects: cuts the first blocks from the buffer, if any; the next buffer has at least `next_size` bytes.
    growing_buffers(std::pmr::memory_resource* upstream, std::size_t next_size, void* buffer = nullptr,
                    std::size_t bytes = 0) noexcept
        : cursor_(static_cast<std::byte*>(buffer)),
          end_(cursor_ + bytes),
          next_size_(next_size),
          buffer_(cursor_),
          buffer_end_(end_),
          first_size_(next_size),
          upstream_(upstream) {
        FREEHOLD_EXPECTS(upstream != nullptr, "the upstream resource is a null pointer",
                         "freehold::pmr::monotonic_buffer_resource");
        FREEHOLD_EXPECTS(next_size > 0, "the first buffer would have no bytes",
                         "freehold::pmr::monotonic_buffer_resource");
        annotate_free(buffer_, bytes);
    }

    growing_buffers(const growing_buffers&) = delete;
    growing_buffers& operator=(const growing_buffers&) = delete;

    ~growing_buffers() {
        release();
        annotate_allocated(buffer_, static_cast<std::size_t>(buffer_end_ - buffer_));
    }

    // Returns: the size of the buffer that follows one of `bytes` bytes.
    [[nodiscard]] static std::size_t size_after(std::size_t bytes) noexcept {
        return 2 * detail::clamp(bytes, first_size / 2, (std::numeric_limits<std::size_t>::max)() / 4);
    }

    // As std::pmr::memory_resource::allocate; 0 bytes have an address of their own. Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        bytes += bytes == 0;
        const std::size_t padding = (0 - reinterpret_cast<std::uintptr_t>(cursor_)) & (alignment - 1);
        const auto left = static_cast<std::size_t>(end_ - cursor_);
        if (padding > left || bytes > left - padding) [[unlikely]]
            return allocate_from_next_buffer(bytes, alignment);
        return cut(cursor_ + padding, bytes);
    }

    // Effects: none, except that AddressSanitizer reports a use of the block.
    static void deallocate(void* block, std::size_t bytes, std::size_t) noexcept { annotate_free(block, bytes); }

    // Effects: frees all blocks, gives all buffers back, and restores the state after construction.
    void release() noexcept {
        chunks_.release(*upstream_);
        cursor_ = buffer_;
        end_ = buffer_end_;
        next_size_ = first_size_;
        annotate_free(cursor_, static_cast<std::size_t>(end_ - cursor_));
    }

    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

private:
    void* cut(std::byte* block, std::size_t bytes) noexcept {
        cursor_ = block + bytes;
        annotate_allocated(block, bytes);
        return block;
    }

    FREEHOLD_NOINLINE void* allocate_from_next_buffer(std::size_t bytes, std::size_t alignment) {
        const std::size_t size = detail::larger(bytes, next_size_);
        expect_representable(*upstream_, size, alignment);
        chunk* const next = allocate_chunk(*upstream_, size, detail::larger(alignment, usual_alignment));
        chunks_.push(next);
        cursor_ = next->begin();
        end_ = next->end();
        next_size_ = size_after(size);
        return cut(cursor_, bytes);
    }

    std::byte* cursor_;
    std::byte* end_;
    std::size_t next_size_;
    chunk_list chunks_;
    std::byte* buffer_;
    std::byte* buffer_end_;
    std::size_t first_size_;
    std::pmr::memory_resource* upstream_;
};

// The pools of synchronized_pool_resource: those of concurrent_pool_resource, or of a pool_resource behind a lock.
//
// A slab has up to 4096 blocks. If the options allow fewer in a chunk, [mem.res.pool.options], there can be no slabs.
class bounded_pool {
public:
    bounded_pool(const std::pmr::pool_options& options, std::pmr::memory_resource* upstream)
        : is_concurrent_(allows_slabs(options)) {
        if (is_concurrent_) {
            ::new (static_cast<void*>(&concurrent_)) concurrent_pool_resource(options, upstream);
        } else {
            ::new (static_cast<void*>(&locked_)) locked_pool{pool_resource(options, upstream)};
        }
    }

    explicit bounded_pool(std::pmr::memory_resource* upstream) : bounded_pool(std::pmr::pool_options(), upstream) {}

    bounded_pool(const bounded_pool&) = delete;
    bounded_pool& operator=(const bounded_pool&) = delete;

    ~bounded_pool() { is_concurrent_ ? concurrent_.~concurrent_pool_resource() : locked_.~locked_pool(); }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        if (is_concurrent_) [[likely]]
            return concurrent_.allocate(bytes, alignment);
        return locked_.lock.allocate(bytes, alignment);
    }

    void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        if (is_concurrent_) [[likely]]
            return concurrent_.deallocate(block, bytes, alignment);
        locked_.lock.deallocate(block, bytes, alignment);
    }

    void release() noexcept { is_concurrent_ ? concurrent_.release() : locked_.resource.release(); }

    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept {
        return is_concurrent_ ? concurrent_.upstream_resource() : locked_.resource.upstream_resource();
    }

    [[nodiscard]] std::pmr::pool_options options() const noexcept {
        return is_concurrent_ ? concurrent_.options() : locked_.resource.options();
    }

private:
    struct locked_pool {
        pool_resource resource;
        synchronized_resource lock{&resource};
    };

    [[nodiscard]] static bool allows_slabs(const std::pmr::pool_options& options) noexcept {
        constexpr std::size_t blocks_in_slab = slab_bytes / slab_class::granularity;
        return options.max_blocks_per_chunk == 0 || options.max_blocks_per_chunk >= blocks_in_slab;
    }

    // A union: to instantiate a std::variant takes longer than to read the rest of this header.
    const bool is_concurrent_;
    union {
        concurrent_pool_resource concurrent_;
        locked_pool locked_;
    };
};

// A resource that may be derived from, as the standard's may. Memory has the functions of a resource.
template <class Memory>
class open_resource : public std::pmr::memory_resource {
public:
    open_resource(const open_resource&) = delete;
    open_resource& operator=(const open_resource&) = delete;
    ~open_resource() override = default;

    void release() noexcept { memory_.release(); }

    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept { return memory_.upstream_resource(); }

    // Returns: the options in effect.
    [[nodiscard]] std::pmr::pool_options options() const noexcept
        requires requires(const Memory& memory) { memory.options(); }
    {
        return memory_.options();
    }

    // Not of the standard. Returns: what allocate(bytes, alignment) returns, or null where it throws.
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        return freehold::detail::try_allocate(static_cast<std::pmr::memory_resource&>(*this), bytes, alignment);
    }

protected:
    template <class... Arguments>
    explicit open_resource(Arguments... arguments) : memory_(arguments...) {}

    void* do_allocate(std::size_t bytes, std::size_t alignment) override { return memory_.allocate(bytes, alignment); }

    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        memory_.deallocate(block, bytes, alignment);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

private:
    Memory memory_;
};

}  // namespace freehold::detail

namespace freehold::inline v0_2::pmr {

// Each buffer is at least twice as large as the one before, for as long as the upstream has memory.
class monotonic_buffer_resource : public freehold::detail::open_resource<freehold::detail::growing_buffers> {
    using buffers = freehold::detail::growing_buffers;

public:
    monotonic_buffer_resource() noexcept : monotonic_buffer_resource(std::pmr::get_default_resource()) {}

    explicit monotonic_buffer_resource(std::pmr::memory_resource* upstream) noexcept
        : monotonic_buffer_resource(buffers::first_size, upstream) {}

    explicit monotonic_buffer_resource(std::size_t initial_size) noexcept
        : monotonic_buffer_resource(initial_size, std::pmr::get_default_resource()) {}

    monotonic_buffer_resource(std::size_t initial_size, std::pmr::memory_resource* upstream) noexcept
        : open_resource(upstream, initial_size) {}

    monotonic_buffer_resource(void* buffer, std::size_t bytes,
                              std::pmr::memory_resource* upstream = std::pmr::get_default_resource()) noexcept
        : open_resource(upstream, buffers::size_after(bytes), buffer, bytes) {}
};

class unsynchronized_pool_resource : public freehold::detail::open_resource<pool_resource> {
public:
    unsynchronized_pool_resource() noexcept : unsynchronized_pool_resource(std::pmr::pool_options()) {}

    explicit unsynchronized_pool_resource(std::pmr::memory_resource* upstream) noexcept : open_resource(upstream) {}

    explicit unsynchronized_pool_resource(const std::pmr::pool_options& options) noexcept
        : unsynchronized_pool_resource(options, std::pmr::get_default_resource()) {}

    unsynchronized_pool_resource(const std::pmr::pool_options& options, std::pmr::memory_resource* upstream) noexcept
        : open_resource(options, upstream) {}
};

class synchronized_pool_resource : public freehold::detail::open_resource<freehold::detail::bounded_pool> {
public:
    synchronized_pool_resource() : synchronized_pool_resource(std::pmr::pool_options()) {}

    explicit synchronized_pool_resource(std::pmr::memory_resource* upstream) : open_resource(upstream) {}

    explicit synchronized_pool_resource(const std::pmr::pool_options& options)
        : synchronized_pool_resource(options, std::pmr::get_default_resource()) {}

    synchronized_pool_resource(const std::pmr::pool_options& options, std::pmr::memory_resource* upstream)
        : open_resource(options, upstream) {}
};

using std::pmr::get_default_resource;
using std::pmr::memory_resource;
using std::pmr::new_delete_resource;
using std::pmr::null_memory_resource;
using std::pmr::polymorphic_allocator;
using std::pmr::pool_options;
using std::pmr::set_default_resource;

using std::pmr::basic_string;
using std::pmr::deque;
using std::pmr::forward_list;
using std::pmr::list;
using std::pmr::map;
using std::pmr::multimap;
using std::pmr::multiset;
using std::pmr::set;
using std::pmr::string;
using std::pmr::u16string;
using std::pmr::u32string;
using std::pmr::u8string;
using std::pmr::unordered_map;
using std::pmr::unordered_multimap;
using std::pmr::unordered_multiset;
using std::pmr::unordered_set;
using std::pmr::vector;
using std::pmr::wstring;

}  // namespace freehold::pmr
