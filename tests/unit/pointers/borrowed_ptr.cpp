// That an object which has ended is noticed is tested in death/borrowed_ptr.cpp, and what is left with NDEBUG in
// builds/without_assertions.cpp.

#include <gtest/gtest.h>
#include <freehold/pointers/borrowed_ptr.hpp>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/linked_ptr.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/managed_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include "contracts/owning_pointer/owning_pointer.hpp"

using freehold::borrowed_ptr;
using freehold::make_shared;
using freehold::make_thin;
using freehold::shared_ptr;
using freehold::thin_ptr;

namespace {

struct padding {
    long unused = 0;
};
struct lent_base {
    int value = 7;
};
struct lent : padding, lent_base, support::tracked {};
struct unrelated {};

struct counted : freehold::ref_counted<counted>, support::tracked {};
struct self_lending : freehold::enable_shared_from_this<self_lending>, support::tracked {};

int value_of(borrowed_ptr<const lent_base> object) { return object ? object->value : 0; }

class borrowed_ptr_test : public support::tracked_test {};

// Whatever owns.
template <class Family>
class borrowed_from : public contracts::owning_pointer<Family> {};

}  // namespace

template <>
struct support::implementations<borrowed_from> {
    using types = contracts::owning_pointers;
};

static_assert(std::is_convertible_v<const std::unique_ptr<lent>&, borrowed_ptr<const lent_base>>);
static_assert(std::is_convertible_v<const std::shared_ptr<lent>&, borrowed_ptr<lent_base>>);
static_assert(std::is_convertible_v<borrowed_ptr<lent>, borrowed_ptr<const lent_base>>);
static_assert(!std::is_convertible_v<borrowed_ptr<const lent_base>, borrowed_ptr<lent_base>>);
static_assert(!std::is_constructible_v<borrowed_ptr<lent_base>, borrowed_ptr<unrelated>>);
static_assert(!std::is_constructible_v<borrowed_ptr<lent_base>, const std::unique_ptr<unrelated>&>);
static_assert(!std::is_convertible_v<lent_base*, borrowed_ptr<lent_base>>,
              "nobody is known to own what a raw pointer names");
static_assert(!std::is_convertible_v<borrowed_ptr<lent_base>, lent_base*>);
static_assert(!std::is_convertible_v<borrowed_ptr<lent_base>, bool>);
static_assert(std::is_nothrow_copy_constructible_v<borrowed_ptr<lent_base>>);
static_assert(std::is_nothrow_constructible_v<borrowed_ptr<lent_base>, const shared_ptr<lent>&>);
static_assert(
    std::is_same_v<decltype(borrowed_ptr(std::declval<std::unique_ptr<lent_base>&>())), borrowed_ptr<lent_base>>);

CONTRACT(borrowed_from, it_points_to_what_the_owner_owns) {
    const auto owner = TestFixture::make(7);
    const borrowed_ptr<typename TestFixture::object> borrowed = owner;
    EXPECT_EQ(borrowed.get(), owner.get());
    EXPECT_EQ(borrowed->value, 7);
    EXPECT_EQ(&*borrowed, owner.get());
}

CONTRACT(borrowed_from, it_owns_nothing) {
    auto owner = TestFixture::make();
    const borrowed_ptr<typename TestFixture::object> borrowed = owner;
    const auto copy = borrowed;
    EXPECT_EQ(TestFixture::owners(owner), 1);
    owner = nullptr;
    EXPECT_EQ(TestFixture::alive(), 0);
}

CONTRACT(borrowed_from, an_empty_owner_lends_nothing) {
    const typename TestFixture::pointer owner;
    const borrowed_ptr<typename TestFixture::object> borrowed = owner;
    EXPECT_FALSE(borrowed);
    EXPECT_EQ(borrowed, nullptr);
}

TEST_F(borrowed_ptr_test, a_literal_0_is_null) { EXPECT_FALSE(borrowed_ptr<int>(0)); }

TEST_F(borrowed_ptr_test, any_owner_can_be_passed_where_one_only_looks) {
    const lent object;
    EXPECT_EQ(value_of(make_shared<lent>()), 7);
    EXPECT_EQ(value_of(freehold::make_local_shared<lent>()), 7);
    EXPECT_EQ(value_of(make_thin<lent>()), 7);
    EXPECT_EQ(value_of(freehold::managed_ptr<lent>(make_shared<lent>())), 7);
    EXPECT_EQ(value_of(std::make_unique<lent>()), 7);
    EXPECT_EQ(value_of(std::make_shared<lent>()), 7);
    EXPECT_EQ(value_of(borrowed_ptr<const lent>(&object)), 7);
    EXPECT_EQ(value_of(nullptr), 0);
}

TEST_F(borrowed_ptr_test, the_first_element_of_an_array_can_be_borrowed) {
    const auto array = make_shared<int[]>(3, 7);
    const borrowed_ptr<int> first = array;
    EXPECT_EQ(first.get(), &array[0]);
}

TEST_F(borrowed_ptr_test, it_can_be_made_to_look_elsewhere) {
    const auto p = make_shared<int>(1);
    const auto q = freehold::make_local_shared<int>(2);
    borrowed_ptr<int> borrowed = p;
    borrowed = q;
    EXPECT_EQ(*borrowed, 2);
    borrowed = nullptr;
    EXPECT_FALSE(borrowed);
}

TEST_F(borrowed_ptr_test, what_a_thin_ptr_owns_can_be_owned_again) {
    const auto owner = make_thin<lent>();
    const borrowed_ptr<lent> borrowed = owner;
    const auto again = borrowed.share<thin_ptr<lent>>();
    EXPECT_EQ(again, owner);
    EXPECT_EQ(owner.use_count(), 2);
}

TEST_F(borrowed_ptr_test, what_a_local_thin_ptr_owns_can_be_owned_again) {
    const auto owner = make_thin<lent, freehold::plain_counting>();
    const borrowed_ptr<lent> borrowed = owner;
    const auto again = borrowed.share<freehold::local_thin_ptr<lent>>();
    EXPECT_EQ(owner.use_count(), 2);
}

TEST_F(borrowed_ptr_test, what_make_shared_made_can_be_owned_again_as_a_base_too) {
    const auto owner = make_shared<lent>();
    const borrowed_ptr<lent> borrowed = owner;
    const auto again = borrowed.share<shared_ptr<const lent_base>>();
    EXPECT_EQ(again, owner);
    EXPECT_EQ(owner.use_count(), 2);
}

TEST_F(borrowed_ptr_test, an_object_that_makes_owners_of_itself_can_be_owned_again_however_it_was_made) {
    const shared_ptr<self_lending> owner(new self_lending);
    const borrowed_ptr<self_lending> borrowed = owner;
    const auto again = borrowed.share<shared_ptr<self_lending>>();
    EXPECT_EQ(owner.use_count(), 2);
}

TEST_F(borrowed_ptr_test, what_brings_its_own_count_can_be_owned_again) {
    const auto owner = freehold::make_intrusive<counted>();
    const borrowed_ptr<counted> borrowed = owner;
    const auto again = borrowed.share<freehold::intrusive_ptr<const counted>>();
    EXPECT_EQ(owner->use_count(), 2);
}

TEST_F(borrowed_ptr_test, nothing_is_owned_as_nothing) {
    EXPECT_FALSE(borrowed_ptr<int>().share<thin_ptr<int>>());
    EXPECT_FALSE(borrowed_ptr<int>().share<shared_ptr<int>>());
    EXPECT_FALSE(borrowed_ptr<counted>().share<freehold::intrusive_ptr<counted>>());
}

TEST_F(borrowed_ptr_test, an_owner_that_it_became_keeps_the_object) {
    thin_ptr<lent> again;
    {
        const auto owner = make_thin<lent>();
        again = borrowed_ptr<lent>(owner).share<thin_ptr<lent>>();
    }
    EXPECT_EQ(support::tracked::alive(), 1);
}

TEST_F(borrowed_ptr_test, it_compares_with_owners) {
    const auto owner = make_shared<lent>();
    const borrowed_ptr<const lent_base> borrowed = owner;
    EXPECT_TRUE(borrowed == owner);
    EXPECT_TRUE(std::make_unique<lent>() != borrowed);
}

TEST_F(borrowed_ptr_test, those_that_look_at_the_same_object_are_equal) {
    const lent array[2];
    const borrowed_ptr<const lent> first(&array[0]);
    const borrowed_ptr<const lent> second(&array[1]);
    EXPECT_EQ(first, borrowed_ptr<const lent_base>(first));
    EXPECT_NE(first, second);
    EXPECT_LT(first, second);
    EXPECT_EQ(std::hash<borrowed_ptr<const lent>>()(first), std::hash<const lent*>()(&array[0]));
}
