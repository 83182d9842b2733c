// shared_ptr and local_shared_ptr when an allocation or a constructor fails.

#include <cstddef>
#include <stdexcept>

#include "contracts/shared_family/shared_family.hpp"
#include "support/allocation_failure.hpp"

namespace {

using contracts::object;

// What the deleter of a test has been called with.
struct deletions {
    int calls = 0;
    const void* last = nullptr;
};

auto recording_deleter(deletions& record) {
    return [&record](const void* pointer) {
        ++record.calls;
        record.last = pointer;
    };
}

struct unwilling : support::tracked {
    explicit unwilling(bool refuse) {
        if (refuse) throw std::invalid_argument("refused");
    }

    char bytes[40] = {};
};

template <class Family>
class shared_family_failure : public contracts::shared_family<Family> {};

}  // namespace

template <>
struct support::implementations<shared_family_failure> {
    using types = contracts::shared_families;
};

CONTRACT(shared_family_failure, a_constructor_that_fails_has_deleted_the_object) {
    int attempts = 0;
    const int failures = support::fail_each_allocation(
        [&](int allowed) {
            const support::drained_pool drained;
            auto* const raw = new object;
            ++attempts;
            const support::limited_new limit(allowed);
            const auto p = TestFixture::own(raw);
        },
        [&] { EXPECT_EQ(TestFixture::destroyed(), attempts); });
    EXPECT_GE(failures, 1);
    EXPECT_EQ(TestFixture::destroyed(), failures + 1);
}

CONTRACT(shared_family_failure, a_constructor_that_fails_has_deleted_the_array) {
    typename TestFixture::template pointer<object[]> p;
    const support::drained_pool drained;
    auto* const raw = new object[3];
    const auto attempt = [&] {
        const support::limited_new limit(0);
        p = typename TestFixture::template pointer<object[]>(raw);
    };
    EXPECT_THROW(attempt(), std::bad_alloc);
    EXPECT_EQ(TestFixture::destroyed(), 3);
}

CONTRACT(shared_family_failure, a_constructor_that_fails_has_called_the_deleter_once) {
    int value = 0;
    const int failures = support::fail_each_allocation(
        [&](int allowed) {
            const support::drained_pool drained;
            deletions record;
            try {
                const support::limited_new limit(allowed);
                const auto p = TestFixture::own(&value, recording_deleter(record));
                EXPECT_EQ(record.calls, 0);
            } catch (const std::bad_alloc&) {
                EXPECT_EQ(record.calls, 1);
                EXPECT_EQ(record.last, &value);
                throw;
            }
        },
        [] {});
    EXPECT_GE(failures, 1);
}

CONTRACT(shared_family_failure, a_constructor_that_fails_has_called_the_deleter_for_null) {
    const support::drained_pool drained;
    deletions record;
    const auto attempt = [&] {
        const support::limited_new limit(0);
        const typename TestFixture::template pointer<int> p(nullptr, recording_deleter(record));
    };
    EXPECT_THROW(attempt(), std::bad_alloc);
    EXPECT_EQ(record.calls, 1);
    EXPECT_EQ(record.last, nullptr);
}

CONTRACT(shared_family_failure, a_failing_allocator_lets_the_deleter_be_called_once) {
    support::ledger ledger;
    ledger.allocations_left = 0;
    int value = 0;
    deletions record;
    EXPECT_THROW(TestFixture::own(&value, recording_deleter(record), TestFixture::recording(ledger)), std::bad_alloc);
    EXPECT_EQ(record.calls, 1);
    EXPECT_EQ(record.last, &value);
    using pointer_to_int = typename TestFixture::template pointer<int>;
    EXPECT_THROW(pointer_to_int(nullptr, recording_deleter(record), TestFixture::recording(ledger)), std::bad_alloc);
    EXPECT_EQ(record.calls, 2);
    EXPECT_EQ(record.last, nullptr);
}

CONTRACT(shared_family_failure, a_reset_that_fails_changes_nothing_and_deletes_the_new_object) {
    auto p = TestFixture::make(7);
    auto* const old = p.get();
    const support::drained_pool drained;
    auto* const raw = new object(8);
    const auto attempt = [&] {
        const support::limited_new limit(0);
        p.reset(raw);
    };
    EXPECT_THROW(attempt(), std::bad_alloc);
    EXPECT_EQ(p.get(), old);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family_failure, a_reset_with_a_deleter_that_fails_changes_nothing_and_calls_it) {
    int old = 0;
    int value = 0;
    deletions old_record;
    deletions record;
    support::ledger ledger;
    auto p = TestFixture::own(&old, recording_deleter(old_record));
    const support::drained_pool drained;
    const auto attempt = [&] {
        const support::limited_new limit(0);
        p.reset(&value, recording_deleter(record));
    };
    EXPECT_THROW(attempt(), std::bad_alloc);
    EXPECT_EQ(record.calls, 1);
    ledger.allocations_left = 0;
    EXPECT_THROW(p.reset(&value, recording_deleter(record), TestFixture::recording(ledger)), std::bad_alloc);
    EXPECT_EQ(record.calls, 2);
    EXPECT_EQ(record.last, &value);
    EXPECT_EQ(p.get(), &old);
    EXPECT_EQ(old_record.calls, 0);
}

CONTRACT(shared_family_failure, make_that_fails_has_constructed_nothing) {
    const int failures = support::fail_each_in_drained_pool([] { const auto p = TestFixture::make(); },
                                                            [] { EXPECT_EQ(TestFixture::destroyed(), 0); });
    EXPECT_EQ(failures, 1);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family_failure, allocate_that_fails_has_constructed_nothing) {
    support::ledger ledger;
    const int failures = support::fail_each_allocation(
        [&](int allowed) {
            ledger.allocations_left = allowed;
            const auto p = TestFixture::allocate(TestFixture::recording(ledger));
        },
        [&] {
            EXPECT_EQ(ledger.constructed, 0);
            EXPECT_TRUE(ledger.live.empty());
        });
    EXPECT_EQ(failures, 1);
    EXPECT_EQ(ledger.destroyed, 1);
}

CONTRACT(shared_family_failure, a_constructor_that_throws_in_allocate_gives_the_memory_back) {
    support::ledger ledger;
    EXPECT_THROW(TestFixture::template allocate<unwilling>(TestFixture::recording(ledger), true),
                 std::invalid_argument);
    EXPECT_EQ(ledger.allocations, 1);
    EXPECT_TRUE(ledger.live.empty());
    EXPECT_EQ(ledger.destroyed, 0);
}

CONTRACT(shared_family_failure, a_constructor_that_throws_in_make_gives_the_memory_back) {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    GTEST_SKIP() << "the sanitizer gets blocks of their own, and finds by itself what is lost";
#endif
    const void* const expected = TestFixture::template make<unwilling>(false).get();
    EXPECT_THROW(TestFixture::template make<unwilling>(true), std::invalid_argument);
    EXPECT_EQ(TestFixture::template make<unwilling>(false).get(), expected) << "the pool hands out what was freed last";
}
