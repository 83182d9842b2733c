#pragma once
// A memory resource of Boost.Container, whose base class is its own and not the standard's.

#include <boost/container/pmr/polymorphic_allocator.hpp>

namespace lab {

template <class Resource>
class boost_arena {
public:
    template <class T>
    boost::container::pmr::polymorphic_allocator<T> allocator() {
        return &resource_;
    }

private:
    Resource resource_;
};

}  // namespace lab
