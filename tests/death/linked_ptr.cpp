#include <freehold/pointers/linked_ptr.hpp>

#include "support/precondition.hpp"

namespace {

struct object {
    int value = 0;
};

}  // namespace

TEST(linked_ptr_death, null_is_not_dereferenced) {
    const freehold::linked_ptr<object> p;
    EXPECT_PRECONDITION(*p, "pointer_ != nullptr");
    EXPECT_PRECONDITION(p->value, "pointer_ != nullptr");
}

TEST(linked_ptr_death, it_is_not_reset_to_its_own_object) {
    freehold::linked_ptr<object> p(new object);
    EXPECT_PRECONDITION(p.reset(p.get()), "object == nullptr \\|\\| object != pointer_");
    p.reset(static_cast<object*>(nullptr));
    p.reset(p.get());
    EXPECT_EQ(p.get(), nullptr);
}
