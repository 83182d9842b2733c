#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/ref_counted.hpp>

#include <memory>

#include "support/precondition.hpp"

namespace {

struct node : freehold::ref_counted<node> {
    int value = 0;
};

}  // namespace

TEST(intrusive_ptr_death, null_is_not_dereferenced) {
    const freehold::intrusive_ptr<node> p;
    EXPECT_PRECONDITION(*p, "pointer_ != nullptr");
    EXPECT_PRECONDITION(p->value, "pointer_ != nullptr");
}

TEST(intrusive_ptr_death, an_owner_that_was_never_counted_is_not_released) {
    const auto object = std::make_unique<node>();
    EXPECT_PRECONDITION((freehold::intrusive_ptr<node>(object.get(), false)),
                        "Counting::observe\\(owners_less_one_\\) >= 0");
}
