// The casts of [util.smartptr.shared.cast], alike for shared_ptr and local_shared_ptr.

#include <freehold/pointers/pointer_cast.hpp>

#include <type_traits>
#include <utility>

#include "contracts/shared_family/shared_family.hpp"

namespace {

struct first : support::tracked {
    virtual ~first() = default;
    int value = 1;
};
struct second {
    virtual ~second() = default;
    int other_value = 2;
};
struct both : first, second {};

template <class Family>
class pointer_cast : public contracts::shared_family<Family> {
protected:
    typename Family::template pointer<both> whole = Family::template make<both>();
    typename Family::template pointer<second> part = whole;
};

TYPED_TEST_SUITE(pointer_cast, contracts::shared_families, support::implementation_name);

}  // namespace

static_assert(noexcept(freehold::static_pointer_cast<both>(freehold::shared_ptr<first>())));
static_assert(noexcept(freehold::dynamic_pointer_cast<both>(freehold::shared_ptr<first>())));
static_assert(std::is_same_v<decltype(freehold::const_pointer_cast<int[]>(freehold::shared_ptr<const int[]>())),
                             freehold::shared_ptr<int[]>>);

TYPED_TEST(pointer_cast, a_static_cast_shares_and_moves_the_address) {
    const auto down = freehold::static_pointer_cast<both>(this->part);
    EXPECT_EQ(down, this->whole);
    EXPECT_EQ(this->whole.use_count(), 3);
    EXPECT_TRUE(down.owner_equal(this->part));
    EXPECT_NE(static_cast<void*>(down.get()), static_cast<void*>(this->part.get()));
}

TYPED_TEST(pointer_cast, a_static_cast_of_an_rvalue_takes_over) {
    const auto down = freehold::static_pointer_cast<both>(std::move(this->part));
    EXPECT_EQ(down, this->whole);
    EXPECT_EQ(this->part.get(), nullptr);
    EXPECT_EQ(this->part.use_count(), 0);
    EXPECT_EQ(this->whole.use_count(), 2);
}

TYPED_TEST(pointer_cast, a_dynamic_cast_that_succeeds_shares) {
    const auto across = freehold::dynamic_pointer_cast<first>(this->part);
    EXPECT_EQ(across, this->whole);
    EXPECT_EQ(this->whole.use_count(), 3);
}

TYPED_TEST(pointer_cast, a_dynamic_cast_of_an_rvalue_that_succeeds_takes_over) {
    const auto across = freehold::dynamic_pointer_cast<first>(std::move(this->part));
    EXPECT_EQ(across, this->whole);
    EXPECT_EQ(this->part.get(), nullptr);
    EXPECT_EQ(this->whole.use_count(), 2);
}

TYPED_TEST(pointer_cast, a_dynamic_cast_that_fails_is_empty_and_leaves_its_source) {
    auto p = TestFixture::template make<first>();
    EXPECT_EQ(freehold::dynamic_pointer_cast<both>(p).use_count(), 0);
    EXPECT_EQ(freehold::dynamic_pointer_cast<both>(std::move(p)).use_count(), 0);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(p->value, 1);
}

TYPED_TEST(pointer_cast, a_const_cast_gives_access_to_an_object_that_may_change) {
    using constant = typename TestFixture::template pointer<const both>;
    constant reader = this->whole;
    freehold::const_pointer_cast<both>(reader)->value = 7;
    EXPECT_EQ(this->whole->value, 7);
    const auto writer = freehold::const_pointer_cast<both>(std::move(reader));
    EXPECT_EQ(writer, this->whole);
    EXPECT_FALSE(reader);
    EXPECT_EQ(this->whole.use_count(), 3);
}

TYPED_TEST(pointer_cast, a_reinterpret_cast_keeps_the_address) {
    auto bytes = freehold::reinterpret_pointer_cast<unsigned char>(this->whole);
    EXPECT_EQ(static_cast<void*>(bytes.get()), static_cast<void*>(this->whole.get()));
    EXPECT_EQ(bytes.use_count(), 3);
    const auto back = freehold::reinterpret_pointer_cast<both>(std::move(bytes));
    EXPECT_EQ(back, this->whole);
    EXPECT_FALSE(bytes);
}

TYPED_TEST(pointer_cast, an_array_is_cast_as_an_array) {
    const auto p = TestFixture::template make<int[3]>();
    const auto unknown = freehold::static_pointer_cast<int[]>(p);
    unknown[2] = 7;
    EXPECT_EQ(p[2], 7);
    const auto known = freehold::reinterpret_pointer_cast<int[3]>(unknown);
    EXPECT_EQ(known, p);
}

TYPED_TEST(pointer_cast, null_is_cast_to_null) {
    const typename TestFixture::template pointer<second> null;
    EXPECT_EQ(freehold::static_pointer_cast<both>(null), nullptr);
    EXPECT_EQ(freehold::dynamic_pointer_cast<both>(null), nullptr);
    EXPECT_EQ(freehold::const_pointer_cast<second>(null), nullptr);
}

TYPED_TEST(pointer_cast, a_cast_of_an_alias_to_null_keeps_its_owner) {
    const auto alias = TestFixture::alias(this->whole, static_cast<second*>(nullptr));
    EXPECT_EQ(freehold::static_pointer_cast<both>(alias).use_count(), 4);
    EXPECT_EQ(freehold::dynamic_pointer_cast<both>(alias).use_count(), 0);
}
