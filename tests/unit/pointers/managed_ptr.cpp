#include <gtest/gtest.h>
#include <freehold/pointers/managed_ptr.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/immortal.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include "support/ledger_allocator.hpp"
#include "support/tallied_counting.hpp"
#include "support/tracked.hpp"

using freehold::managed_ptr;
using freehold::shared_ptr;

namespace factory {

struct product : support::tracked {
    explicit product(int initial = 0) : value(initial) {}

    int value;
};

// Takes its products back, so that they are not deleted.
struct plant {
    std::vector<const product*> returned;
};

void reclaim_managed_object(plant* manager, product* object) noexcept { manager->returned.push_back(object); }

}  // namespace factory

namespace {

using factory::plant;
using factory::product;

struct prefix {
    long padding = 0;
};

// Its product lies behind its beginning, and has no virtual destructor.
struct derived : prefix, product {
    using product::product;

    support::tracked other_part;
};

struct unmanageable {};

struct stateless_deleter {
    void operator()(const product* p) const { delete p; }
};

struct stateful_deleter : stateless_deleter {
    int state = 0;
};

struct self_aware : freehold::enable_shared_from_this<self_aware> {};

void delete_by_function(product* p) { delete p; }

constinit freehold::immortal<int> forty_two(42);

class managed_ptr_test : public support::tracked_test {
protected:
    static int destroyed() { return support::tracked::destroyed(); }

    plant maker;
};

// Made before any code runs.
constinit managed_ptr<int> constant_initialized;

}  // namespace

static_assert(sizeof(managed_ptr<int>) == 4 * sizeof(void*));

static_assert(!std::is_copy_constructible_v<managed_ptr<int>>);
static_assert(!std::is_copy_assignable_v<managed_ptr<int>>);
static_assert(!std::is_constructible_v<managed_ptr<prefix>, managed_ptr<derived>&>, "not by a conversion either");
static_assert(!std::is_constructible_v<shared_ptr<int>, managed_ptr<int>&>);
static_assert(!std::is_constructible_v<managed_ptr<int>, std::unique_ptr<int>&>);

static_assert(!std::is_convertible_v<int*, managed_ptr<int>>);
static_assert(std::is_constructible_v<managed_ptr<prefix>, derived*>);
static_assert(!std::is_constructible_v<managed_ptr<derived>, prefix*>);
static_assert(std::is_convertible_v<managed_ptr<derived>, managed_ptr<const prefix>>);
static_assert(!std::is_constructible_v<managed_ptr<derived>, managed_ptr<prefix>>);
static_assert(!std::is_constructible_v<managed_ptr<int>, managed_ptr<const int>>);
static_assert(!std::is_convertible_v<managed_ptr<int>, bool>);

static_assert(std::is_constructible_v<managed_ptr<product>, product*, plant*>);
static_assert(!std::is_constructible_v<managed_ptr<product>, product*, unmanageable*>, "nobody takes it back");

static_assert(std::is_convertible_v<std::unique_ptr<derived>, managed_ptr<product>>);
static_assert(std::is_convertible_v<std::unique_ptr<product, void (*)(product*)>, managed_ptr<product>>);
static_assert(!std::is_constructible_v<managed_ptr<product>, std::unique_ptr<product, stateful_deleter>>,
              "there is no room for its state");
static_assert(!std::is_constructible_v<managed_ptr<product>, std::unique_ptr<product[]>>);
static_assert(std::is_convertible_v<shared_ptr<derived>, managed_ptr<const product>>);
static_assert(std::is_convertible_v<freehold::local_shared_ptr<derived>, managed_ptr<product>>);
static_assert(std::is_convertible_v<managed_ptr<derived>, shared_ptr<const product>>);
static_assert(!std::is_constructible_v<shared_ptr<derived>, managed_ptr<product>>);

static_assert(std::is_nothrow_default_constructible_v<managed_ptr<int>>);
static_assert(std::is_nothrow_constructible_v<managed_ptr<int>, int*>);
static_assert(std::is_nothrow_constructible_v<managed_ptr<product>, product*, plant*>);
static_assert(std::is_nothrow_move_constructible_v<managed_ptr<int>>);
static_assert(std::is_nothrow_constructible_v<managed_ptr<prefix>, managed_ptr<derived>>);
static_assert(std::is_nothrow_constructible_v<managed_ptr<int>, managed_ptr<product>, int*>);
static_assert(std::is_nothrow_constructible_v<managed_ptr<product>, std::unique_ptr<product>>);
static_assert(std::is_nothrow_constructible_v<managed_ptr<product>, shared_ptr<product>>);
static_assert(std::is_nothrow_move_assignable_v<managed_ptr<int>>);
static_assert(std::is_nothrow_swappable_v<managed_ptr<int>>);

// Ownership

TEST_F(managed_ptr_test, a_constant_initialized_pointer_is_null) {
    EXPECT_FALSE(constant_initialized);
    EXPECT_TRUE(constant_initialized == nullptr);
}

TEST_F(managed_ptr_test, an_object_without_a_manager_is_deleted_as_what_it_was_given_as) {
    {
        const managed_ptr<product> p(new derived(7));
        EXPECT_EQ(p->value, 7);
        EXPECT_EQ((*p).value, 7);
        EXPECT_EQ(&*p, p.get());
    }
    EXPECT_EQ(destroyed(), 2) << "both parts";
    {
        const managed_ptr<const void> untyped(new derived);
    }
    EXPECT_EQ(destroyed(), 4);
}

TEST_F(managed_ptr_test, an_object_goes_back_to_its_manager_once) {
    product object(7);
    {
        const managed_ptr<product> p(&object, &maker);
        EXPECT_EQ(p.get(), &object);
        EXPECT_TRUE(maker.returned.empty());
    }
    EXPECT_EQ(maker.returned, std::vector<const product*>{&object});
}

TEST_F(managed_ptr_test, no_manager_is_called_for_null) {
    {
        const managed_ptr<product> with_manager(static_cast<product*>(nullptr), &maker);
        const managed_ptr<product> deleted(static_cast<product*>(nullptr));
        const managed_ptr<product> from_unique = std::unique_ptr<product>();
        EXPECT_FALSE(with_manager);
    }
    EXPECT_TRUE(maker.returned.empty());
}

TEST_F(managed_ptr_test, an_alias_points_elsewhere_and_its_owner_gets_the_object_that_it_gave) {
    product object(7);
    {
        managed_ptr<product> owner(&object, &maker);
        const managed_ptr<int> alias(std::move(owner), &object.value);
        EXPECT_EQ(*alias, 7);
        EXPECT_FALSE(owner);
        owner.reset();
        EXPECT_TRUE(maker.returned.empty());
    }
    EXPECT_EQ(maker.returned, std::vector<const product*>{&object});
}

TEST_F(managed_ptr_test, an_alias_to_null_still_owns) {
    {
        const managed_ptr<int> alias(managed_ptr<product>(new product), nullptr);
        EXPECT_FALSE(alias);
        EXPECT_EQ(destroyed(), 0);
    }
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(managed_ptr_test, an_alias_of_itself_may_be_assigned) {
    product object(7);
    managed_ptr<product> p(&object, &maker);
    p = managed_ptr<product>(std::move(p), &object);
    EXPECT_EQ(p->value, 7);
    EXPECT_TRUE(maker.returned.empty());
}

// Moving

TEST_F(managed_ptr_test, a_move_takes_over_and_leaves_null) {
    managed_ptr<product> p(new product(7));
    managed_ptr<product> moved = std::move(p);
    EXPECT_FALSE(p);
    EXPECT_EQ(moved->value, 7);
    managed_ptr<product> assigned(new product);
    assigned = std::move(moved);
    EXPECT_FALSE(moved);
    EXPECT_EQ(destroyed(), 1);
    EXPECT_EQ(assigned->value, 7);
}

TEST_F(managed_ptr_test, a_converting_move_keeps_the_cleanup) {
    derived object(7);
    {
        managed_ptr<derived> p(&object, &maker);
        managed_ptr<const product> base = std::move(p);
        EXPECT_FALSE(p);
        EXPECT_EQ(base.get(), &object);
        managed_ptr<const prefix> other;
        other = managed_ptr<derived>(new derived);
        EXPECT_EQ(maker.returned.size(), 0U);
    }
    EXPECT_EQ(destroyed(), 2) << "the second object, whole";
    EXPECT_EQ(maker.returned, std::vector<const product*>{&object});
}

TEST_F(managed_ptr_test, a_move_to_itself_changes_nothing) {
    managed_ptr<product> p(new product(7));
    auto& same = p;
    p = std::move(same);
    ASSERT_TRUE(p);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(destroyed(), 0);
}

TEST_F(managed_ptr_test, assignment_of_null_lets_the_object_go) {
    managed_ptr<product> p(new product);
    p = nullptr;
    EXPECT_FALSE(p);
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(managed_ptr_test, reset_takes_what_the_constructors_take) {
    product object;
    managed_ptr<product> p(new product(1));
    p.reset(new derived(2));
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(destroyed(), 1);
    p.reset(&object, &maker);
    EXPECT_EQ(destroyed(), 3);
    p.reset(std::make_unique<product>(3));
    EXPECT_EQ(maker.returned.size(), 1U);
    p.reset(managed_ptr<product>(new product(4)), &object);
    EXPECT_EQ(destroyed(), 4);
    p.reset();
    EXPECT_FALSE(p);
    EXPECT_EQ(destroyed(), 5);
}

TEST_F(managed_ptr_test, the_old_object_is_released_last_when_the_pointer_has_its_new_one) {
    struct asking : support::tracked {
        explicit asking(std::function<void()> question) : at_end(std::move(question)) {}
        asking(const asking&) = delete;
        asking& operator=(const asking&) = delete;
        ~asking() { at_end(); }

        std::function<void()> at_end;
    };
    managed_ptr<asking> p;
    const asking* seen = nullptr;
    auto* const second = new asking([] {});
    p.reset(new asking([&] { seen = p.get(); }));
    p.reset(second);
    EXPECT_EQ(seen, second);
    p.reset(new asking([&] { p.reset(); }));
    p.reset();
    EXPECT_FALSE(p);
}

TEST_F(managed_ptr_test, swap_exchanges_objects_and_how_they_end) {
    product object(1);
    managed_ptr<product> p(&object, &maker);
    managed_ptr<product> q(new product(2));
    p.swap(q);
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(q.get(), &object);
    swap(p, q);
    p.swap(p);
    p.reset();
    EXPECT_EQ(maker.returned.size(), 1U);
    q.reset();
    EXPECT_EQ(destroyed(), 1);
}

// From unique_ptr

TEST_F(managed_ptr_test, a_unique_ptr_is_taken_over_with_its_deleter) {
    {
        std::unique_ptr<product> owner = std::make_unique<product>(1);
        const managed_ptr<product> p = std::move(owner);
        EXPECT_EQ(owner, nullptr);
        std::unique_ptr<product, stateless_deleter> with_class(new product(2));
        const managed_ptr<product> q = std::move(with_class);
        std::unique_ptr<product, void (*)(product*)> with_function(new product(3), delete_by_function);
        const managed_ptr<product> r = std::move(with_function);
        EXPECT_EQ(p->value + q->value + r->value, 6);
    }
    EXPECT_EQ(destroyed(), 3);
}

// From shared_ptr and back

TEST_F(managed_ptr_test, a_share_of_a_copied_shared_ptr_is_counted) {
    auto shared = freehold::make_shared<product>(7);
    managed_ptr<product> p = shared;
    EXPECT_EQ(shared.use_count(), 2);
    EXPECT_EQ(p.get(), shared.get());
    shared.reset();
    EXPECT_EQ(destroyed(), 0);
    p.reset();
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(managed_ptr_test, a_share_of_a_moved_shared_ptr_changes_no_count) {
    shared_ptr<product, support::tallied_counting> shared(new product(7));
    support::tallied_counting::changes = 0;
    managed_ptr<product> p = std::move(shared);
    EXPECT_EQ(support::tallied_counting::changes, 0);
    EXPECT_FALSE(shared);
    p.reset();
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(managed_ptr_test, the_way_back_recovers_the_control_block_with_no_allocation_and_no_counting) {
    using tallied = support::tallied_counting;
    support::ledger ledger;
    shared_ptr<product, tallied> shared(new product(7), stateless_deleter(), support::ledger_allocator<int>(ledger));
    const shared_ptr<product, tallied> other = shared;
    const auto* const deleter = freehold::get_deleter<stateless_deleter>(shared);
    tallied::changes = 0;
    managed_ptr<product> p = std::move(shared);
    const shared_ptr<const product, tallied> back = std::move(p);
    EXPECT_EQ(tallied::changes, 0);
    EXPECT_EQ(ledger.allocations, 1);
    EXPECT_FALSE(p);
    EXPECT_EQ(back.get(), other.get());
    EXPECT_TRUE(back.owner_equal(other));
    EXPECT_EQ(freehold::get_deleter<stateless_deleter>(back), deleter);
    EXPECT_EQ(back.use_count(), 2);
}

TEST_F(managed_ptr_test, a_copied_share_is_counted_once_there_and_back) {
    using tallied = support::tallied_counting;
    const shared_ptr<product, tallied> shared(new product(7));
    tallied::changes = 0;
    managed_ptr<product> p = shared;
    const shared_ptr<product, tallied> back = std::move(p);
    EXPECT_EQ(tallied::changes, 1);
    EXPECT_EQ(back.use_count(), 2);
}

TEST_F(managed_ptr_test, an_alias_of_a_share_comes_back_as_an_alias) {
    const auto shared = freehold::make_shared<product>(7);
    managed_ptr<int> alias(managed_ptr<product>(shared), &shared->value);
    const shared_ptr<int> back = std::move(alias);
    EXPECT_EQ(back.get(), &shared->value);
    EXPECT_TRUE(back.owner_equal(shared));
}

TEST_F(managed_ptr_test, a_share_counted_otherwise_comes_back_in_a_block_of_its_own) {
    const auto local = freehold::make_local_shared<product>(7);
    {
        const shared_ptr<product> p = managed_ptr<product>(local);
        EXPECT_EQ(p.get(), local.get());
        EXPECT_EQ(p.use_count(), 1);
        EXPECT_EQ(local.use_count(), 2);
    }
    EXPECT_EQ(local.use_count(), 1);
}

TEST_F(managed_ptr_test, an_empty_shared_ptr_makes_an_empty_one_there_and_back) {
    managed_ptr<product> p = shared_ptr<product>();
    EXPECT_FALSE(p);
    const shared_ptr<product> back = std::move(p);
    EXPECT_EQ(back.use_count(), 0);
}

TEST_F(managed_ptr_test, a_share_in_null_is_released) {
    int calls = 0;
    {
        const managed_ptr<int> p = shared_ptr<int>(nullptr, [&](std::nullptr_t) { ++calls; });
        EXPECT_FALSE(p);
        EXPECT_EQ(calls, 0);
    }
    EXPECT_EQ(calls, 1);
}

TEST_F(managed_ptr_test, an_immortal_goes_there_and_back_uncounted) {
    managed_ptr<int> p = forty_two.share();
    EXPECT_EQ(*p, 42);
    const shared_ptr<int> back = std::move(p);
    EXPECT_EQ(back.use_count(), std::numeric_limits<long>::max());
    EXPECT_TRUE(back.owner_equal(forty_two.share()));
}

TEST_F(managed_ptr_test, a_shared_ptr_takes_over_object_manager_and_alias) {
    product object(7);
    managed_ptr<product> owner(&object, &maker);
    managed_ptr<int> alias(std::move(owner), &object.value);
    shared_ptr<int> shared = std::move(alias);
    EXPECT_FALSE(alias);
    EXPECT_EQ(*shared, 7);
    EXPECT_EQ(shared.use_count(), 1);
    const auto copy = shared;
    shared.reset();
    EXPECT_TRUE(maker.returned.empty());
    EXPECT_EQ(copy.use_count(), 1);
}

TEST_F(managed_ptr_test, the_last_of_the_shared_owners_gives_the_object_back_to_its_manager) {
    product object;
    {
        const shared_ptr<product> shared = managed_ptr<product>(&object, &maker);
        const freehold::weak_ptr<product> weak = shared;
        EXPECT_EQ(weak.use_count(), 1);
    }
    EXPECT_EQ(maker.returned, std::vector<const product*>{&object});
}

TEST_F(managed_ptr_test, a_shared_ptr_is_assigned) {
    auto shared = freehold::make_shared<product>(1);
    shared = managed_ptr<derived>(new derived(2));
    EXPECT_EQ(shared->value, 2);
    EXPECT_EQ(destroyed(), 1);
    managed_ptr<product> p;
    p = shared;
    EXPECT_EQ(shared.use_count(), 2);
}

TEST_F(managed_ptr_test, an_object_learns_of_its_first_shared_owner) {
    const shared_ptr<self_aware> first = managed_ptr<self_aware>(new self_aware);
    EXPECT_EQ(first->shared_from_this(), first);
    const shared_ptr<self_aware> before = managed_ptr<self_aware>(freehold::make_shared<self_aware>());
    EXPECT_EQ(before->shared_from_this(), before);
}
