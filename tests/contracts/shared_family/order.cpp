// The contract of the shared_ptr family: the order of owners, comparison with nullptr.

#include <algorithm>
#include <vector>

#include "shared_family.hpp"

namespace contracts {

CONTRACT(shared_family, owners_and_weak_pointers_of_one_object_are_equivalent) {
    const auto p = TestFixture::make();
    const auto q = p;
    const auto weak = TestFixture::weak_to(p);
    EXPECT_FALSE(p.owner_before(q));
    EXPECT_FALSE(p.owner_before(weak));
    EXPECT_FALSE(weak.owner_before(p));
    EXPECT_FALSE(weak.owner_before(weak));
}

CONTRACT(shared_family, owners_of_different_objects_have_an_order) {
    const auto p = TestFixture::make();
    const auto q = TestFixture::make();
    const auto weak = TestFixture::weak_to(p);
    EXPECT_NE(p.owner_before(q), q.owner_before(p));
    EXPECT_EQ(weak.owner_before(q), p.owner_before(q));
    EXPECT_EQ(q.owner_before(weak), q.owner_before(p));
}

CONTRACT(shared_family, expired_weak_pointers_keep_their_order) {
    std::vector<typename TestFixture::template pointer<object>> owners;
    std::vector<typename TestFixture::template weak_pointer<object>> weak_pointers;
    for (int i = 0; i < 10; ++i) weak_pointers.emplace_back(owners.emplace_back(TestFixture::make()));
    const auto before = [](const auto& a, const auto& b) { return a.owner_before(b); };
    std::sort(weak_pointers.begin(), weak_pointers.end(), before);
    owners.clear();
    EXPECT_TRUE(std::is_sorted(weak_pointers.begin(), weak_pointers.end(), before));
    EXPECT_TRUE(weak_pointers.front().owner_before(weak_pointers.back()));
}

CONTRACT(shared_family, empty_pointers_are_equivalent_owners) {
    const typename TestFixture::template pointer<object> a;
    const typename TestFixture::template pointer<int> b;
    EXPECT_FALSE(a.owner_before(b));
    EXPECT_FALSE(b.owner_before(a));
}

CONTRACT(shared_family, pointers_are_ordered_with_nullptr) {
    const auto p = TestFixture::make();
    const typename TestFixture::template pointer<object> null;
    EXPECT_TRUE(p > nullptr);
    EXPECT_TRUE(nullptr < p);
    EXPECT_TRUE(null <= nullptr);
    EXPECT_TRUE(null >= nullptr);
    EXPECT_TRUE((null <=> nullptr) == 0);
}

}  // namespace contracts
