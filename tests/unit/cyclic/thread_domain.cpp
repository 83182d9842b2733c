// thread_domain is the default policy of the cyclic pointers.

#include <gtest/gtest.h>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>
#include <freehold/cyclic/detail/thread_domain.hpp>

#include <type_traits>

static_assert(std::is_same_v<freehold::cyclic_ptr<int>, freehold::cyclic_ptr<int, freehold::thread_domain>>);
static_assert(std::is_same_v<freehold::cyclic_weak_ptr<int>, freehold::cyclic_weak_ptr<int, freehold::thread_domain>>);

TEST(thread_domain, make_cyclic_makes_its_objects) {
    const freehold::cyclic_ptr<int, freehold::thread_domain> p = freehold::make_cyclic<int>(7);
    EXPECT_EQ(*p, 7);
}
