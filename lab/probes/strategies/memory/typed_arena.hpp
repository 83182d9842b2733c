#pragma once
// A memory resource by its own type, without a virtual call.

#include <freehold/memory/resource_allocator.hpp>
#include <utility>

namespace lab {

template <class Resource>
class typed_arena {
public:
    template <class... Arguments>
    explicit typed_arena(Arguments&&... arguments) : resource_(std::forward<Arguments>(arguments)...) {}

    template <class T>
    freehold::resource_allocator<T, Resource> allocator() {
        return &resource_;
    }

    Resource& resource() { return resource_; }

private:
    Resource resource_;
};

}  // namespace lab
