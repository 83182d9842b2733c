// Creation that can't throw, where there is no memory.

#include <cstddef>
#include <new>

#include "contracts/shared_family/shared_family.hpp"
#include "support/allocation_failure.hpp"

namespace {

using contracts::object;

struct beyond_the_pool : object {
    std::byte bytes[1000] = {};
};

struct alignas(256) widely_aligned : object {};

template <class Family>
class nothrow : public contracts::shared_family<Family> {};

// Returns: what make() does where no allocation succeeds.
template <class Make>
auto without_memory(Make make) {
    const support::drained_pool drained;
    const support::limited_new none(0);
    return make();
}

}  // namespace

template <>
struct support::implementations<nothrow> {
    using types = contracts::shared_families;
};

CONTRACT(nothrow, an_object_that_finds_no_memory_is_an_empty_pointer) {
    const auto p = without_memory([] { return TestFixture::template make<object>(std::nothrow); });
    EXPECT_EQ(p, nullptr);
    EXPECT_EQ(p.use_count(), 0);
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(nothrow, a_large_object_that_finds_no_memory_is_an_empty_pointer) {
    EXPECT_EQ(without_memory([] { return TestFixture::template make<beyond_the_pool>(std::nothrow); }), nullptr);
    EXPECT_EQ(without_memory([] { return TestFixture::template make<widely_aligned>(std::nothrow); }), nullptr);
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(nothrow, memory_that_is_there_again_is_used) {
    EXPECT_EQ(without_memory([] { return TestFixture::template make<object>(std::nothrow); }), nullptr);
    EXPECT_NE(TestFixture::template make<object>(std::nothrow), nullptr);
}
