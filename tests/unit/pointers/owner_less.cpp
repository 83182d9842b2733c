// Order, hash and equality by ownership, alike for shared_ptr and local_shared_ptr.

#include <freehold/pointers/owner_less.hpp>

#include <map>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "contracts/shared_family/shared_family.hpp"

namespace {

using contracts::object;

struct extended : object {};

template <class Family>
class owner_less : public contracts::shared_family<Family> {
protected:
    using owner = typename Family::template pointer<object>;
    using watcher = typename Family::template weak<object>;
};

template <class Order>
concept is_transparent = requires { typename Order::is_transparent; };

}  // namespace

template <>
struct support::implementations<owner_less> {
    using types = contracts::shared_families;
};

static_assert(noexcept(freehold::owner_less<>()(freehold::shared_ptr<int>(), freehold::weak_ptr<int>())));
static_assert(noexcept(freehold::owner_hash()(freehold::shared_ptr<int>())));
static_assert(noexcept(freehold::owner_equal()(freehold::shared_ptr<int>(), freehold::weak_ptr<long>())));
static_assert(noexcept(freehold::shared_ptr<int>().owner_hash()));
static_assert(noexcept(freehold::weak_ptr<int>().owner_hash()));

// owner_before and owner_less are noexcept ([LWG 2942]) and not constexpr ([LWG 4557]).
template <class A, class B>
inline constexpr bool are_ordered_without_exceptions =
    noexcept(std::declval<const A&>().owner_before(std::declval<const B&>())) &&
    noexcept(std::declval<const A&>().owner_equal(std::declval<const B&>())) &&
    noexcept(freehold::owner_less<>()(std::declval<const A&>(), std::declval<const B&>()));

static_assert(are_ordered_without_exceptions<freehold::shared_ptr<int>, freehold::shared_ptr<long>>);
static_assert(are_ordered_without_exceptions<freehold::shared_ptr<int>, freehold::weak_ptr<long>>);
static_assert(are_ordered_without_exceptions<freehold::weak_ptr<int>, freehold::shared_ptr<long>>);
static_assert(are_ordered_without_exceptions<freehold::weak_ptr<int>, freehold::weak_ptr<long>>);

CONTRACT(owner_less, weak_pointers_are_keys_that_owners_find) {
    auto p = TestFixture::make();
    const auto q = TestFixture::make();
    std::set<typename TestFixture::watcher, freehold::owner_less<>> weak_pointers{p};
    EXPECT_TRUE(weak_pointers.contains(p));
    EXPECT_FALSE(weak_pointers.contains(q));
    const auto weak = TestFixture::weak_to(p);
    p.reset();
    EXPECT_TRUE(weak_pointers.contains(weak)) << "it keeps its place when the object is destroyed";
    EXPECT_FALSE(weak_pointers.contains(typename TestFixture::watcher()));
}

CONTRACT(owner_less, owners_are_keys_that_weak_pointers_find) {
    const auto p = TestFixture::make();
    std::map<typename TestFixture::owner, int, freehold::owner_less<>> owners;
    owners[p] = 7;
    EXPECT_EQ(owners.find(TestFixture::weak_to(p))->second, 7);
    EXPECT_EQ(owners.find(typename TestFixture::owner()), owners.end());
    std::set<typename TestFixture::watcher, freehold::owner_less<typename TestFixture::watcher>> weak_pointers{p};
    EXPECT_TRUE(weak_pointers.contains(p));
}

CONTRACT(owner_less, aliases_are_equivalent_whatever_they_point_to) {
    const auto p = TestFixture::make(7);
    const auto alias = TestFixture::alias(p, &p->value);
    EXPECT_FALSE(freehold::owner_less<>()(p, alias));
    EXPECT_FALSE(freehold::owner_less<>()(alias, p));
    EXPECT_TRUE(freehold::owner_equal()(p, alias));
    EXPECT_EQ(freehold::owner_hash()(p), freehold::owner_hash()(alias));
    EXPECT_EQ(p.owner_hash(), TestFixture::weak_to(alias).owner_hash());
}

CONTRACT(owner_less, different_owners_of_one_address_differ) {
    int value = 0;
    const auto p = TestFixture::alias(TestFixture::make(), &value);
    const auto q = TestFixture::alias(TestFixture::make(), &value);
    EXPECT_TRUE(p == q);
    EXPECT_FALSE(freehold::owner_equal()(p, q));
    EXPECT_NE(freehold::owner_less<>()(p, q), freehold::owner_less<>()(q, p));
    EXPECT_NE(freehold::owner_hash()(p), freehold::owner_hash()(q)) << "would be a poor hash";
}

CONTRACT(owner_less, empty_pointers_are_equivalent) {
    int value = 0;
    const typename TestFixture::owner empty;
    const auto pointing = TestFixture::alias(empty, &value);
    EXPECT_TRUE(freehold::owner_equal()(empty, pointing));
    EXPECT_TRUE(freehold::owner_equal()(typename TestFixture::watcher(), pointing));
    EXPECT_EQ(freehold::owner_hash()(empty), freehold::owner_hash()(pointing));
}

CONTRACT(owner_less, weak_pointers_are_hashed_keys) {
    auto p = TestFixture::make();
    std::unordered_map<typename TestFixture::watcher, int, freehold::owner_hash, freehold::owner_equal> statistics;
    statistics[p] = 7;
    EXPECT_EQ(statistics.find(p)->second, 7) << "found by an owner";
    const auto weak = TestFixture::weak_to(p);
    p.reset();
    EXPECT_EQ(statistics.find(weak)->second, 7);
    EXPECT_TRUE(weak.owner_equal(statistics.begin()->first));
}

// [util.smartptr.ownerless]: only owner_less<void> is transparent.
CONTRACT(owner_less, a_set_in_the_order_of_one_type_is_asked_for_what_converts_to_it) {
    const auto p = TestFixture::make();
    const typename TestFixture::template pointer<extended> q(new extended);
    std::set<typename TestFixture::owner, freehold::owner_less<typename TestFixture::owner>> owners{p, q};
    EXPECT_TRUE(owners.contains(q));
    EXPECT_FALSE(owners.contains(nullptr));
    std::set<typename TestFixture::watcher, freehold::owner_less<typename TestFixture::watcher>> weak_pointers{p, q};
    EXPECT_TRUE(weak_pointers.contains(p));
    EXPECT_TRUE(weak_pointers.contains(q));
    EXPECT_FALSE(weak_pointers.contains({}));
}

CONTRACT(owner_less, the_order_of_one_type_compares_owners_with_weak_pointers) {
    using of_owners = freehold::owner_less<typename TestFixture::owner>;
    using of_weak = freehold::owner_less<typename TestFixture::watcher>;
    const auto p = TestFixture::make();
    const auto weak = TestFixture::weak_to(p);
    EXPECT_FALSE(of_owners()(p, p));
    EXPECT_FALSE(of_owners()(p, weak));
    EXPECT_FALSE(of_owners()(weak, p));
    EXPECT_FALSE(of_weak()(weak, weak));
    EXPECT_FALSE(of_weak()(weak, p));
    EXPECT_FALSE(of_weak()(p, weak));
    EXPECT_FALSE((std::is_invocable_v<of_owners, decltype(weak), decltype(weak)>));
    EXPECT_FALSE((std::is_invocable_v<of_weak, decltype(p), decltype(p)>));
}

CONTRACT(owner_less, the_order_of_one_type_is_not_transparent) {
    EXPECT_FALSE(is_transparent<freehold::owner_less<typename TestFixture::owner>>);
    EXPECT_FALSE(is_transparent<freehold::owner_less<typename TestFixture::watcher>>);
    EXPECT_TRUE(is_transparent<freehold::owner_less<>>);
}
