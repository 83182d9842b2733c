// The contract of the owning pointers: assignment.

#include <utility>

#include "owning_pointer.hpp"

namespace contracts {

CONTRACT(owning_pointer, copy_assignment_shares_the_new_object_and_releases_the_old_one) {
    auto p = TestFixture::make(1);
    const auto q = TestFixture::make(2);
    p = q;
    EXPECT_TRUE(p == q);
    EXPECT_EQ(TestFixture::owners(q), 2);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_pointer, copy_assignment_keeps_an_old_object_that_has_other_owners) {
    auto p = TestFixture::make(1);
    const auto other = p;
    const auto q = TestFixture::make(2);
    p = q;
    EXPECT_EQ(other->value, 1);
    EXPECT_EQ(TestFixture::owners(other), 1);
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(owning_pointer, move_assignment_takes_over_and_leaves_null) {
    auto p = TestFixture::make(1);
    auto q = TestFixture::make(2);
    p = std::move(q);
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(TestFixture::owners(p), 1);
    EXPECT_FALSE(q);
    EXPECT_EQ(TestFixture::owners(q), 0);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_pointer, assignment_to_null_owns) {
    const auto p = TestFixture::make(1);
    typename TestFixture::pointer q;
    q = p;
    EXPECT_TRUE(q == p);
    EXPECT_EQ(TestFixture::owners(p), 2);
}

CONTRACT(owning_pointer, assignment_of_null_releases) {
    auto p = TestFixture::make(1);
    auto q = TestFixture::make(2);
    const typename TestFixture::pointer null;
    p = null;
    EXPECT_FALSE(p);
    EXPECT_EQ(TestFixture::destroyed(), 1);
    q = nullptr;
    EXPECT_FALSE(q);
    EXPECT_EQ(TestFixture::destroyed(), 2);
}

CONTRACT(owning_pointer, assignment_to_itself_changes_nothing) {
    auto p = TestFixture::make(7);
    auto& same = p;
    p = same;
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(TestFixture::owners(p), 1);
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(owning_pointer, a_move_to_itself_changes_nothing) {
    auto p = TestFixture::make(7);
    auto& same = p;
    p = std::move(same);
    ASSERT_TRUE(p);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(TestFixture::owners(p), 1);
}

CONTRACT(owning_pointer, assignment_between_owners_of_one_object_keeps_it) {
    auto p = TestFixture::make(7);
    auto q = p;
    p = q;
    EXPECT_EQ(TestFixture::owners(p), 2);
    p = std::move(q);
    EXPECT_EQ(TestFixture::owners(p), 1);
    EXPECT_FALSE(q);
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(owning_pointer, copy_assignment_destroys_the_old_object_last) {
    auto p = TestFixture::make(1);
    const auto q = TestFixture::make(2);
    int seen = 0;
    p->at_end = [&] { seen = p->value; };
    p = q;
    EXPECT_EQ(seen, 2);
}

CONTRACT(owning_pointer, move_assignment_destroys_the_old_object_last) {
    auto p = TestFixture::make(1);
    auto q = TestFixture::make(2);
    int seen = 0;
    p->at_end = [&] { seen = p->value; };
    p = std::move(q);
    EXPECT_EQ(seen, 2);
}

CONTRACT(owning_pointer, an_object_may_assign_to_the_pointer_that_lets_it_go) {
    auto p = TestFixture::make(1);
    const auto second = TestFixture::make(2);
    const auto third = TestFixture::make(3);
    p->at_end = [&] { p = third; };
    p = second;
    EXPECT_TRUE(p == third);
    EXPECT_EQ(TestFixture::owners(second), 1);
    EXPECT_EQ(TestFixture::owners(third), 2);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_pointer, a_pointer_walks_a_list_by_copy_and_destroys_what_it_leaves) {
    auto p = TestFixture::make_list(10);
    for (int passed = 1; passed <= 10; ++passed) {
        p = p->next;
        EXPECT_EQ(TestFixture::destroyed(), passed);
    }
    EXPECT_FALSE(p);
}

CONTRACT(owning_pointer, a_pointer_walks_a_list_by_move_and_destroys_what_it_leaves) {
    auto p = TestFixture::make_list(10);
    for (int passed = 1; passed <= 10; ++passed) {
        p = std::move(p->next);
        EXPECT_EQ(TestFixture::destroyed(), passed);
    }
    EXPECT_FALSE(p);
}

CONTRACT(owning_pointer, the_first_of_a_list_takes_the_others_along) {
    auto p = TestFixture::make_list(10);
    p.reset();
    EXPECT_EQ(TestFixture::destroyed(), 10);
}

}  // namespace contracts
