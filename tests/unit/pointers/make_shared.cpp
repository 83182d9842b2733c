// What make_shared has in common with make_local_shared is tested in contracts/shared_family/allocator.cpp.

#include <gtest/gtest.h>
#include <freehold/pointers/make_shared.hpp>

#include <cstddef>
#include <new>
#include <type_traits>

#include <freehold/core/annotate.hpp>
#include <freehold/core/passkey.hpp>
#include <freehold/memory/small_block_pool.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/thin_ptr.hpp>

#include "support/ledger_allocator.hpp"
#include "support/tracked.hpp"

using freehold::make_shared;
using freehold::shared_ptr;

namespace {

struct three_words {
    void* words[3];
};

// Constructed by itself alone, through whoever gives the memory.
class account {
public:
    template <class Make>
    static auto open(Make make) {
        return make(freehold::passkey<account>(), 7);
    }

    account(freehold::passkey<account>, int initial) : balance(initial) {}

    int balance;
};

class make_shared_test : public support::tracked_test {};

}  // namespace

static_assert(std::is_same_v<decltype(make_shared<int>(7)), shared_ptr<int>>);
static_assert(std::is_same_v<decltype(make_shared<const int>(7)), shared_ptr<const int>>);

static_assert(noexcept(make_shared<int>(std::nothrow, 7)));
static_assert(!noexcept(make_shared<int>(7)));
static_assert(!std::is_constructible_v<account, int>);

TEST_F(make_shared_test, an_object_that_only_its_class_may_construct_is_made_with_a_key) {
    const auto shared = [](auto... arguments) { return make_shared<account>(arguments...); };
    EXPECT_EQ(account::open(shared)->balance, 7);
    const auto local = [](auto... arguments) { return freehold::make_local_shared<account>(arguments...); };
    EXPECT_EQ(account::open(local)->balance, 7);
    const auto thin = [](auto... arguments) { return freehold::make_thin<account>(arguments...); };
    EXPECT_EQ(account::open(thin)->balance, 7);
    support::ledger ledger;
    const auto allocated = [&](auto... arguments) {
        return freehold::allocate_shared<account>(support::ledger_allocator<int>(ledger), arguments...);
    };
    EXPECT_EQ(account::open(allocated)->balance, 7);
}

#ifndef FREEHOLD_ADDRESS_SANITIZER
TEST_F(make_shared_test, a_block_is_16_bytes_and_the_object) {
    // The pool hands out again what was freed last of the same size.
    constexpr std::size_t bytes = 16 + sizeof(three_words);
    void* const block = freehold::small_block_pool::allocate(bytes);
    freehold::small_block_pool::deallocate(block, bytes);
    const auto p = make_shared<three_words>();
    EXPECT_EQ(static_cast<void*>(p.get()), static_cast<std::byte*>(block) + 16);
}
#endif

TEST_F(make_shared_test, a_large_object_is_made_and_destroyed) {
    struct large : support::tracked {
        std::byte bytes[100000] = {};
    };
    {
        const auto p = make_shared<large>();
    }
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(make_shared_test, an_allocated_block_is_16_bytes_the_allocator_and_the_object) {
    support::ledger ledger;
    const auto p = freehold::allocate_shared<three_words>(support::ledger_allocator<int>(ledger));
    ASSERT_EQ(ledger.live.size(), 1U);
    EXPECT_EQ(ledger.live.begin()->second.bytes, 16 + sizeof(void*) + sizeof(three_words));
}
