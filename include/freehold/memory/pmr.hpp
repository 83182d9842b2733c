#pragma once
// freehold::pmr: our resources under the standard's names, and the rest of std::pmr, for programs that change one
// namespace.
//
//     namespace pmr = freehold::pmr;      // was: std::pmr
//     pmr::unsynchronized_pool_resource pool;
//     pmr::vector<pmr::string> words(&pool);
//
// The resources are constructed, used and derived from as the standard's are ([mem.res.pool],
// [mem.res.monotonic.buffer]): without an upstream they take the default resource, also where ours has a better one.
// Who names pool_resource or monotonic_resource instead gets the same memory without a virtual call. All other names
// are std::pmr's own; those of <regex>, <stacktrace> and <generator> are left there.
//
// Thread safety, exceptions, complexity and cost: those of pool_resource, concurrent_pool_resource and, for
// monotonic_buffer_resource, monotonic_resource, and a virtual call. A synchronized_pool_resource whose
// max_blocks_per_chunk is less than 4096, and not 0, is a pool_resource behind a mutex.

#include <cstddef>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "detail/bounded_pool.hpp"
#include "detail/growing_buffers.hpp"
#include "detail/open_resource.hpp"
#include "pool_resource.hpp"

namespace freehold::pmr {

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

    monotonic_buffer_resource(void* buffer, std::size_t bytes) noexcept
        : monotonic_buffer_resource(buffer, bytes, std::pmr::get_default_resource()) {}

    monotonic_buffer_resource(void* buffer, std::size_t bytes, std::pmr::memory_resource* upstream) noexcept
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

    // Returns: the options in effect.
    [[nodiscard]] std::pmr::pool_options options() const noexcept { return memory().options(); }
};

class synchronized_pool_resource : public freehold::detail::open_resource<freehold::detail::bounded_pool> {
public:
    synchronized_pool_resource() : synchronized_pool_resource(std::pmr::pool_options()) {}

    explicit synchronized_pool_resource(std::pmr::memory_resource* upstream) : open_resource(upstream) {}

    explicit synchronized_pool_resource(const std::pmr::pool_options& options)
        : synchronized_pool_resource(options, std::pmr::get_default_resource()) {}

    synchronized_pool_resource(const std::pmr::pool_options& options, std::pmr::memory_resource* upstream)
        : open_resource(options, upstream) {}

    // Returns: the options in effect.
    [[nodiscard]] std::pmr::pool_options options() const noexcept { return memory().options(); }
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
