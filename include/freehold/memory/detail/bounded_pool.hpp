#pragma once
// The pools of pmr::synchronized_pool_resource: those of concurrent_pool_resource, or of a pool_resource behind a lock.

#include <cstddef>
#include <memory_resource>
#include <utility>
#include <variant>

#include "../concurrent_pool_resource.hpp"
#include "../pool_resource.hpp"
#include "../synchronized_resource.hpp"
#include "slab.hpp"
#include "slab_class.hpp"

namespace freehold::detail {

// A slab has up to 4096 blocks. Where no chunk may have so many, [mem.res.pool.options], there can be no slabs.
class bounded_pool {
public:
    bounded_pool(const std::pmr::pool_options& options, std::pmr::memory_resource* upstream)
        : pool_(allows_slabs(options) ? pool(std::in_place_type<concurrent_pool_resource>, options, upstream)
                                      : pool(std::in_place_type<locked_pool>, options, upstream)) {}

    explicit bounded_pool(std::pmr::memory_resource* upstream) : bounded_pool(std::pmr::pool_options(), upstream) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        if (auto* const concurrent = std::get_if<concurrent_pool_resource>(&pool_)) [[likely]]
            return concurrent->allocate(bytes, alignment);
        return std::get_if<locked_pool>(&pool_)->lock.allocate(bytes, alignment);
    }

    void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        if (auto* const concurrent = std::get_if<concurrent_pool_resource>(&pool_)) [[likely]]
            return concurrent->deallocate(block, bytes, alignment);
        std::get_if<locked_pool>(&pool_)->lock.deallocate(block, bytes, alignment);
    }

    void release() noexcept {
        if (auto* const concurrent = std::get_if<concurrent_pool_resource>(&pool_)) return concurrent->release();
        std::get_if<locked_pool>(&pool_)->resource.release();
    }

    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept {
        if (auto* const concurrent = std::get_if<concurrent_pool_resource>(&pool_))
            return concurrent->upstream_resource();
        return std::get_if<locked_pool>(&pool_)->resource.upstream_resource();
    }

    [[nodiscard]] std::pmr::pool_options options() const noexcept {
        if (auto* const concurrent = std::get_if<concurrent_pool_resource>(&pool_)) return concurrent->options();
        return std::get_if<locked_pool>(&pool_)->resource.options();
    }

private:
    struct locked_pool {
        locked_pool(const std::pmr::pool_options& options, std::pmr::memory_resource* upstream) noexcept
            : resource(options, upstream) {}

        pool_resource resource;
        synchronized_resource lock{&resource};
    };
    using pool = std::variant<concurrent_pool_resource, locked_pool>;

    [[nodiscard]] static bool allows_slabs(const std::pmr::pool_options& options) noexcept {
        constexpr std::size_t blocks_in_slab = slab_bytes / slab_class::granularity;
        return options.max_blocks_per_chunk == 0 || options.max_blocks_per_chunk >= blocks_in_slab;
    }

    pool pool_;
};

}  // namespace freehold::detail
