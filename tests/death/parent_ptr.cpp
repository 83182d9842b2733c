#include <freehold/cyclic/cyclic_cast.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/parent_ptr.hpp>

#include "support/precondition.hpp"

using freehold::cyclic_ptr;
using freehold::make_cyclic;
using freehold::parent_ptr;

namespace {

struct node {
    cyclic_ptr<node> child;
    parent_ptr<node> parent;
};

struct owns_itself_too_soon {
    owns_itself_too_soon() { static_cast<void>(freehold::cyclic_from_this(this)); }
    int value = 0;
};

struct owns_itself_too_late {
    ~owns_itself_too_late() { static_cast<void>(freehold::cyclic_from_this(this)); }
    int value = 0;
};

}  // namespace

TEST(parent_ptr_death, a_parent_that_is_gone_is_not_used) {
    auto parent = make_cyclic<node>();
    const auto child = make_cyclic<node>();
    child->parent = parent;
    parent.reset();
    EXPECT_PRECONDITION(static_cast<void>(child->parent.get()), ".*is_gone.this.*");
}

TEST(parent_ptr_death, another_object_in_the_parents_place_is_not_taken_for_it) {
    auto parent = make_cyclic<node>();
    const auto child = make_cyclic<node>();
    child->parent = parent;
    parent.reset();
    const auto another = make_cyclic<node>();
    EXPECT_PRECONDITION(static_cast<void>(child->parent->child), ".*is_gone.this.*");
}

TEST(parent_ptr_death, a_constructor_makes_no_owner_of_its_object) {
    EXPECT_PRECONDITION(static_cast<void>(make_cyclic<owns_itself_too_soon>()), ".*header.has_owners.*");
}

TEST(parent_ptr_death, a_destructor_makes_no_owner_of_its_object) {
    EXPECT_PRECONDITION(make_cyclic<owns_itself_too_late>().reset(), ".*header.has_owners.*");
}
