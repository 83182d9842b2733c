#include <freehold/pointers/managed_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>

#include <memory>

#include "support/precondition.hpp"

namespace {

struct object {
    int value = 0;
};

}  // namespace

TEST(managed_ptr_death, it_is_not_reset_to_its_own_object) {
    freehold::managed_ptr<object> p(new object);
    EXPECT_PRECONDITION(p.reset(p.get()), "object == nullptr \\|\\| cleanup_ != detail::cleanup::deleting\\(object\\)");
    p.reset();
    p.reset(p.get());
    EXPECT_EQ(p.get(), nullptr);
}
