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
