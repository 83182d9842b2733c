#include <gtest/gtest.h>
#include <freehold/core/first_base.hpp>

using freehold::detail::first_base_of;
using freehold::detail::is_owned_exactly;
using freehold::detail::owned_as;

namespace {

struct first {
    virtual ~first() = default;
};
struct second {
    virtual ~second() = default;
};
struct plain {};
struct both : first, second {};
struct of_plain : plain {
    int value = 0;
};
struct virtually : virtual first {};
struct abstract : first {
    virtual void act() = 0;
};
struct last final : first {};

}  // namespace

TEST(first_base, a_base_is_first_where_it_lies_at_the_beginning) {
    static_assert(first_base_of<both, first>);
    static_assert(!first_base_of<both, second>, "it lies behind the first");
    static_assert(!first_base_of<virtually, first>, "a virtual base has no place that is known");
    static_assert(!first_base_of<abstract, first>, "nothing of it can be made to look");
}

TEST(first_base, an_owner_takes_what_ends_with_the_base) {
    static_assert(owned_as<both, first>);
    static_assert(owned_as<both, const first>);
    static_assert(owned_as<int, const int>);
    static_assert(!owned_as<const int, int>);
    static_assert(!owned_as<both, second>);
    static_assert(!owned_as<of_plain, plain>, "there is no virtual destructor");
    static_assert(!owned_as<first, both>);
    static_assert(!owned_as<first, first>, "that is a copy");
}

TEST(first_base, a_type_is_owned_exactly_where_nothing_derived_can_be) {
    static_assert(is_owned_exactly<int>);
    static_assert(is_owned_exactly<of_plain>);
    static_assert(is_owned_exactly<last>);
    static_assert(!is_owned_exactly<first>);
}
