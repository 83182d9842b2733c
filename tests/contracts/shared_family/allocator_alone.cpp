// The contract of the shared_ptr family: an allocator without a deleter, and with whatever allocates (N1851).

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "shared_family.hpp"

namespace contracts {

namespace {

struct extended : object {
    support::tracked other_part;
};

struct neither {};

struct almost_an_allocator {
    using value_type = int;
    int* allocate(std::size_t);
};

// Could be a deleter as well.
template <class T>
struct callable_allocator : support::ledger_allocator<T> {
    using support::ledger_allocator<T>::ledger_allocator;

    template <class U>
    callable_allocator(const callable_allocator<U>& other) : support::ledger_allocator<T>(other) {}

    template <class U>
    struct rebind {
        using other = callable_allocator<U>;
    };

    void operator()(const void*) const { ++calls; }

    static inline int calls = 0;
};

}  // namespace

CONTRACT(shared_family, an_allocator_alone_gives_the_block_and_the_object_is_deleted) {
    support::ledger ledger;
    {
        const typename TestFixture::template pointer<object> p(new extended, TestFixture::recording(ledger));
        EXPECT_EQ(ledger.live.size(), 1U);
        EXPECT_EQ(p.use_count(), 1);
    }
    EXPECT_EQ(TestFixture::destroyed(), 2) << "both parts";
    EXPECT_TRUE(ledger.live.empty());
    EXPECT_EQ(ledger.destroyed, 0);
}

CONTRACT(shared_family, an_allocator_alone_serves_an_array) {
    support::ledger ledger;
    {
        const typename TestFixture::template pointer<object[]> p(new object[3], TestFixture::recording(ledger));
        EXPECT_EQ(ledger.live.size(), 1U);
    }
    EXPECT_EQ(TestFixture::destroyed(), 3);
}

CONTRACT(shared_family, reset_takes_an_allocator_alone) {
    support::ledger ledger;
    auto p = TestFixture::make(1);
    p.reset(new object(2), TestFixture::recording(ledger));
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(ledger.live.size(), 1U);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family, any_allocator_of_the_standard_library_is_told_from_a_deleter) {
    const typename TestFixture::template pointer<object> p(new object, std::allocator<char>());
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(freehold::get_deleter<std::allocator<char>>(p), nullptr);
}

CONTRACT(shared_family, what_can_be_called_is_a_deleter_unless_a_tag_says_otherwise) {
    support::ledger ledger;
    using allocator = callable_allocator<object>;
    allocator::calls = 0;
    object value;
    {
        const typename TestFixture::template pointer<object> p(&value, allocator(ledger));
        EXPECT_EQ(ledger.allocations, 0);
    }
    EXPECT_EQ(allocator::calls, 1);
    {
        const typename TestFixture::template pointer<object> p(std::allocator_arg, allocator(ledger), new object);
        EXPECT_EQ(ledger.allocations, 1);
    }
    EXPECT_EQ(allocator::calls, 1);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family, reset_takes_an_allocator_that_could_be_called_by_its_tag) {
    support::ledger ledger;
    using allocator = callable_allocator<object>;
    auto p = TestFixture::make(1);
    p.reset(std::allocator_arg, allocator(ledger), new object(2));
    EXPECT_EQ(ledger.live.size(), 1U);
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family, what_is_neither_allocator_nor_deleter_is_refused) {
    using owner = typename TestFixture::template pointer<object>;
    EXPECT_FALSE((std::is_constructible_v<owner, object*, neither>));
    EXPECT_FALSE((std::is_constructible_v<owner, object*, almost_an_allocator>));
    EXPECT_FALSE((std::is_constructible_v<owner, object*, int>));
}

CONTRACT(shared_family, an_alias_may_be_reset) {
    const auto owner = TestFixture::make(7);
    typename TestFixture::template pointer<int> p(new int(1));
    p.reset(owner, &owner->value);
    EXPECT_EQ(p.get(), &owner->value);
    EXPECT_EQ(owner.use_count(), 2);
}

CONTRACT(shared_family, an_alias_may_be_reset_to_one_of_an_owner_that_is_taken_over) {
    auto owner = TestFixture::make(7);
    int* const value = &owner->value;
    typename TestFixture::template pointer<int> p(new int(1));
    p.reset(std::move(owner), value);
    EXPECT_EQ(p.get(), value);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_FALSE(owner);
}

}  // namespace contracts
