#pragma once
// foonathan::memory::memory_pool as an arena: a block is a node, whatever is asked for.

#include <cstddef>
#include <foonathan_memory/foonathan/memory/memory_pool.hpp>

#include "../../memory_strategy.hpp"
#include "../../text.hpp"

namespace lab {

inline constexpr auto foonathan_library =
    "foonathan/memory " LAB_TEXT(FOONATHAN_MEMORY_VERSION_MAJOR) "." LAB_TEXT(FOONATHAN_MEMORY_VERSION_MINOR);

using node_pool = foonathan::memory::memory_pool<>;

template <class T>
class node_allocator {
public:
    using value_type = T;

    node_allocator(node_pool* pool) : pool_(pool) {}

    template <class U>
    node_allocator(const node_allocator<U>& other) : pool_(other.pool()) {}

    T* allocate(std::size_t) { return static_cast<T*>(pool_->allocate_node()); }
    void deallocate(T* block, std::size_t) { pool_->deallocate_node(block); }
    node_pool* pool() const { return pool_; }

    bool operator==(const node_allocator&) const = default;

private:
    node_pool* pool_;
};

template <std::size_t NodeBytes>
class node_pool_arena {
public:
    template <class T>
    node_allocator<T> allocator() {
        return &pool_;
    }

private:
    node_pool pool_{NodeBytes, 64 * 1024};
};

}  // namespace lab
