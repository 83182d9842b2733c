#include <freehold/pointers/borrowed_ptr.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>

#include "support/precondition.hpp"

using freehold::borrowed_ptr;

namespace {

struct object {
    int value = 0;
};

// Uses what it has borrowed after the last owner is gone.
template <class Owner>
int outlived(Owner owner) {
    const borrowed_ptr<object> borrowed = owner;
    const auto copy = borrowed;
    owner = nullptr;
    return copy->value;
}

// Out of line: g++ would see that there is no count before the object, and warn of what the test is about.
[[gnu::noinline]] freehold::shared_ptr<object> made_elsewhere() { return freehold::shared_ptr<object>(new object); }

}  // namespace

TEST(borrowed_ptr_death, nothing_is_not_dereferenced) {
    const borrowed_ptr<object> nothing;
    EXPECT_PRECONDITION(*nothing, "pointer_ != nullptr");
    EXPECT_PRECONDITION(nothing->value, "pointer_ != nullptr");
}

TEST(borrowed_ptr_death, a_destroyed_object_is_not_used) {
    EXPECT_PRECONDITION(outlived(freehold::make_shared<object>()), "watch_.is_alive\\(\\)");
    EXPECT_PRECONDITION(outlived(freehold::make_local_shared<object>()), "watch_.is_alive\\(\\)");
    EXPECT_PRECONDITION(outlived(freehold::make_thin<object>()), "watch_.is_alive\\(\\)");
}

TEST(borrowed_ptr_death, a_destroyed_object_is_not_owned_again) {
    auto owner = freehold::make_thin<object>();
    const borrowed_ptr<object> borrowed = owner;
    owner.reset();
    EXPECT_PRECONDITION(borrowed.share<freehold::thin_ptr<object>>(), "watch_.is_alive\\(\\)");
}

TEST(borrowed_ptr_death, an_object_that_was_made_elsewhere_is_not_owned_again_by_its_address) {
    const freehold::shared_ptr<object> owner = made_elsewhere();
    const borrowed_ptr<object> borrowed = owner;
    EXPECT_PRECONDITION(borrowed.share<freehold::shared_ptr<object>>(), "watch.template is_counted_in<Counting>");
}

TEST(borrowed_ptr_death, an_object_that_is_counted_in_another_way_is_not_owned_again) {
    const auto owner = freehold::make_thin<object>();
    const borrowed_ptr<object> borrowed = owner;
    EXPECT_PRECONDITION(borrowed.share<freehold::local_thin_ptr<object>>(), "watch.template is_counted_in<Counting>");
}
