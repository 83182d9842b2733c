// The contract of the owning pointers: comparison, order, hash and stream output.

#include <functional>
#include <set>
#include <sstream>
#include <unordered_set>

#include "owning_pointer.hpp"

namespace contracts {

CONTRACT(owning_pointer, pointers_are_equal_when_they_point_to_one_object) {
    const auto p = TestFixture::make(7);
    const auto copy = p;
    const auto other = TestFixture::make(7);
    EXPECT_TRUE(p == copy);
    EXPECT_FALSE(p != copy);
    EXPECT_FALSE(p == other);
    EXPECT_TRUE(p != other);
}

CONTRACT(owning_pointer, only_null_equals_nullptr) {
    const auto p = TestFixture::make();
    const typename TestFixture::pointer null;
    EXPECT_TRUE(null == nullptr);
    EXPECT_TRUE(nullptr == null);
    EXPECT_FALSE(p == nullptr);
    EXPECT_TRUE(p != nullptr);
    EXPECT_TRUE(nullptr != p);
    EXPECT_FALSE(p == null);
}

CONTRACT(general_pointer, pointers_to_base_and_derived_are_compared_after_conversion) {
    const auto p = TestFixture::make_derived();
    const typename TestFixture::pointer base = p;
    EXPECT_TRUE(base == p);
    EXPECT_FALSE(TestFixture::make() == p);
}

CONTRACT(general_pointer, pointers_to_base_and_derived_are_ordered_after_conversion) {
    const auto p = TestFixture::make_derived();
    const typename TestFixture::pointer base = p;
    EXPECT_TRUE((base <=> p) == 0);
    EXPECT_FALSE(base < p);
    EXPECT_FALSE(p < base);
}

CONTRACT(owning_pointer, the_order_is_that_of_the_addresses) {
    const auto p = TestFixture::make();
    const auto q = TestFixture::make();
    const std::less<const void*> less;
    EXPECT_EQ(p < q, less(p.get(), q.get()));
    EXPECT_EQ(p > q, less(q.get(), p.get()));
    EXPECT_NE(p <= q, less(q.get(), p.get()));
    EXPECT_NE(p >= q, less(p.get(), q.get()));
    EXPECT_TRUE((p <=> p) == 0);
    EXPECT_EQ((p <=> q) < 0, less(p.get(), q.get()));
}

CONTRACT(owning_pointer, the_hash_is_that_of_the_address) {
    const auto p = TestFixture::make();
    const typename TestFixture::pointer null;
    const std::hash<typename TestFixture::pointer> hash;
    const std::hash<typename TestFixture::object*> hash_of_address;
    EXPECT_EQ(hash(p), hash_of_address(p.get()));
    EXPECT_EQ(hash(null), hash_of_address(nullptr));
}

CONTRACT(owning_pointer, a_set_finds_an_object_by_any_of_its_owners) {
    const auto p = TestFixture::make();
    const auto copy = p;
    const auto other = TestFixture::make();
    const std::set<typename TestFixture::pointer> ordered{p, nullptr};
    EXPECT_TRUE(ordered.contains(copy));
    EXPECT_TRUE(ordered.contains(nullptr));
    EXPECT_FALSE(ordered.contains(other));
    const std::unordered_set<typename TestFixture::pointer> hashed{p, nullptr};
    EXPECT_TRUE(hashed.contains(copy));
    EXPECT_FALSE(hashed.contains(other));
}

CONTRACT(general_pointer, a_stream_shows_the_address) {
    const auto p = TestFixture::make();
    std::ostringstream shown;
    std::ostringstream expected;
    shown << p;
    expected << p.get();
    EXPECT_EQ(shown.str(), expected.str());
}

}  // namespace contracts
