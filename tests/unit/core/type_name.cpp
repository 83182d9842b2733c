// Compiled alone: the names of its types are expected.

#include <gtest/gtest.h>
#include <freehold/core/type_name.hpp>
#include <freehold/fwd.hpp>

#include <string>

namespace shop {

struct widget {};

template <class T>
struct box {};

}  // namespace shop

using freehold::detail::pointer_name;
using freehold::detail::type_name;

TEST(type_name, is_what_its_users_write) {
    EXPECT_STREQ(type_name<int>, "int");
    EXPECT_STREQ(type_name<shop::widget>, "shop::widget");
    EXPECT_STREQ(type_name<const shop::widget>, "const shop::widget");
    EXPECT_STREQ(type_name<shop::box<shop::widget>>, "shop::box<shop::widget>");
}

TEST(type_name, of_a_pointer_has_a_prefix_a_name_and_its_argument) {
    EXPECT_STREQ((pointer_name<"", "shared_ptr", shop::widget>), "freehold::shared_ptr<shop::widget>");
    EXPECT_STREQ((pointer_name<"local_", "shared_ptr", int>), "freehold::local_shared_ptr<int>");
}

TEST(type_name, of_freehold_is_without_its_version) {
    EXPECT_STREQ(type_name<freehold::linked_ptr<shop::widget>>, "freehold::linked_ptr<shop::widget>");
    EXPECT_STREQ(type_name<freehold::linked_ptr<freehold::traced_heap>>, "freehold::linked_ptr<freehold::traced_heap>");
    EXPECT_STREQ((pointer_name<"", "shared_ptr", freehold::traced_heap>),
                 "freehold::shared_ptr<freehold::traced_heap>");
}
