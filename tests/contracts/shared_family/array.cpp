// The contract of the shared_ptr family: arrays.

#include <memory>
#include <type_traits>

#include "shared_family.hpp"

namespace contracts {

CONTRACT(shared_family, an_array_is_destroyed_whole) {
    {
        const typename TestFixture::template pointer<object[]> p(new object[3]);
    }
    EXPECT_EQ(TestFixture::destroyed(), 3);
    {
        const typename TestFixture::template pointer<object[4]> p(new object[4]);
    }
    EXPECT_EQ(TestFixture::destroyed(), 7);
}

CONTRACT(shared_family, an_array_gives_access_to_its_elements) {
    const typename TestFixture::template pointer<int[]> p(new int[3]{1, 2, 3});
    EXPECT_EQ(p[0], 1);
    EXPECT_EQ(p[2], 3);
    p[1] = 7;
    EXPECT_EQ(p.get()[1], 7);
}

CONTRACT(shared_family, an_array_of_known_bound_converts_to_one_of_unknown_bound) {
    typename TestFixture::template pointer<object[3]> known(new object[3]);
    const typename TestFixture::template pointer<object[]> unknown = known;
    const typename TestFixture::template pointer<const object[]> constant = unknown;
    EXPECT_EQ(constant.get(), known.get());
    EXPECT_EQ(known.use_count(), 3);
    const auto weak = TestFixture::weak_to(known);
    const typename TestFixture::template weak_pointer<const object[]> constant_weak = weak;
    EXPECT_TRUE(constant_weak.lock() == constant);
}

CONTRACT(shared_family, an_array_has_a_deleter_of_its_own) {
    const auto deleter = [](const object* p) { delete[] p; };
    {
        const typename TestFixture::template pointer<object[]> p(new object[2], deleter);
        EXPECT_NE(freehold::get_deleter<std::remove_const_t<decltype(deleter)>>(p), nullptr);
    }
    EXPECT_EQ(TestFixture::destroyed(), 2);
}

CONTRACT(shared_family, reset_takes_an_array) {
    typename TestFixture::template pointer<object[]> p(new object[2]);
    p.reset(new object[3]);
    EXPECT_EQ(TestFixture::destroyed(), 2);
    p.reset(new object[1], std::default_delete<object[]>());
    EXPECT_EQ(TestFixture::destroyed(), 5);
}

CONTRACT(shared_family, an_alias_points_into_an_array) {
    typename TestFixture::template pointer<object[]> p(new object[3]);
    const auto element = TestFixture::alias(p, &p[1]);
    p.reset();
    EXPECT_EQ(TestFixture::destroyed(), 0);
    EXPECT_EQ(element.use_count(), 1);
}

}  // namespace contracts
