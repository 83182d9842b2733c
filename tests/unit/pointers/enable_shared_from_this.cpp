// Objects that make owners of themselves, alike for shared_ptr and local_shared_ptr.

#include <freehold/pointers/enable_shared_from_this.hpp>

#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <freehold/pointers/copy_on_write.hpp>
#include <freehold/pointers/immortal.hpp>
#include <freehold/pointers/managed_ptr.hpp>
#include <freehold/pointers/reuse.hpp>
#include <freehold/pointers/thin_ptr.hpp>

#include "contracts/shared_family/shared_family.hpp"

namespace {

using contracts::shared_families;

template <class Counting>
struct self_aware : freehold::enable_shared_from_this<self_aware<Counting>, Counting>, support::tracked {
    explicit self_aware(int initial = 0) : value(initial) {}
    virtual ~self_aware() = default;

    int value;
};

struct prefix {
    long padding = 0;
};

template <class Counting>
struct derived : prefix, self_aware<Counting> {};

struct without_virtual_destructor : freehold::enable_shared_from_this<without_virtual_destructor> {};
struct derived_without : without_virtual_destructor {};

struct hidden : private freehold::enable_shared_from_this<hidden> {
    using freehold::enable_shared_from_this<hidden>::weak_from_this;
};

struct left : freehold::enable_shared_from_this<left> {};
struct right : freehold::enable_shared_from_this<right> {};
struct twice : left, right {};

template <class Family>
class enable_shared_from_this : public contracts::shared_family<Family> {
protected:
    using counting = typename Family::counting;
    using aware = self_aware<counting>;
    using owner = typename Family::template pointer<aware>;
};

}  // namespace

template <>
struct support::implementations<enable_shared_from_this> {
    using types = shared_families;
};

static_assert(sizeof(freehold::enable_shared_from_this<left>) == 2 * sizeof(void*));
static_assert(!std::is_default_constructible_v<freehold::enable_shared_from_this<left>>, "only as a base");
static_assert(std::is_same_v<decltype(std::declval<left&>().shared_from_this()), freehold::shared_ptr<left>>);
static_assert(
    std::is_same_v<decltype(std::declval<const left&>().shared_from_this()), freehold::shared_ptr<const left>>);
static_assert(std::is_same_v<decltype(std::declval<const left&>().weak_from_this()), freehold::weak_ptr<const left>>);
static_assert(noexcept(std::declval<left&>().weak_from_this()));

CONTRACT(enable_shared_from_this, an_object_made_in_place_knows_its_owner) {
    const auto p = TestFixture::template make<typename TestFixture::aware>(7);
    const auto self = p->shared_from_this();
    EXPECT_EQ(self, p);
    EXPECT_EQ(p.use_count(), 2);
    EXPECT_EQ(std::as_const(*p).shared_from_this(), p);
    EXPECT_EQ(p->weak_from_this().lock(), p);
}

CONTRACT(enable_shared_from_this, every_first_owner_is_known) {
    using object = typename TestFixture::aware;
    support::ledger ledger;
    const auto deleter = [](const object* p) { delete p; };
    const auto raw = TestFixture::own(new object);
    EXPECT_EQ(raw->shared_from_this(), raw);
    const auto with_deleter = TestFixture::own(new object, deleter);
    EXPECT_EQ(with_deleter->shared_from_this(), with_deleter);
    const auto with_allocator = TestFixture::own(new object, deleter, TestFixture::recording(ledger));
    EXPECT_EQ(with_allocator->shared_from_this(), with_allocator);
    const auto allocated = TestFixture::template allocate<object>(TestFixture::recording(ledger));
    EXPECT_EQ(allocated->shared_from_this(), allocated);
    const typename TestFixture::owner from_unique = std::make_unique<object>();
    EXPECT_EQ(from_unique->shared_from_this(), from_unique);
    auto reset = TestFixture::own(new object);
    reset.reset(new object);
    EXPECT_EQ(reset->shared_from_this(), reset);
    const auto overwritten = TestFixture::template make_for_overwrite<object>();
    EXPECT_EQ(overwritten->shared_from_this(), overwritten);
}

CONTRACT(enable_shared_from_this, an_object_in_the_place_of_another_knows_its_owner) {
    using object = typename TestFixture::aware;
    auto p = TestFixture::template make<object>(1);
    freehold::make_mutable(p).value = 2;
    EXPECT_EQ(p->shared_from_this(), p);
    p = freehold::reuse(std::move(p), 3);
    EXPECT_EQ(p->shared_from_this(), p);
}

CONTRACT(enable_shared_from_this, a_thin_owner_is_known) {
    using object = typename TestFixture::aware;
    auto thin = freehold::make_thin<object, typename TestFixture::counting>(1);
    EXPECT_EQ(thin->shared_from_this().get(), thin.get());
    thin = freehold::reuse(std::move(thin), 2);
    EXPECT_EQ(thin->shared_from_this().get(), thin.get());
}

CONTRACT(enable_shared_from_this, an_owner_that_was_managed_is_known) {
    using object = typename TestFixture::aware;
    const typename TestFixture::owner p = freehold::managed_ptr<object>(new object(1));
    EXPECT_EQ(p->shared_from_this(), p);
}

CONTRACT(enable_shared_from_this, an_object_without_an_owner_has_none_to_share_with) {
    typename TestFixture::aware on_the_stack;
    EXPECT_THROW(static_cast<void>(on_the_stack.shared_from_this()), std::bad_weak_ptr);
    EXPECT_TRUE(on_the_stack.weak_from_this().expired());
}

CONTRACT(enable_shared_from_this, an_object_has_no_owner_while_it_is_constructed) {
    struct asking : freehold::enable_shared_from_this<asking, typename TestFixture::counting> {
        asking() {
            EXPECT_TRUE(this->weak_from_this().expired());
            EXPECT_THROW(static_cast<void>(this->shared_from_this()), std::bad_weak_ptr);
        }
    };
    const auto p = TestFixture::template make<asking>();
    EXPECT_EQ(p->shared_from_this(), p);
}

CONTRACT(enable_shared_from_this, an_object_has_no_owner_any_more_while_it_is_destroyed) {
    struct asking : freehold::enable_shared_from_this<asking, typename TestFixture::counting>, support::tracked {
        ~asking() {
            const auto copy = this->weak_from_this();
            EXPECT_TRUE(copy.expired());
            EXPECT_FALSE(copy.lock());
            EXPECT_THROW(static_cast<void>(this->shared_from_this()), std::bad_weak_ptr);
        }
    };
    TestFixture::template make<asking>().reset();
    TestFixture::own(new asking).reset();
    EXPECT_EQ(TestFixture::destroyed(), 2);
}

CONTRACT(enable_shared_from_this, a_base_is_found_in_a_derived_object) {
    const auto p = TestFixture::template make<derived<typename TestFixture::counting>>();
    EXPECT_EQ(p->shared_from_this(), p);
    const typename TestFixture::owner base(new derived<typename TestFixture::counting>);
    EXPECT_EQ(base->shared_from_this(), base);
}

CONTRACT(enable_shared_from_this, constant_and_volatile_objects_know_their_owners) {
    using object = typename TestFixture::aware;
    const typename TestFixture::template pointer<const object> constant(new object);
    EXPECT_EQ(constant->shared_from_this(), constant);
    const auto made = TestFixture::template make<const object>();
    EXPECT_EQ(made->shared_from_this(), made);
    const typename TestFixture::template pointer<volatile object> changing(new object);
    EXPECT_EQ(const_cast<object*>(changing.get())->shared_from_this(), changing);
    const typename TestFixture::template pointer<volatile object> given_as_volatile(
        static_cast<volatile object*>(new object));
    EXPECT_EQ(const_cast<object*>(given_as_volatile.get())->shared_from_this(), given_as_volatile);
}

CONTRACT(enable_shared_from_this, an_alias_that_comes_later_does_not_replace_the_owner) {
    using object = typename TestFixture::aware;
    const auto p = TestFixture::own(new object(7));
    const typename TestFixture::owner other(p.get(), [](object*) {});
    EXPECT_TRUE(p->shared_from_this().owner_equal(p));
    EXPECT_EQ(p.use_count(), 1);
}

CONTRACT(enable_shared_from_this, an_owner_after_the_last_one_is_the_new_one) {
    using object = typename TestFixture::aware;
    object kept(7);
    const auto leave = [](object*) {};
    typename TestFixture::owner first(&kept, leave);
    first.reset();
    EXPECT_TRUE(kept.weak_from_this().expired());
    const typename TestFixture::owner second(&kept, leave);
    EXPECT_TRUE(kept.shared_from_this().owner_equal(second));
}

CONTRACT(enable_shared_from_this, an_alias_to_an_object_does_not_own_it_for_the_object) {
    typename TestFixture::aware member;
    const auto other = TestFixture::template make<int>(0);
    const typename TestFixture::owner alias(other, &member);
    EXPECT_THROW(static_cast<void>(member.shared_from_this()), std::bad_weak_ptr);
}

CONTRACT(enable_shared_from_this, ownership_is_not_part_of_the_value) {
    const auto p = TestFixture::template make<typename TestFixture::aware>(1);
    const auto q = TestFixture::template make<typename TestFixture::aware>(2);
    typename TestFixture::aware copy(*p);
    EXPECT_TRUE(copy.weak_from_this().expired());
    *p = *q;
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(p->shared_from_this(), p);
    EXPECT_EQ(q->shared_from_this(), q);
}

CONTRACT(enable_shared_from_this, an_array_does_not_introduce_its_elements) {
    const auto p = TestFixture::template make<typename TestFixture::aware[]>(2);
    EXPECT_TRUE(p[0].weak_from_this().expired());
    const typename TestFixture::template pointer<typename TestFixture::aware[]> q =
        std::make_unique<typename TestFixture::aware[]>(2);
    EXPECT_TRUE(q[0].weak_from_this().expired());
}

CONTRACT(enable_shared_from_this, a_constructor_that_throws_leaves_no_weak_pointer_behind) {
    struct refusing : freehold::enable_shared_from_this<refusing, typename TestFixture::counting>, support::tracked {
        explicit refusing(bool refuse) {
            if (refuse) throw std::invalid_argument("refused");
        }
    };
    support::ledger ledger;
    const auto allocator = TestFixture::recording(ledger);
    EXPECT_THROW(TestFixture::template allocate<refusing>(allocator, true), std::invalid_argument);
    EXPECT_TRUE(ledger.live.empty());
    const auto p = TestFixture::template allocate<refusing>(allocator, false);
    EXPECT_EQ(p->shared_from_this(), p);
}

TEST(enable_shared_from_this, an_object_counted_otherwise_does_not_learn_of_its_owner) {
    const auto p = freehold::make_local_shared<left>();
    EXPECT_TRUE(p->weak_from_this().expired());
}

TEST(enable_shared_from_this, a_local_one_is_known_to_a_local_owner) {
    struct local : freehold::enable_local_shared_from_this<local> {};
    const auto p = freehold::make_local_shared<local>();
    EXPECT_EQ(p->shared_from_this(), p);
}

TEST(enable_shared_from_this, an_object_made_with_nothrow_knows_its_owner) {
    const auto p = freehold::make_shared<left>(std::nothrow);
    EXPECT_EQ(p->shared_from_this(), p);
}

TEST(enable_shared_from_this, a_base_that_is_private_or_ambiguous_is_not_found) {
    const auto p = freehold::make_shared<hidden>();
    EXPECT_TRUE(p->weak_from_this().expired());
    const auto q = freehold::make_shared<twice>();
    EXPECT_TRUE(static_cast<left&>(*q).weak_from_this().expired());
}

TEST(enable_shared_from_this, a_pointer_to_a_base_without_it_is_enough_if_the_object_was_given_with_it) {
    const freehold::shared_ptr<void> p(new derived_without);
    EXPECT_TRUE(static_cast<derived_without*>(p.get())->shared_from_this().owner_equal(p));
}

TEST(enable_shared_from_this, a_null_pointer_introduces_no_object) {
    const freehold::shared_ptr<left> p(static_cast<left*>(nullptr));
    EXPECT_EQ(p.use_count(), 1);
}

TEST(enable_shared_from_this, an_immortal_has_no_owner_to_share_with) {
    static freehold::immortal<left> object;
    const auto p = object.share();
    EXPECT_THROW(static_cast<void>(p->shared_from_this()), std::bad_weak_ptr);
}
