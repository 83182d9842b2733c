// reuse, alike for all pointers whose objects can be replaced in their place.

#include <freehold/pointers/reuse.hpp>

#include <stdexcept>
#include <type_traits>
#include <utility>

#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include "contracts/owning_pointer/families.hpp"
#include "support/contract.hpp"
#include "support/tracked.hpp"

namespace {

using replaceable = testing::Types<contracts::make_shared_with_threads, contracts::local_shared_ptr_family,
                                   contracts::thin_ptr_with_threads, contracts::local_thin_ptr_family,
                                   contracts::biased_shared_ptr_family, contracts::left_biased_shared_ptr_family,
                                   contracts::biased_thin_ptr_family, contracts::sharded_shared_ptr_family,
                                   contracts::closed_sharded_shared_ptr_family>;

template <class Family>
struct node : support::tracked {
    explicit node(int initial, typename Family::template pointer<node> tail = {})
        : value(initial), next(std::move(tail)) {
        if (value < 0) throw std::invalid_argument("negative");
    }

    int value;
    typename Family::template pointer<node> next;
};

struct immovable : support::tracked {
    explicit immovable(int initial) : value(initial) {}
    immovable(const immovable&) = delete;
    immovable& operator=(const immovable&) = delete;

    int value;
};

struct reused_base : support::tracked {
    int value = 1;
};
struct reused : reused_base {};

struct shape {
    virtual ~shape() = default;
    virtual int corners() const { return 0; }
};
struct square : shape, support::tracked {
    int corners() const override { return 4; }

    long side = 1;
};

struct self_reusing : freehold::enable_shared_from_this<self_reusing>, support::tracked {};

template <class Family>
class reuse : public support::tracked_test {
protected:
    using node = ::node<Family>;
    using pointer = typename Family::template pointer<node>;

    void SetUp() override {
        support::tracked_test::SetUp();
        Family::begin();
    }

    static pointer make(int value, pointer next = {}) { return Family::template make<node>(value, std::move(next)); }
};

class reuse_of_shared_ptr : public support::tracked_test {};

}  // namespace

template <>
struct support::implementations<reuse> {
    using types = replaceable;
};

CONTRACT(reuse, the_object_of_a_sole_owner_is_replaced_in_its_place) {
    auto p = TestFixture::make(1);
    auto* const place = p.get();
    auto q = freehold::reuse(std::move(p), 2);
    EXPECT_EQ(q.get(), place);
    EXPECT_EQ(q->value, 2);
    EXPECT_EQ(q.use_count(), 1);
    EXPECT_EQ(support::tracked::alive(), 1);
}

CONTRACT(reuse, the_dying_owner_is_left_empty) {
    auto p = TestFixture::make(1);
    const auto q = freehold::reuse(std::move(p), 2);
    EXPECT_EQ(p, nullptr);  // NOLINT(bugprone-use-after-move): it says what a moved-from owner is
}

CONTRACT(reuse, the_result_can_be_assigned_to_the_dying_owner) {
    auto p = TestFixture::make(1);
    p = freehold::reuse(std::move(p), 2);
    EXPECT_EQ(p->value, 2);
}

CONTRACT(reuse, arguments_may_refer_into_the_dying_object) {
    auto p = TestFixture::make(1, TestFixture::make(10));
    auto* const tail = p->next.get();
    p = freehold::reuse(std::move(p), p->value + 1, std::move(p->next));
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(p->next.get(), tail);
}

CONTRACT(reuse, what_others_own_stays_as_it_is) {
    auto p = TestFixture::make(1);
    const auto other = p;
    const auto q = freehold::reuse(std::move(p), 2);
    EXPECT_EQ(p, nullptr);  // NOLINT(bugprone-use-after-move)
    EXPECT_NE(q, other);
    EXPECT_EQ(other->value, 1);
    EXPECT_EQ(other.use_count(), 1);
    EXPECT_EQ(q->value, 2);
}

CONTRACT(reuse, an_empty_owner_gets_a_new_object) {
    const auto q = freehold::reuse(typename TestFixture::pointer(), 2);
    EXPECT_EQ(q->value, 2);
}

CONTRACT(reuse, a_constructor_that_throws_leaves_the_old_object) {
    auto p = TestFixture::make(1);
    EXPECT_THROW(static_cast<void>(freehold::reuse(std::move(p), -1)), std::invalid_argument);
    ASSERT_NE(p, nullptr);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(p->value, 1);
    const auto other = p;
    EXPECT_THROW(static_cast<void>(freehold::reuse(std::move(p), -1)), std::invalid_argument);
    EXPECT_EQ(p, other);
}

CONTRACT(reuse, what_can_not_be_moved_gets_a_new_block) {
    auto p = TypeParam::template make<immovable>(1);
    auto q = freehold::reuse(std::move(p), 2);
    EXPECT_EQ(p, nullptr);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(q->value, 2);
    EXPECT_EQ(support::tracked::alive(), 1);
}

CONTRACT(reuse, a_constant_object_can_be_replaced) {
    auto p = TypeParam::template make<const int>(1);
    const auto* const place = p.get();
    const auto q = freehold::reuse(std::move(p), 2);
    EXPECT_EQ(q.get(), place);
    EXPECT_EQ(*q, 2);
}

TEST_F(reuse_of_shared_ptr, a_replaced_object_stays_expired_for_its_weak_pointers) {
    auto p = freehold::make_shared<int>(1);
    const freehold::weak_ptr<int> weak = p;
    const auto q = freehold::reuse(std::move(p), 2);
    EXPECT_TRUE(weak.expired());
    EXPECT_EQ(*q, 2);
}

TEST_F(reuse_of_shared_ptr, an_object_that_was_made_elsewhere_is_destroyed_by_its_deleter) {
    freehold::shared_ptr<reused_base> p(new reused);
    const auto q = freehold::reuse(std::move(p));
    EXPECT_EQ(support::tracked::alive(), 1);
    EXPECT_EQ(q->value, 1);
}

TEST_F(reuse_of_shared_ptr, an_object_of_a_derived_class_is_not_replaced_by_a_base_in_its_place) {
    freehold::shared_ptr<reused_base> p = freehold::make_shared<reused>();
    const auto* const place = p.get();
    const auto other_block = freehold::reuse(std::move(p));
    EXPECT_NE(other_block.get(), place);
}

TEST_F(reuse_of_shared_ptr, a_part_of_an_object_is_not_replaced) {
    auto whole = freehold::make_shared<std::pair<int, int>>(1, 2);
    int* const part = &whole->second;
    freehold::shared_ptr<int> alias(std::move(whole), part);
    const auto q = freehold::reuse(std::move(alias), 3);
    EXPECT_NE(q.get(), part);
    EXPECT_EQ(*q, 3);
}

TEST_F(reuse_of_shared_ptr, a_new_object_that_makes_owners_of_itself_can_do_so) {
    auto p = freehold::make_shared<self_reusing>();
    p = freehold::reuse(std::move(p));
    EXPECT_EQ(p->shared_from_this(), p);
}

TEST_F(reuse_of_shared_ptr, what_a_thin_owner_of_its_base_owns_is_not_replaced_in_its_place) {
    freehold::thin_ptr<shape> p = freehold::make_thin<square>();
    const auto* const place = p.get();
    p = freehold::reuse(std::move(p));
    EXPECT_NE(p.get(), place);
    EXPECT_EQ(p->corners(), 0);
    EXPECT_EQ(support::tracked::destroyed(), 1);
    const auto* const new_place = p.get();
    p = freehold::reuse(std::move(p));
    EXPECT_EQ(p.get(), new_place);
}
