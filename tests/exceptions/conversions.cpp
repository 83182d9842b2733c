// Taking ownership over, each allocation failing in turn: a raw pointer has been deleted, a unique_ptr or managed_ptr
// still owns, and what was to be assigned to is as it was.

#include <freehold/pointers/managed_ptr.hpp>

#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "contracts/shared_family/shared_family.hpp"
#include "support/allocation_failure.hpp"

namespace factory {

struct workshop {
    int returned = 0;
};

void reclaim_managed_object(workshop* manager, contracts::object* object) noexcept {
    ++manager->returned;
    delete object;
}

}  // namespace factory

namespace {

using contracts::object;
using support::fail_each_in_drained_pool;

template <class Family>
class conversion_failure : public contracts::shared_family<Family> {
protected:
    using owner = typename Family::template pointer<object>;
};

}  // namespace

template <>
struct support::implementations<conversion_failure> {
    using types = contracts::shared_families;
};

// Raw pointers

CONTRACT(conversion_failure, an_allocator_alone_that_fails_lets_the_object_be_deleted_once) {
    support::ledger ledger;
    const auto allocator = TestFixture::recording(ledger);
    int attempts = 0;
    const int failures = support::fail_each_allocation(
        [&](int allowed) {
            ++attempts;
            ledger.allocations_left = allowed;
            const auto p = TestFixture::own(new object, allocator);
        },
        [&] {
            EXPECT_EQ(TestFixture::destroyed(), attempts);
            EXPECT_EQ(TestFixture::alive(), 0);
        });
    EXPECT_EQ(failures, 1);
}

CONTRACT(conversion_failure, an_allocator_with_its_tag_that_fails_lets_the_object_be_deleted_once) {
    support::ledger ledger;
    ledger.allocations_left = 0;
    const auto allocator = TestFixture::recording(ledger);
    EXPECT_THROW(typename TestFixture::owner(std::allocator_arg, allocator, new object), std::bad_alloc);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(conversion_failure, a_reset_with_an_allocator_alone_that_fails_changes_nothing) {
    support::ledger ledger;
    ledger.allocations_left = 0;
    auto p = TestFixture::make(7);
    EXPECT_THROW(p.reset(new object(8), TestFixture::recording(ledger)), std::bad_alloc);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(conversion_failure, a_deleter_is_called_as_it_was_given_and_not_moved_before) {
    int calls = 0;
    const support::drained_pool drained;
    std::function<void(object*)> deleter = [&](object* p) {
        ++calls;
        delete p;
    };
    auto* const raw = new object;
    const auto attempt = [&] {
        const support::limited_new limit(0);
        const auto p = TestFixture::own(raw, std::move(deleter));
    };
    EXPECT_THROW(attempt(), std::bad_alloc);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(TestFixture::alive(), 0);
}

// std::unique_ptr

CONTRACT(conversion_failure, a_unique_ptr_keeps_its_object) {
    auto source = std::make_unique<object>(7);
    const auto* const raw = source.get();
    const int failures = fail_each_in_drained_pool([&] { const typename TestFixture::owner p = std::move(source); },
                                                   [&] { EXPECT_EQ(source.get(), raw); });
    EXPECT_GE(failures, 1);
    EXPECT_EQ(source, nullptr);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(conversion_failure, a_unique_ptr_keeps_its_deleter_in_working_order) {
    int calls = 0;
    const auto count_and_delete = [&calls](object* p) {
        ++calls;
        delete p;
    };
    using with_state = std::unique_ptr<object, std::function<void(object*)>>;
    {
        with_state source(new object, count_and_delete);
        const support::drained_pool drained;
        const auto attempt = [&] {
            const support::limited_new limit(0);
            const typename TestFixture::owner p = std::move(source);
        };
        EXPECT_THROW(attempt(), std::bad_alloc);
        EXPECT_NE(source, nullptr);
        EXPECT_TRUE(source.get_deleter()) << "it was moved out of the unique_ptr that still needs it";
        if (!source.get_deleter()) source.get_deleter() = count_and_delete;
    }
    EXPECT_EQ(calls, 1);
}

CONTRACT(conversion_failure, an_assignment_from_a_unique_ptr_leaves_both_as_they_were) {
    auto p = TestFixture::make(1);
    auto source = std::make_unique<object>(2);
    const int failures = fail_each_in_drained_pool([&] { p = std::move(source); },
                                                   [&] {
                                                       EXPECT_EQ(p->value, 1);
                                                       EXPECT_EQ(p.use_count(), 1);
                                                       EXPECT_EQ(source->value, 2);
                                                   });
    EXPECT_GE(failures, 1);
    EXPECT_EQ(p->value, 2);
}

CONTRACT(conversion_failure, an_allocator_that_fails_leaves_a_unique_ptr_as_it_was) {
    support::ledger ledger;
    ledger.allocations_left = 0;
    const auto allocator = TestFixture::recording(ledger);
    auto p = TestFixture::make(1);
    auto source = std::make_unique<object>(2);
    EXPECT_THROW(typename TestFixture::owner(std::move(source), allocator), std::bad_alloc);
    EXPECT_THROW(p.reset(std::move(source), allocator), std::bad_alloc);
    EXPECT_EQ(source->value, 2);
    EXPECT_EQ(p->value, 1);
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(conversion_failure, a_unique_array_keeps_its_elements) {
    auto source = std::make_unique<object[]>(3);
    const support::drained_pool drained;
    const auto attempt = [&] {
        const support::limited_new limit(0);
        const typename TestFixture::template pointer<object[]> p = std::move(source);
    };
    EXPECT_THROW(attempt(), std::bad_alloc);
    EXPECT_NE(source, nullptr);
    EXPECT_EQ(TestFixture::alive(), 3);
}

// managed_ptr

CONTRACT(conversion_failure, a_managed_ptr_keeps_its_object_its_alias_and_its_manager) {
    factory::workshop maker;
    freehold::managed_ptr<object> source(new object(7), &maker);
    int* const value = &source->value;
    freehold::managed_ptr<int> alias(std::move(source), value);
    const int failures =
        fail_each_in_drained_pool([&] { const typename TestFixture::template pointer<int> p = std::move(alias); },
                                  [&] {
                                      EXPECT_EQ(alias.get(), value);
                                      EXPECT_EQ(maker.returned, 0);
                                  });
    EXPECT_GE(failures, 1);
    EXPECT_FALSE(alias);
    EXPECT_EQ(maker.returned, 1);
}

CONTRACT(conversion_failure, an_assignment_from_a_managed_ptr_leaves_both_as_they_were) {
    auto p = TestFixture::make(1);
    freehold::managed_ptr<object> source(new object(2));
    const int failures = fail_each_in_drained_pool([&] { p = std::move(source); },
                                                   [&] {
                                                       EXPECT_EQ(p->value, 1);
                                                       EXPECT_EQ(source->value, 2);
                                                       EXPECT_EQ(TestFixture::destroyed(), 0);
                                                   });
    EXPECT_GE(failures, 1);
    EXPECT_EQ(p->value, 2);
}
