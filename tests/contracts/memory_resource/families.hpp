#pragma once
// The memory resources that pass one suite. A family describes a resource to the suite:
//   resource              its type
//   make(upstream)        one that takes its memory from *upstream, if it takes it from anywhere
//   frees_last_first      whether blocks must be freed in the reverse order of their allocation
//   name                  its name in the suite
// To add a resource, add a family, and its name to the lists at the end that apply to it.

#include <gtest/gtest.h>
#include <freehold/memory/aligned_resource.hpp>
#include <freehold/memory/concurrent_monotonic_resource.hpp>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/counting_resource.hpp>
#include <freehold/memory/failing_resource.hpp>
#include <freehold/memory/guard_resource.hpp>
#include <freehold/memory/limiting_resource.hpp>
#include <freehold/memory/logging_resource.hpp>
#include <freehold/memory/monotonic_resource.hpp>
#include <freehold/memory/new_delete_resource.hpp>
#include <freehold/memory/page_cache.hpp>
#include <freehold/memory/pmr.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/region_resource.hpp>
#include <freehold/memory/run_length_resource.hpp>
#include <freehold/memory/stack_resource.hpp>
#include <freehold/memory/synchronized_resource.hpp>

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <ostream>

#include "support/contract.hpp"
#include "support/ledger_resource.hpp"

namespace contracts {

inline constexpr std::size_t mebibyte = std::size_t{1} << 20;

template <class Resource>
struct resource_family {
    using resource = Resource;
    static constexpr bool frees_last_first = false;

    static resource make(std::pmr::memory_resource* upstream) { return resource(upstream); }
};

struct new_delete_family {
    using resource = freehold::new_delete_resource;
    static constexpr bool frees_last_first = false;
    static constexpr const char* name = "new_delete_resource";

    static resource make(std::pmr::memory_resource* /*upstream*/) { return resource(); }
};

struct monotonic_family : resource_family<freehold::monotonic_resource> {
    static constexpr const char* name = "monotonic_resource";
};

struct concurrent_monotonic_family : resource_family<freehold::concurrent_monotonic_resource> {
    static constexpr const char* name = "concurrent_monotonic_resource";
};

struct pool_family : resource_family<freehold::pool_resource> {
    static constexpr const char* name = "pool_resource";
};

struct concurrent_pool_family : resource_family<freehold::concurrent_pool_resource> {
    static constexpr const char* name = "concurrent_pool_resource";
};

struct pmr_monotonic_family : resource_family<freehold::pmr::monotonic_buffer_resource> {
    static constexpr const char* name = "pmr_monotonic_buffer_resource";
};

struct pmr_pool_family : resource_family<freehold::pmr::unsynchronized_pool_resource> {
    static constexpr const char* name = "pmr_unsynchronized_pool_resource";
};

// One whose chunks are smaller than a whole slab of the smallest blocks, so that a mutex guards a pool for one thread.
struct pmr_locked_pool_family : resource_family<freehold::pmr::synchronized_pool_resource> {
    static constexpr const char* name = "pmr_synchronized_pool_resource";

    static resource make(std::pmr::memory_resource* upstream) { return resource({4000, 0}, upstream); }
};

struct page_cache_family {
    using resource = freehold::page_cache;
    static constexpr bool frees_last_first = false;
    static constexpr const char* name = "page_cache";

    static resource make(std::pmr::memory_resource* /*upstream*/) { return resource(); }
};

struct region_family : resource_family<freehold::region_resource> {
    static constexpr const char* name = "region_resource";
};

struct run_length_family : resource_family<freehold::run_length_resource> {
    static constexpr const char* name = "run_length_resource";
};

struct stack_family : resource_family<freehold::stack_resource> {
    static constexpr bool frees_last_first = true;
    static constexpr const char* name = "stack_resource";
};

struct counting_family : resource_family<freehold::counting_resource> {
    static constexpr const char* name = "counting_resource";
};

struct guard_family : resource_family<freehold::guard_resource> {
    static constexpr const char* name = "guard_resource";
};

struct synchronized_family : resource_family<freehold::synchronized_resource> {
    static constexpr const char* name = "synchronized_resource";
};

struct aligned_family : resource_family<freehold::aligned_resource> {
    static constexpr const char* name = "aligned_resource";

    static resource make(std::pmr::memory_resource* upstream) { return resource(64, upstream); }
};

// It allows every allocation.
struct failing_family : resource_family<freehold::failing_resource> {
    static constexpr const char* name = "failing_resource";

    static resource make(std::pmr::memory_resource* upstream) {
        return resource(std::numeric_limits<std::size_t>::max(), upstream);
    }
};

// Its limit is never reached.
struct limiting_family : resource_family<freehold::limiting_resource> {
    static constexpr const char* name = "limiting_resource";

    static resource make(std::pmr::memory_resource* upstream) {
        return resource(std::numeric_limits<std::size_t>::max(), upstream);
    }
};

struct logging_family : resource_family<freehold::logging_resource> {
    static constexpr const char* name = "logging_resource";

    // The log is discarded: after write errors it serves all the same.
    static resource make(std::pmr::memory_resource* upstream) {
        static std::ostream log(nullptr);
        return resource(log, upstream);
    }
};

// Every resource but null_resource, which has no memory.
template <class Family>
class memory_resource : public testing::Test {};

// Those whose blocks may be freed in any order: containers may use them.
template <class Family>
class general_resource : public testing::Test {};

// Those that take their memory from an upstream.
template <class Family>
class chained_resource : public testing::Test {};

// Those that serve requests of the same size from what was freed, without their upstream.
template <class Family>
class reusing_resource : public testing::Test {};

// Those with release(), which gives everything back whether it was freed or not, as their destructor does. Without an
// upstream they take the shared page cache.
template <class Family>
class releasing_resource : public testing::Test {};

// Those with trim(), which gives the upstream the memory in which no block is in use.
template <class Family>
class trimmed_resource : public testing::Test {};

// Those of which at most a slab of each size is kept from other sizes when all blocks are freed.
template <class Family>
class returning_resource : public testing::Test {};

// Those with slabs for each size.
template <class Family>
class sorting_resource : public testing::Test {};

}  // namespace contracts

template <>
struct support::implementations<contracts::memory_resource> {
    using types =
        testing::Types<contracts::new_delete_family, contracts::monotonic_family,
                       contracts::concurrent_monotonic_family, contracts::pool_family,
                       contracts::concurrent_pool_family, contracts::page_cache_family, contracts::region_family,
                       contracts::run_length_family, contracts::stack_family, contracts::counting_family,
                       contracts::limiting_family, contracts::logging_family, contracts::guard_family,
                       contracts::failing_family, contracts::synchronized_family, contracts::aligned_family,
                       contracts::pmr_pool_family, contracts::pmr_locked_pool_family, contracts::pmr_monotonic_family>;
};

template <>
struct support::implementations<contracts::general_resource> {
    using types =
        testing::Types<contracts::new_delete_family, contracts::monotonic_family,
                       contracts::concurrent_monotonic_family, contracts::pool_family,
                       contracts::concurrent_pool_family, contracts::page_cache_family, contracts::region_family,
                       contracts::run_length_family, contracts::counting_family, contracts::limiting_family,
                       contracts::logging_family, contracts::guard_family, contracts::failing_family,
                       contracts::synchronized_family, contracts::aligned_family, contracts::pmr_pool_family,
                       contracts::pmr_locked_pool_family, contracts::pmr_monotonic_family>;
};

template <>
struct support::implementations<contracts::chained_resource> {
    using types =
        testing::Types<contracts::monotonic_family, contracts::concurrent_monotonic_family, contracts::pool_family,
                       contracts::concurrent_pool_family, contracts::region_family, contracts::run_length_family,
                       contracts::stack_family, contracts::counting_family, contracts::limiting_family,
                       contracts::logging_family, contracts::guard_family, contracts::failing_family,
                       contracts::synchronized_family, contracts::aligned_family, contracts::pmr_pool_family,
                       contracts::pmr_locked_pool_family, contracts::pmr_monotonic_family>;
};

template <>
struct support::implementations<contracts::reusing_resource> {
    using types = testing::Types<contracts::pool_family, contracts::concurrent_pool_family, contracts::region_family,
                                 contracts::run_length_family, contracts::stack_family, contracts::pmr_pool_family,
                                 contracts::pmr_locked_pool_family>;
};

template <>
struct support::implementations<contracts::releasing_resource> {
    using types = testing::Types<contracts::monotonic_family, contracts::concurrent_monotonic_family,
                                 contracts::pool_family, contracts::concurrent_pool_family, contracts::region_family,
                                 contracts::run_length_family, contracts::stack_family>;
};

template <>
struct support::implementations<contracts::trimmed_resource> {
    using types = testing::Types<contracts::pool_family, contracts::concurrent_pool_family, contracts::region_family,
                                 contracts::run_length_family>;
};

template <>
struct support::implementations<contracts::sorting_resource> {
    using types = testing::Types<contracts::pool_family, contracts::concurrent_pool_family>;
};

template <>
struct support::implementations<contracts::returning_resource> {
    using types = testing::Types<contracts::region_family, contracts::run_length_family>;
};
