// The contract of the shared_ptr family: ownership taken over from std::unique_ptr. Failed allocations are tested
// in exceptions/conversions.cpp.

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "shared_family.hpp"

namespace contracts {

namespace {

struct adopted_base {
    int value = 1;
};

struct adopted : adopted_base, support::tracked {};

struct counting_deleter {
    void operator()(const object* p) {
        ++calls;
        delete p;
    }

    int calls = 0;
};

// A deleter that is kept where it is.
struct immovable_deleter : counting_deleter {
    immovable_deleter() = default;
    immovable_deleter(const immovable_deleter&) = delete;
    immovable_deleter& operator=(const immovable_deleter&) = delete;
};

// A unique_ptr with this deleter holds a class instead of an address.
struct fancy_deleter {
    class pointer {
    public:
        pointer(std::nullptr_t = nullptr) {}
        explicit pointer(object* address) : address_(address) {}

        object& operator*() const { return *address_; }
        object* operator->() const { return address_; }
        operator object*() const { return address_; }
        explicit operator bool() const { return address_ != nullptr; }
        bool operator==(const pointer&) const = default;
        bool operator==(std::nullptr_t) const { return address_ == nullptr; }

    private:
        object* address_ = nullptr;
    };

    void operator()(pointer p) const {
        ++*calls;
        delete static_cast<object*>(p);
    }

    int* calls;
};

}  // namespace

CONTRACT(shared_family, a_unique_ptr_is_taken_over) {
    auto unique = std::make_unique<object>(7);
    const auto* const raw = unique.get();
    const typename TestFixture::template pointer<object> p = std::move(unique);
    EXPECT_EQ(unique, nullptr);
    EXPECT_EQ(p.get(), raw);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(shared_family, an_empty_unique_ptr_makes_an_empty_pointer_and_its_deleter_is_not_called) {
    int calls = 0;
    auto deleter = [&calls](object*) { ++calls; };
    {
        const typename TestFixture::template pointer<object> p =
            std::unique_ptr<object, decltype(deleter)>(nullptr, deleter);
        EXPECT_EQ(p.use_count(), 0);
        EXPECT_EQ(p.get(), nullptr);
    }
    EXPECT_EQ(calls, 0);
}

CONTRACT(shared_family, a_unique_ptr_is_assigned) {
    auto p = TestFixture::make(1);
    p = std::make_unique<object>(2);
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(TestFixture::destroyed(), 1);
    p = std::unique_ptr<object>();
    EXPECT_FALSE(p);
    EXPECT_EQ(TestFixture::destroyed(), 2);
}

CONTRACT(shared_family, a_unique_ptr_to_derived_is_deleted_as_such) {
    {
        const typename TestFixture::template pointer<const adopted_base> p = std::make_unique<adopted>();
    }
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family, the_deleter_of_a_unique_ptr_comes_along) {
    typename TestFixture::template pointer<object> p = std::unique_ptr<object, counting_deleter>(new object);
    auto* const deleter = freehold::get_deleter<counting_deleter>(p);
    ASSERT_NE(deleter, nullptr);
    const auto weak = TestFixture::weak_to(p);
    p.reset();
    EXPECT_EQ(deleter->calls, 1);
}

CONTRACT(shared_family, a_deleter_that_can_only_be_moved_comes_along) {
    auto only_movable = [keep = std::make_unique<int>(7)](const object* p) {
        EXPECT_EQ(*keep, 7);
        delete p;
    };
    using deleter = decltype(only_movable);
    {
        const typename TestFixture::template pointer<object> p =
            std::unique_ptr<object, deleter>(new object, std::move(only_movable));
    }
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family, a_reference_wrapper_by_reference_is_copied_and_not_wrapped_again) {
    counting_deleter deleter;
    std::reference_wrapper<counting_deleter> wrapper(deleter);
    {
        std::unique_ptr<object, std::reference_wrapper<counting_deleter>&> unique(new object, wrapper);
        const typename TestFixture::template pointer<object> p = std::move(unique);
        const auto* const kept = freehold::get_deleter<std::reference_wrapper<counting_deleter>>(p);
        ASSERT_NE(kept, nullptr);
        EXPECT_EQ(&kept->get(), &deleter);
    }
    EXPECT_EQ(deleter.calls, 1);
}

CONTRACT(shared_family, a_deleter_by_reference_stays_where_it_is) {
    immovable_deleter deleter;
    {
        std::unique_ptr<object, immovable_deleter&> unique(new object, deleter);
        const typename TestFixture::template pointer<object> p = std::move(unique);
        EXPECT_EQ(&freehold::get_deleter<std::reference_wrapper<immovable_deleter>>(p)->get(), &deleter);
    }
    EXPECT_EQ(deleter.calls, 1);
}

CONTRACT(shared_family, a_unique_ptr_may_hold_a_fancy_pointer) {
    int calls = 0;
    {
        std::unique_ptr<object, fancy_deleter> unique(fancy_deleter::pointer(new object(7)), fancy_deleter{&calls});
        const typename TestFixture::template pointer<object> p = std::move(unique);
        EXPECT_EQ(p->value, 7);
    }
    EXPECT_EQ(calls, 1);
}

CONTRACT(shared_family, a_unique_array_is_taken_over_whole) {
    {
        const typename TestFixture::template pointer<object[]> p = std::make_unique<object[]>(3);
        EXPECT_EQ(p[2].value, 0);
    }
    EXPECT_EQ(TestFixture::destroyed(), 3);
    EXPECT_FALSE((std::is_constructible_v<typename TestFixture::template pointer<object>, std::unique_ptr<object[]>>));
    EXPECT_FALSE((std::is_constructible_v<typename TestFixture::template pointer<object[]>, std::unique_ptr<object>>));
}

CONTRACT(shared_family, the_block_of_what_was_unique_comes_from_the_allocator) {
    support::ledger ledger;
    typename TestFixture::template pointer<object> p(std::make_unique<object>(7), TestFixture::recording(ledger));
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(ledger.live.size(), 1U);
    p.reset(std::make_unique<object>(8), TestFixture::recording(ledger));
    EXPECT_EQ(p->value, 8);
    EXPECT_EQ(ledger.allocations, 2);
    EXPECT_EQ(ledger.live.size(), 1U);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family, a_unique_ptr_is_taken_over_only_as_an_rvalue_that_converts) {
    using pointer_to_base = typename TestFixture::template pointer<adopted_base>;
    EXPECT_TRUE((std::is_convertible_v<std::unique_ptr<adopted>, pointer_to_base>));
    EXPECT_FALSE((std::is_constructible_v<pointer_to_base, std::unique_ptr<adopted>&>));
    EXPECT_FALSE(
        (std::is_constructible_v<typename TestFixture::template pointer<adopted>, std::unique_ptr<adopted_base>>));
    EXPECT_FALSE(
        (std::is_assignable_v<typename TestFixture::template pointer<adopted>&, std::unique_ptr<adopted_base>>));
}

}  // namespace contracts
