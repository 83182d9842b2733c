#include <gtest/gtest.h>
#include <freehold/core/handle.hpp>

#include <compare>

using freehold::detail::compare_pointers;

namespace {

struct first {
    int value = 0;
};
struct second {
    int value = 0;
};
struct both : first, second {};

}  // namespace

TEST(compare_pointers, elements_of_an_array_are_in_its_order) {
    int elements[2] = {};
    EXPECT_EQ(compare_pointers(&elements[0], &elements[1]), std::strong_ordering::less);
    EXPECT_EQ(compare_pointers(&elements[1], &elements[0]), std::strong_ordering::greater);
    EXPECT_EQ(compare_pointers(&elements[1], &elements[1]), std::strong_ordering::equal);
}

TEST(compare_pointers, an_object_equals_its_second_base) {
    both object;
    second* const base = &object;
    EXPECT_EQ(compare_pointers(&object, base), std::strong_ordering::equal);
    EXPECT_EQ(compare_pointers(base, &object), std::strong_ordering::equal);
}

TEST(compare_pointers, a_null_pointer_comes_first) {
    int object = 0;
    EXPECT_EQ(compare_pointers(static_cast<int*>(nullptr), &object), std::strong_ordering::less);
}

TEST(compare_pointers, functions_have_an_order) {
    void (*const raise)() = [] {};
    EXPECT_EQ(compare_pointers(raise, raise), std::strong_ordering::equal);
}
