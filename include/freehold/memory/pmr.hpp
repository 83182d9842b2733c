#pragma once
// freehold::pmr: our resources under the standard's names, for programs that change one namespace.
//
// They are constructed, used and derived from as the standard's are: without an upstream they take the default
// resource, also where ours has a better one. Who names pool_resource or monotonic_resource
// instead gets the same memory without a virtual call.
//
// Thread safety, exceptions, complexity and cost: those of monotonic_resource, pool_resource and
// concurrent_pool_resource, and a virtual call.

#include <cstddef>
#include <memory_resource>

#include "concurrent_pool_resource.hpp"
#include "monotonic_resource.hpp"
#include "pool_resource.hpp"

namespace freehold::pmr {

namespace detail {

// A resource that may be derived from.
template <class Resource>
class open_resource : public std::pmr::memory_resource {
public:
    open_resource(const open_resource&) = delete;
    open_resource& operator=(const open_resource&) = delete;
    ~open_resource() override = default;

    void release() noexcept { resource_.release(); }

    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept {
        return resource_.upstream_resource();
    }

protected:
    template <class... Arguments>
    explicit open_resource(Arguments... arguments) noexcept : resource_(arguments...) {}

    [[nodiscard]] const Resource& resource() const noexcept { return resource_; }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        return resource_.allocate(bytes, alignment);
    }

    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        resource_.deallocate(block, bytes, alignment);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

private:
    Resource resource_;
};

}  // namespace detail

class monotonic_buffer_resource : public detail::open_resource<monotonic_resource> {
public:
    monotonic_buffer_resource() noexcept : monotonic_buffer_resource(std::pmr::get_default_resource()) {}

    explicit monotonic_buffer_resource(std::pmr::memory_resource* upstream) noexcept : open_resource(upstream) {}

    explicit monotonic_buffer_resource(std::size_t initial_size) noexcept
        : monotonic_buffer_resource(initial_size, std::pmr::get_default_resource()) {}

    monotonic_buffer_resource(std::size_t initial_size, std::pmr::memory_resource* upstream) noexcept
        : open_resource(initial_size, upstream) {}

    monotonic_buffer_resource(void* buffer, std::size_t bytes) noexcept
        : monotonic_buffer_resource(buffer, bytes, std::pmr::get_default_resource()) {}

    monotonic_buffer_resource(void* buffer, std::size_t bytes, std::pmr::memory_resource* upstream) noexcept
        : open_resource(buffer, bytes, upstream) {}
};

class unsynchronized_pool_resource : public detail::open_resource<pool_resource> {
public:
    unsynchronized_pool_resource() noexcept : unsynchronized_pool_resource(std::pmr::pool_options()) {}

    explicit unsynchronized_pool_resource(std::pmr::memory_resource* upstream) noexcept : open_resource(upstream) {}

    explicit unsynchronized_pool_resource(const std::pmr::pool_options& options) noexcept
        : unsynchronized_pool_resource(options, std::pmr::get_default_resource()) {}

    unsynchronized_pool_resource(const std::pmr::pool_options& options, std::pmr::memory_resource* upstream) noexcept
        : open_resource(options, upstream) {}

    // Returns: the options in effect.
    [[nodiscard]] std::pmr::pool_options options() const noexcept { return resource().options(); }
};

class synchronized_pool_resource : public detail::open_resource<concurrent_pool_resource> {
public:
    synchronized_pool_resource() : synchronized_pool_resource(std::pmr::pool_options()) {}

    explicit synchronized_pool_resource(std::pmr::memory_resource* upstream) : open_resource(upstream) {}

    explicit synchronized_pool_resource(const std::pmr::pool_options& options)
        : synchronized_pool_resource(options, std::pmr::get_default_resource()) {}

    synchronized_pool_resource(const std::pmr::pool_options& options, std::pmr::memory_resource* upstream)
        : open_resource(options, upstream) {}

    // Returns: the options in effect.
    [[nodiscard]] std::pmr::pool_options options() const noexcept { return resource().options(); }
};

}  // namespace freehold::pmr
