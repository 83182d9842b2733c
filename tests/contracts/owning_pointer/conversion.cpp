// The contract of the owning pointers: conversion to a base at another address, and to const.

#include <type_traits>
#include <utility>

#include "owning_pointer.hpp"

namespace contracts {

CONTRACT(general_pointer, a_pointer_to_derived_converts_to_base_by_copy) {
    const auto p = TestFixture::make_derived(7);
    const typename TestFixture::pointer base = p;
    EXPECT_TRUE(base == p);
    EXPECT_NE(static_cast<const void*>(base.get()), static_cast<const void*>(p.get()));
    EXPECT_EQ(base->value, 7);
    EXPECT_EQ(TestFixture::owners(base), 2);
}

CONTRACT(general_pointer, a_pointer_to_derived_converts_to_base_by_move) {
    auto p = TestFixture::make_derived(7);
    const typename TestFixture::pointer base = std::move(p);
    EXPECT_EQ(base->value, 7);
    EXPECT_EQ(TestFixture::owners(base), 1);
    EXPECT_FALSE(p);
    EXPECT_EQ(TestFixture::owners(p), 0);
}

CONTRACT(general_pointer, the_last_owner_destroys_a_derived_object_whole) {
    auto p = TestFixture::make_derived();
    typename TestFixture::pointer base = p;
    EXPECT_EQ(TestFixture::alive(), 2) << "both parts of the object";
    p.reset();
    EXPECT_EQ(TestFixture::alive(), 2);
    base.reset();
    EXPECT_EQ(TestFixture::destroyed(), 2);
}

CONTRACT(general_pointer, a_pointer_to_derived_is_assigned_to_base_by_copy) {
    typename TestFixture::pointer base = TestFixture::make(1);
    const auto p = TestFixture::make_derived(7);
    base = p;
    EXPECT_EQ(base->value, 7);
    EXPECT_EQ(TestFixture::owners(p), 2);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(general_pointer, a_pointer_to_derived_is_assigned_to_base_by_move) {
    typename TestFixture::pointer base = TestFixture::make(1);
    auto p = TestFixture::make_derived(7);
    base = std::move(p);
    EXPECT_EQ(base->value, 7);
    EXPECT_EQ(TestFixture::owners(base), 1);
    EXPECT_FALSE(p);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(general_pointer, assignment_of_derived_destroys_the_old_object_last) {
    typename TestFixture::pointer base = TestFixture::make(1);
    const auto p = TestFixture::make_derived(2);
    int seen = 0;
    base->at_end = [&] { seen = base->value; };
    base = p;
    EXPECT_EQ(seen, 2);
}

CONTRACT(general_pointer, a_null_pointer_to_derived_converts_to_null) {
    typename TestFixture::pointer_to_derived p;
    const typename TestFixture::pointer copied = p;
    const typename TestFixture::pointer moved = std::move(p);
    EXPECT_FALSE(copied);
    EXPECT_FALSE(moved);
}

CONTRACT(general_pointer, a_pointer_converts_to_const) {
    const auto p = TestFixture::make(7);
    const typename TestFixture::pointer_to_const reader = p;
    EXPECT_EQ(reader->value, 7);
    EXPECT_EQ(TestFixture::owners(p), 2);
}

CONTRACT(general_pointer, a_pointer_converts_only_where_a_raw_pointer_does) {
    using fixture = TestFixture;
    EXPECT_FALSE((std::is_convertible_v<typename fixture::pointer, typename fixture::pointer_to_derived>));
    EXPECT_FALSE((std::is_constructible_v<typename fixture::pointer_to_derived, typename fixture::pointer>));
    EXPECT_FALSE((std::is_assignable_v<typename fixture::pointer_to_derived&, typename fixture::pointer>));
    EXPECT_FALSE((std::is_constructible_v<typename fixture::pointer, typename fixture::pointer_to_const>));
    EXPECT_FALSE((std::is_convertible_v<typename fixture::pointer, bool>));
    EXPECT_TRUE((std::is_constructible_v<bool, typename fixture::pointer>));
}

}  // namespace contracts
