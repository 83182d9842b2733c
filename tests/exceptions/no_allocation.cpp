// What never allocates works where there is no memory.

#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/copy_on_write.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/immortal.hpp>
#include <freehold/pointers/managed_ptr.hpp>
#include <freehold/pointers/pointer_cast.hpp>
#include <freehold/pointers/thin_ptr.hpp>

#include <memory>
#include <utility>

#include "contracts/shared_family/shared_family.hpp"
#include "support/allocation_failure.hpp"

namespace factory {

struct product : support::tracked {
    int value = 7;
};

struct plant {
    int returned = 0;
};

void reclaim_managed_object(plant* manager, product*) noexcept { ++manager->returned; }

}  // namespace factory

namespace {

using contracts::object;
using factory::product;

template <class Counting>
struct self_aware : freehold::enable_shared_from_this<self_aware<Counting>, Counting> {};

constinit freehold::immortal<int> forty_two(42);

template <class Family>
class no_allocation : public contracts::shared_family<Family> {};

class no_allocation_by : public support::tracked_test {};

}  // namespace

template <>
struct support::implementations<no_allocation> {
    using types = contracts::shared_families;
};

CONTRACT(no_allocation, owners_and_weak_pointers_are_copied_moved_and_cast) {
    auto p = TestFixture::make(7);
    const auto self = TestFixture::template make<self_aware<typename TestFixture::counting>>();
    const support::drained_pool drained;
    const support::limited_new none(0);
    auto copy = p;
    const auto weak = TestFixture::weak_to(copy);
    const typename TestFixture::template pointer<const void> converted = std::move(copy);
    const auto alias = TestFixture::alias(p, &p->value);
    const typename TestFixture::template weak_pointer<int> weak_alias(weak, &p->value);
    copy = freehold::static_pointer_cast<object>(freehold::const_pointer_cast<void>(converted));
    EXPECT_EQ(weak.lock(), copy);
    EXPECT_EQ(weak_alias.lock(), alias);
    EXPECT_EQ(self->shared_from_this(), self);
}

CONTRACT(no_allocation, an_only_owner_gets_its_object_out_or_changes_it) {
    auto p = TestFixture::make(7);
    const support::drained_pool drained;
    const support::limited_new none(0);
    freehold::make_mutable(p).value = 8;
    EXPECT_EQ(freehold::try_unwrap(std::move(p))->value, 8);
}

CONTRACT(no_allocation, immortals_are_shared) {
    const support::drained_pool drained;
    const support::limited_new none(0);
    const auto p = forty_two.share<typename TestFixture::counting>();
    const auto weak = TestFixture::weak_to(p);
    EXPECT_EQ(*weak.lock(), 42);
}

CONTRACT(no_allocation, a_shared_ptr_goes_through_a_managed_one_and_back) {
    auto p = TestFixture::make(7);
    const support::drained_pool drained;
    const support::limited_new none(0);
    int* const value = &p->value;
    freehold::managed_ptr<object> managed = p;
    managed = std::move(p);
    freehold::managed_ptr<int> alias(std::move(managed), value);
    const typename TestFixture::template pointer<int> back = std::move(alias);
    EXPECT_EQ(*back, 7);
    EXPECT_EQ(back.use_count(), 1);
}

TEST_F(no_allocation_by, managed_pointers) {
    factory::plant maker;
    product object;
    auto unique = std::make_unique<product>();
    auto* const raw = new product;
    {
        const support::drained_pool drained;
        const support::limited_new none(0);
        freehold::managed_ptr<product> p(&object, &maker);
        freehold::managed_ptr<product> q(raw);
        q.swap(p);
        p = std::move(unique);
        q = std::move(p);
    }
    EXPECT_EQ(maker.returned, 1);
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(no_allocation_by, thin_pointers_that_become_shared_ones) {
    auto p = freehold::make_thin<product>();
    const support::drained_pool drained;
    const support::limited_new none(0);
    const auto copy = p;
    const freehold::shared_ptr<product> shared = p;
    const freehold::shared_ptr<const void> moved = std::move(p);
    const freehold::weak_ptr<product> weak = shared;
    EXPECT_EQ(weak.lock().use_count(), 4);
}

TEST_F(no_allocation_by, atomic_pointers) {
    const auto p = freehold::make_shared<product>();
    const auto q = freehold::make_shared<product>();
    const support::drained_pool drained;
    const support::limited_new none(0);
    freehold::atomic_shared_ptr<product> atomic(p);
    auto expected = atomic.exchange(q);
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, p));
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, p));
    atomic.store(freehold::shared_ptr<product>(q, p.get()));
    EXPECT_TRUE(atomic.load().owner_equal(q));
}
