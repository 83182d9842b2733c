// The contract of the shared_ptr family: creation that returns an empty pointer when out of memory. That it does so
// is tested in exceptions/nothrow.cpp.

#include <new>
#include <stdexcept>

#include "shared_family.hpp"

namespace contracts {

namespace {

struct refusing : support::tracked {
    explicit refusing(bool refuse) {
        if (refuse) throw std::invalid_argument("refused");
    }
};

struct wants_the_tag {
    explicit wants_the_tag(const std::nothrow_t&, int initial) : value(initial) {}

    int value;
};

}  // namespace

CONTRACT(shared_family, an_object_is_made_without_an_exception) {
    const auto p = TestFixture::template make<object>(std::nothrow, 7);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(p.use_count(), 1);
    const auto constant = TestFixture::template make<const object>(std::nothrow, 8);
    EXPECT_EQ(constant->value, 8);
}

CONTRACT(shared_family, what_a_constructor_throws_is_thrown_all_the_same) {
    EXPECT_THROW(TestFixture::template make<refusing>(std::nothrow, true), std::invalid_argument);
    EXPECT_EQ(TestFixture::alive(), 0);
    EXPECT_TRUE(TestFixture::template make<refusing>(std::nothrow, false));
}

CONTRACT(shared_family, an_object_that_takes_the_tag_gets_it) {
    EXPECT_EQ(TestFixture::template make<wants_the_tag>(std::nothrow, 7)->value, 7);
}

}  // namespace contracts
