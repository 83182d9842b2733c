#pragma once
// resource_allocator<T, Resource>: a resource as a standard allocator, without virtual calls if Resource is named.
//
//     freehold::pool_resource pool;
//     std::list<int, freehold::resource_allocator<int, freehold::pool_resource>> numbers(&pool);
//
// It is for any resource type what std::pmr::polymorphic_allocator is for std::pmr::memory_resource. By default
// Resource is std::pmr::memory_resource, and it behaves as polymorphic_allocator. Elements that use an allocator get
// this one, also those that use a polymorphic_allocator.
//
// Thread safety, exceptions, complexity: those of the resource. Cost: one pointer; it does not own the resource.

#include <cstddef>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "../core/type_name.hpp"

namespace freehold::inline v0_2 {

template <class T, class Resource = std::pmr::memory_resource>
class resource_allocator {
    static constexpr bool has_default = std::is_same_v<Resource, std::pmr::memory_resource>;

public:
    using value_type = T;
    using resource_type = Resource;

    // Effects: allocates from the present std::pmr::get_default_resource().
    resource_allocator() noexcept
        requires has_default
        : resource_(std::pmr::get_default_resource()) {}

    // Effects: allocates from *resource, which must outlive all that is allocated. Requires: it is not null.
    resource_allocator(Resource* resource) noexcept : resource_(resource) {
        FREEHOLD_EXPECTS(resource != nullptr, "the resource is a null pointer", detail::type_name<resource_allocator>);
    }

    // Effects: allocates from the resource of the other allocator, whose type may be derived from Resource.
    template <class U, class Other>
        requires std::is_convertible_v<Other*, Resource*>
    resource_allocator(const resource_allocator<U, Other>& other) noexcept : resource_(other.resource()) {}

    // Returns: the same resource without its type.
    template <class U>
        requires std::is_convertible_v<Resource*, std::pmr::memory_resource*>
    operator std::pmr::polymorphic_allocator<U>() const noexcept {
        return resource_;
    }

    // Returns: memory for n objects of type T, not constructed.
    // Throws: std::bad_array_new_length if n * sizeof(T) is not representable; what the resource throws.
    [[nodiscard]] T* allocate(std::size_t n) {
        if (n > (std::numeric_limits<std::size_t>::max)() / sizeof(T)) detail::raise<std::bad_array_new_length>();
        return static_cast<T*>(resource_->allocate(n * sizeof(T), alignof(T)));
    }

    // Effects: frees what allocate(n) returned.
    // Requires: `memory` was returned by allocate(n) of an allocator that is equal to this one, and not freed since.
    void deallocate(T* memory, std::size_t n) noexcept { resource_->deallocate(memory, n * sizeof(T), alignof(T)); }

    // Effects: constructs *object from the arguments and, if its type uses an allocator like this, from this one.
    template <class U, class... Arguments>
    void construct(U* object, Arguments&&... arguments) {
        std::uninitialized_construct_using_allocator(object, *this, std::forward<Arguments>(arguments)...);
    }

    // Returns: the allocator for a copy of a container: of the default resource, or of this one if Resource is named.
    [[nodiscard]] resource_allocator select_on_container_copy_construction() const noexcept {
        if constexpr (has_default) {
            return resource_allocator();
        } else {
            return *this;
        }
    }

    [[nodiscard]] Resource* resource() const noexcept { return resource_; }

private:
    Resource* resource_;
};

// Returns: whether each can free what the other allocates.
template <class T, class U, class Resource>
[[nodiscard]] bool operator==(const resource_allocator<T, Resource>& a,
                              const resource_allocator<U, Resource>& b) noexcept {
    return a.resource() == b.resource() || *a.resource() == *b.resource();
}

}  // namespace freehold
