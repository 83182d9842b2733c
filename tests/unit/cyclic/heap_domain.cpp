// heap_domain is the policy of the pointers to the objects of a cyclic_heap.

#include <gtest/gtest.h>
#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/cyclic/detail/heap_domain.hpp>

#include <type_traits>

using freehold::cyclic_ptr;
using freehold::heap_domain;

static_assert(std::is_same_v<freehold::concurrent_cyclic_ptr<int>, cyclic_ptr<int, heap_domain>>);
static_assert(std::is_same_v<freehold::concurrent_cyclic_weak_ptr<int>, freehold::cyclic_weak_ptr<int, heap_domain>>);
static_assert(!std::is_convertible_v<cyclic_ptr<int>, cyclic_ptr<int, heap_domain>>);

TEST(heap_domain, a_heap_makes_its_objects) {
    freehold::cyclic_heap heap;
    const freehold::cyclic_heap::session session(heap);
    const cyclic_ptr<int, heap_domain> p = heap.make<int>(7);
    EXPECT_EQ(*p, 7);
}
