// The contract of the shared_ptr family: pointers that own one object and point to another.

#include <utility>

#include "shared_family.hpp"

namespace contracts {

CONTRACT(shared_family, an_alias_keeps_the_object_of_its_owner_alive) {
    auto owner = TestFixture::make(7);
    auto alias = TestFixture::alias(owner, &owner->value);
    EXPECT_EQ(alias.use_count(), 2);
    owner.reset();
    EXPECT_EQ(TestFixture::destroyed(), 0);
    EXPECT_EQ(*alias, 7);
    EXPECT_EQ(alias.use_count(), 1);
    alias.reset();
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family, an_alias_of_a_moved_owner_leaves_it_empty) {
    auto owner = TestFixture::make(7);
    int* const value = &owner->value;
    const auto alias = TestFixture::alias(std::move(owner), value);
    EXPECT_EQ(alias.get(), value);
    EXPECT_EQ(alias.use_count(), 1);
    EXPECT_EQ(owner.get(), nullptr);
    EXPECT_EQ(owner.use_count(), 0);
}

CONTRACT(shared_family, an_alias_of_itself_may_be_assigned) {
    auto p = TestFixture::make(7);
    auto* const raw = p.get();
    p = TestFixture::alias(std::move(p), raw);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(p.use_count(), 1);
}

CONTRACT(shared_family, an_alias_to_null_still_owns) {
    auto owner = TestFixture::make();
    auto alias = TestFixture::alias(std::move(owner), static_cast<int*>(nullptr));
    EXPECT_FALSE(alias);
    EXPECT_EQ(alias.use_count(), 1);
    alias.reset();
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family, an_alias_of_an_empty_owner_points_and_owns_nothing) {
    int value = 7;
    const typename TestFixture::template pointer<object> empty;
    const auto alias = TestFixture::alias(empty, &value);
    EXPECT_EQ(*alias, 7);
    EXPECT_EQ(alias.use_count(), 0);
    const auto copy = alias;
    EXPECT_EQ(copy.get(), &value);
    const auto weak = TestFixture::weak_to(alias);
    EXPECT_TRUE(weak.expired());
    EXPECT_FALSE(weak.lock());
}

CONTRACT(shared_family, aliases_are_compared_by_what_they_point_to_and_ordered_by_what_they_own) {
    const auto owner = TestFixture::make();
    const auto other = TestFixture::make();
    int value = 0;
    const auto a = TestFixture::alias(owner, &value);
    const auto b = TestFixture::alias(other, &value);
    EXPECT_TRUE(a == b);
    EXPECT_TRUE(a.owner_before(b) || b.owner_before(a));
    EXPECT_FALSE(a.owner_before(owner));
    EXPECT_FALSE(owner.owner_before(a));
}

CONTRACT(shared_family, a_weak_pointer_of_an_alias_locks_an_alias) {
    auto owner = TestFixture::make(7);
    const auto weak = TestFixture::weak_to(TestFixture::alias(owner, &owner->value));
    EXPECT_EQ(weak.lock().get(), &owner->value);
    owner.reset();
    EXPECT_TRUE(weak.expired());
}

CONTRACT(shared_family, a_weak_pointer_may_be_an_alias_of_another) {
    auto owner = TestFixture::make(7);
    const auto weak = TestFixture::weak_to(owner);
    const typename TestFixture::template weak_pointer<int> alias(weak, &owner->value);
    EXPECT_EQ(alias.lock().get(), &owner->value);
    EXPECT_TRUE(alias.owner_equal(weak));
    EXPECT_FALSE(weak.expired());
    EXPECT_EQ(owner.use_count(), 1);
    owner.reset();
    EXPECT_TRUE(alias.expired());
    EXPECT_FALSE(alias.lock());
}

CONTRACT(shared_family, an_alias_of_a_moved_weak_pointer_leaves_it_empty) {
    const auto owner = TestFixture::make(7);
    auto weak = TestFixture::weak_to(owner);
    const typename TestFixture::template weak_pointer<int> alias(std::move(weak), &owner->value);
    EXPECT_EQ(*alias.lock(), 7);
    EXPECT_TRUE(weak.expired());
    EXPECT_TRUE(weak.owner_equal(typename TestFixture::template weak_pointer<object>()));
}

CONTRACT(shared_family, an_alias_of_an_empty_weak_pointer_is_empty) {
    int value = 7;
    const typename TestFixture::template weak_pointer<int> alias(typename TestFixture::template weak_pointer<object>(),
                                                                 &value);
    EXPECT_TRUE(alias.expired());
    EXPECT_EQ(alias.lock().get(), nullptr);
}

}  // namespace contracts
