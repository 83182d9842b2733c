// Freehold's own factories with a key are tested in unit/pointers/make_shared.cpp.

#include <gtest/gtest.h>
#include <freehold/core/passkey.hpp>

#include <memory>
#include <type_traits>

using freehold::passkey;

namespace {

class account {
public:
    static std::unique_ptr<account> open(int balance) { return std::make_unique<account>(passkey<account>(), balance); }

    account(passkey<account>, int initial) : balance(initial) {}

    int balance;
};

struct stranger {};

template <class Key>
concept made_by_anybody = requires { Key{}; } || requires { Key(); };

}  // namespace

static_assert(std::is_empty_v<passkey<account>>);
static_assert(!std::is_default_constructible_v<passkey<account>>);
static_assert(!made_by_anybody<passkey<account>>, "not as an aggregate either");
static_assert(std::is_copy_constructible_v<passkey<account>>, "who was given the key may pass it on");
static_assert(!std::is_constructible_v<account, passkey<stranger>, int>);

TEST(passkey, what_only_the_class_may_construct_is_constructed_by_a_library) {
    EXPECT_EQ(account::open(7)->balance, 7);
}
