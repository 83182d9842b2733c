// The contract of the owning pointers: construction, access, copying and moving.

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "owning_pointer.hpp"

namespace contracts {

CONTRACT(owning_pointer, a_default_constructed_pointer_is_null) {
    const typename TestFixture::pointer p;
    EXPECT_FALSE(p);
    EXPECT_EQ(p.get(), nullptr);
    EXPECT_EQ(TestFixture::owners(p), 0);
}

CONTRACT(owning_pointer, nullptr_makes_a_null_pointer) {
    const typename TestFixture::pointer p = nullptr;
    EXPECT_FALSE(p);
    EXPECT_EQ(p.get(), nullptr);
}

CONTRACT(owning_pointer, a_pointer_gives_access_to_its_object) {
    const auto p = TestFixture::make(7);
    EXPECT_TRUE(p);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ((*p).value, 7);
    EXPECT_EQ(&*p, p.get());
}

CONTRACT(owning_pointer, the_only_owner_destroys_the_object) {
    {
        const auto p = TestFixture::make();
        EXPECT_EQ(TestFixture::owners(p), 1);
        EXPECT_EQ(TestFixture::alive(), 1);
    }
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_pointer, a_copy_shares_the_object) {
    const auto p = TestFixture::make(7);
    const auto copy = p;
    EXPECT_TRUE(copy == p);
    EXPECT_EQ(TestFixture::owners(p), 2);
    EXPECT_EQ(TestFixture::owners(copy), 2);
    EXPECT_EQ(TestFixture::alive(), 1);
}

CONTRACT(owning_pointer, a_copy_of_null_is_null) {
    const typename TestFixture::pointer p;
    const auto copy = p;
    EXPECT_FALSE(copy);
    EXPECT_EQ(TestFixture::owners(copy), 0);
}

CONTRACT(owning_pointer, the_last_owner_destroys_the_object_whichever_it_is) {
    std::array order{0, 1, 2, 3};
    int rounds = 0;
    do {
        std::array<typename TestFixture::pointer, 4> owners;
        owners[0] = TestFixture::make();
        owners[1] = owners[0];
        owners[2] = owners[0];
        owners[3] = owners[1];
        for (const int last : order) {
            EXPECT_EQ(TestFixture::destroyed(), rounds);
            owners[static_cast<std::size_t>(last)].reset();
        }
        EXPECT_EQ(TestFixture::destroyed(), ++rounds);
    } while (std::ranges::next_permutation(order).found);
}

CONTRACT(owning_pointer, every_owner_is_counted) {
    std::vector<typename TestFixture::pointer> owners{TestFixture::make()};
    for (int i = 2; i <= 100; ++i) {
        owners.push_back(owners[owners.size() / 2]);
        ASSERT_EQ(TestFixture::owners(owners.front()), i);
    }
    for (int i = 99; i >= 1; --i) {
        owners.erase(owners.begin() + i / 3);
        ASSERT_EQ(TestFixture::owners(owners.front()), i);
    }
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(owning_pointer, a_move_takes_the_object_over_and_leaves_null) {
    auto p = TestFixture::make(7);
    const auto moved = std::move(p);
    EXPECT_EQ(moved->value, 7);
    EXPECT_EQ(TestFixture::owners(moved), 1);
    EXPECT_FALSE(p);
    EXPECT_EQ(TestFixture::owners(p), 0);
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(owning_pointer, a_move_of_one_of_several_owners_keeps_their_number) {
    const auto first = TestFixture::make();
    auto p = first;
    const auto last = first;
    const auto moved = std::move(p);
    EXPECT_EQ(TestFixture::owners(first), 3);
    EXPECT_TRUE(moved == first);
    EXPECT_FALSE(p);
}

CONTRACT(owning_pointer, a_move_of_null_is_null) {
    typename TestFixture::pointer p;
    const auto moved = std::move(p);
    EXPECT_FALSE(moved);
    EXPECT_FALSE(p);
}

CONTRACT(owning_pointer, a_moved_from_pointer_can_own_again) {
    auto p = TestFixture::make(1);
    const auto moved = std::move(p);
    p = TestFixture::make(2);
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(moved->value, 1);
}

CONTRACT(owning_pointer, an_object_that_owns_itself_is_destroyed_when_it_releases_itself) {
    auto p = TestFixture::make();
    auto* const raw = p.get();
    raw->next = std::move(p);
    EXPECT_EQ(TestFixture::alive(), 1);
    raw->next.reset();
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_pointer, an_object_that_owns_itself_is_destroyed_when_it_owns_another) {
    auto p = TestFixture::make();
    const auto other = TestFixture::make();
    auto* const raw = p.get();
    raw->next = std::move(p);
    raw->next = other;
    EXPECT_EQ(TestFixture::destroyed(), 1);
    EXPECT_EQ(TestFixture::owners(other), 1);
}

}  // namespace contracts
