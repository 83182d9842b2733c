// make_mutable and try_unwrap, alike for shared_ptr and local_shared_ptr. Threads that do both at once are tested in
// memory_model/counts.cpp.

#include <freehold/pointers/copy_on_write.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/immortal.hpp>

#include "contracts/shared_family/shared_family.hpp"

namespace {

using contracts::object;

struct only_movable : support::tracked {
    explicit only_movable(int initial) : value(std::make_unique<int>(initial)) {}

    std::unique_ptr<int> value;
};

struct refusing : support::tracked {
    refusing() = default;
    refusing(const refusing&) : tracked() { throw std::invalid_argument("refused"); }
};

template <class Counting>
struct aware_document : freehold::enable_shared_from_this<aware_document<Counting>, Counting> {};

constinit freehold::immortal<int> forty_two(42);

template <class Family>
class copy_on_write : public contracts::shared_family<Family> {};

}  // namespace

template <>
struct support::implementations<copy_on_write> {
    using types = contracts::shared_families;
};

static_assert(std::is_same_v<decltype(freehold::try_unwrap(freehold::shared_ptr<const int>())), std::optional<int>>);
static_assert(noexcept(freehold::try_unwrap(freehold::shared_ptr<int>())));
static_assert(!noexcept(freehold::try_unwrap(freehold::shared_ptr<refusing>())));

CONTRACT(copy_on_write, an_only_owner_may_change_its_object_in_place) {
    auto p = TestFixture::make(1);
    auto* const before = p.get();
    freehold::make_mutable(p).value = 2;
    EXPECT_EQ(p.get(), before);
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(TestFixture::alive(), 1);
}

CONTRACT(copy_on_write, one_of_several_owners_gets_a_copy_and_the_others_keep_the_object) {
    auto p = TestFixture::make(1);
    const auto other = p;
    freehold::make_mutable(p).value = 2;
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(other->value, 1);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(other.use_count(), 1);
    EXPECT_EQ(TestFixture::alive(), 2);
}

CONTRACT(copy_on_write, an_object_is_not_changed_under_its_weak_pointers) {
    auto p = TestFixture::make(1);
    const auto weak = TestFixture::weak_to(p);
    freehold::make_mutable(p).value = 2;
    EXPECT_EQ(p->value, 2);
    EXPECT_TRUE(weak.expired());
    EXPECT_EQ(TestFixture::alive(), 1);
}

CONTRACT(copy_on_write, a_copy_that_fails_changes_nothing) {
    auto p = TestFixture::template make<refusing>();
    const auto other = p;
    EXPECT_THROW(static_cast<void>(freehold::make_mutable(p)), std::invalid_argument);
    EXPECT_EQ(p, other);
    EXPECT_EQ(p.use_count(), 2);
    EXPECT_EQ(TestFixture::alive(), 1);
}

CONTRACT(copy_on_write, a_copy_knows_its_owner) {
    auto p = TestFixture::template make<aware_document<typename TestFixture::counting>>();
    const auto other = p;
    const auto* const copy = &freehold::make_mutable(p);
    EXPECT_EQ(copy, p.get());
    EXPECT_NE(p, other);
    EXPECT_EQ(p->shared_from_this(), p);
}

CONTRACT(copy_on_write, an_immortal_is_copied) {
    auto p = forty_two.share<typename TestFixture::counting>();
    freehold::make_mutable(p) = 7;
    EXPECT_EQ(*p, 7);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(forty_two.get(), 42);
}

CONTRACT(copy_on_write, an_only_owner_unwraps_its_object) {
    auto p = TestFixture::template make<only_movable>(7);
    const auto object = freehold::try_unwrap(std::move(p));
    ASSERT_TRUE(object.has_value());
    EXPECT_EQ(*object->value, 7);
    EXPECT_EQ(p.get(), nullptr);
    EXPECT_EQ(p.use_count(), 0);
    EXPECT_EQ(TestFixture::alive(), 1) << "what is left of it has ended";
}

CONTRACT(copy_on_write, one_of_several_owners_unwraps_nothing_and_stays) {
    auto p = TestFixture::make(7);
    const auto other = p;
    EXPECT_FALSE(freehold::try_unwrap(std::move(p)).has_value());
    EXPECT_EQ(p, other);
    EXPECT_EQ(p.use_count(), 2);
}

CONTRACT(copy_on_write, weak_pointers_to_an_unwrapped_object_are_expired) {
    support::ledger ledger;
    auto p = TestFixture::allocate(TestFixture::recording(ledger), 7);
    {
        const auto weak = TestFixture::weak_to(p);
        EXPECT_EQ(freehold::try_unwrap(std::move(p))->value, 7);
        EXPECT_TRUE(weak.expired());
        EXPECT_FALSE(weak.lock());
        EXPECT_EQ(ledger.live.size(), 1U);
    }
    EXPECT_TRUE(ledger.live.empty());
}

CONTRACT(copy_on_write, an_unwrapped_object_that_was_made_elsewhere_is_deleted) {
    int deleted = 0;
    {
        auto p = TestFixture::own(new object(7), [&](object* q) {
            ++deleted;
            delete q;
        });
        EXPECT_EQ(freehold::try_unwrap(std::move(p))->value, 7);
    }
    EXPECT_EQ(deleted, 1);
}

CONTRACT(copy_on_write, a_move_that_fails_lets_the_object_end) {
    auto p = TestFixture::template make<refusing>();
    EXPECT_THROW(static_cast<void>(freehold::try_unwrap(std::move(p))), std::invalid_argument);
    EXPECT_EQ(p.use_count(), 0);
    EXPECT_EQ(TestFixture::alive(), 0);
}

CONTRACT(copy_on_write, nothing_is_unwrapped_from_an_empty_pointer_nor_from_an_immortal) {
    EXPECT_FALSE(freehold::try_unwrap(typename TestFixture::template pointer<object>()).has_value());
    auto immortal = forty_two.share<typename TestFixture::counting>();
    EXPECT_FALSE(freehold::try_unwrap(std::move(immortal)).has_value());
    EXPECT_EQ(*immortal, 42);
}
