// What makes an object or array in one block with its count, each of its allocations failing in turn: nothing is left.

#include <freehold/pointers/copy_on_write.hpp>
#include <freehold/pointers/make_shared_object.hpp>
#include <freehold/pointers/make_shared_with_weak.hpp>
#include <freehold/pointers/thin_ptr.hpp>

#include <cstddef>
#include <stdexcept>

#include "contracts/shared_family/shared_family.hpp"
#include "support/allocation_failure.hpp"

namespace {

using contracts::object;

// Has its memory from operator new instead of the pool.
struct large : object {
    using object::object;

    std::byte bytes[1000] = {};
};

struct alignas(256) over_aligned : object {};

struct refusing : support::tracked {
    explicit refusing(bool refuse) {
        if (refuse) throw std::invalid_argument("refused");
    }

    std::byte bytes[1000] = {};
};

// Effects: lets every allocation of operation() fail in turn, and expects that nothing is left each time.
template <class Operation>
void expect_nothing_left(Operation operation) {
    const long blocks = support::limited_new::living();
    const int alive = support::tracked::alive();
    const int failures = support::fail_each_in_drained_pool(operation, [&] {
        EXPECT_EQ(support::limited_new::living(), blocks);
        EXPECT_EQ(support::tracked::alive(), alive);
    });
    EXPECT_EQ(failures, 1) << "object and count are one allocation";
    EXPECT_EQ(support::limited_new::living(), blocks);
}

template <class Family>
class creation_failure : public contracts::shared_family<Family> {
protected:
    template <class T>
    static auto make_cyclic() {
        return freehold::make_shared_with_weak<T, typename Family::counting>([](const auto&) { return T(); });
    }
};

class other_creation_failure : public support::tracked_test {};

}  // namespace

template <>
struct support::implementations<creation_failure> {
    using types = contracts::shared_families;
};

CONTRACT(creation_failure, an_object_is_made_or_nothing) {
    expect_nothing_left([] { static_cast<void>(TestFixture::make()); });
    expect_nothing_left([] { static_cast<void>(TestFixture::template make<large>()); });
    expect_nothing_left([] { static_cast<void>(TestFixture::template make<over_aligned>()); });
}

CONTRACT(creation_failure, an_array_is_made_or_nothing) {
    expect_nothing_left([] { static_cast<void>(TestFixture::template make<object[]>(3)); });
    expect_nothing_left([] { static_cast<void>(TestFixture::template make<object[3]>()); });
    expect_nothing_left([] { static_cast<void>(TestFixture::template make<large[][2]>(3)); });
    const object initial;
    expect_nothing_left([&] { static_cast<void>(TestFixture::template make<object[]>(3, initial)); });
    expect_nothing_left([&] { static_cast<void>(TestFixture::template make<object[100]>(initial)); });
}

CONTRACT(creation_failure, what_is_made_for_overwrite_is_made_or_nothing) {
    expect_nothing_left([] { static_cast<void>(TestFixture::make_for_overwrite()); });
    expect_nothing_left([] { static_cast<void>(TestFixture::template make_for_overwrite<large[]>(std::size_t{3})); });
    expect_nothing_left([] { static_cast<void>(TestFixture::template make_for_overwrite<object[3]>()); });
}

CONTRACT(creation_failure, an_allocator_that_fails_is_left_as_it_was) {
    support::ledger ledger;
    const auto allocator = TestFixture::recording(ledger);
    const auto expect_no_block = [&](auto operation) {
        const int failures = support::fail_each_allocation(
            [&](int allowed) {
                ledger.allocations_left = allowed;
                operation();
            },
            [&] {
                EXPECT_TRUE(ledger.live.empty());
                EXPECT_EQ(ledger.constructed, ledger.destroyed);
            });
        EXPECT_EQ(failures, 1);
    };
    const object initial;
    expect_no_block([&] { static_cast<void>(TestFixture::allocate(allocator)); });
    expect_no_block([&] { static_cast<void>(TestFixture::template allocate<object[]>(allocator, 3)); });
    expect_no_block([&] { static_cast<void>(TestFixture::template allocate<object[]>(allocator, 3, initial)); });
    expect_no_block([&] { static_cast<void>(TestFixture::template allocate<object[3]>(allocator)); });
    expect_no_block([&] { static_cast<void>(TestFixture::template allocate<object[3]>(allocator, initial)); });
    expect_no_block([&] { static_cast<void>(TestFixture::allocate_for_overwrite(allocator)); });
    expect_no_block([&] { static_cast<void>(TestFixture::template allocate_for_overwrite<object[2]>(allocator)); });
}

CONTRACT(creation_failure, an_object_with_a_weak_pointer_to_itself_is_made_or_nothing) {
    expect_nothing_left([] { static_cast<void>(TestFixture::template make_cyclic<object>()); });
    expect_nothing_left([] { static_cast<void>(TestFixture::template make_cyclic<large>()); });
}

CONTRACT(creation_failure, a_copy_on_write_that_fails_changes_nothing) {
    auto p = TestFixture::template make<large>(7);
    auto q = TestFixture::make(8);
    const auto other_owner_of_p = p;
    const auto other_owner_of_q = q;
    const auto expect_unchanged = [](auto& owner, const auto& other) {
        const int failures =
            support::fail_each_in_drained_pool([&] { static_cast<void>(freehold::make_mutable(owner)); },
                                               [&] {
                                                   EXPECT_EQ(owner, other);
                                                   EXPECT_EQ(owner.use_count(), 2);
                                               });
        EXPECT_EQ(failures, 1);
        EXPECT_EQ(other.use_count(), 1);
    };
    expect_unchanged(p, other_owner_of_p);
    expect_unchanged(q, other_owner_of_q);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(q->value, 8);
}

CONTRACT(creation_failure, a_constructor_that_throws_leaves_no_memory_behind) {
    const long blocks = support::limited_new::living();
    EXPECT_THROW(TestFixture::template make<refusing>(true), std::invalid_argument);
    EXPECT_EQ(support::limited_new::living(), blocks);
    EXPECT_THROW(TestFixture::template make<refusing>(std::nothrow, true), std::invalid_argument);
    EXPECT_EQ(support::limited_new::living(), blocks);
    EXPECT_EQ(TestFixture::alive(), 0);
}

CONTRACT(creation_failure, a_function_that_throws_leaves_no_memory_behind) {
    const long blocks = support::limited_new::living();
    const auto refuse = [](const auto&) { return refusing(true); };
    const auto attempt = [&] {
        static_cast<void>(freehold::make_shared_with_weak<refusing, typename TestFixture::counting>(refuse));
    };
    EXPECT_THROW(attempt(), std::invalid_argument);
    EXPECT_EQ(support::limited_new::living(), blocks);
}

TEST_F(other_creation_failure, a_thin_object_is_made_or_nothing) {
    expect_nothing_left([] { static_cast<void>(freehold::make_thin<object>()); });
    expect_nothing_left([] { static_cast<void>(freehold::make_thin<large, freehold::plain_counting>()); });
    expect_nothing_left([] { static_cast<void>(freehold::make_thin<large, freehold::biased_counting>()); });
    expect_nothing_left([] { static_cast<void>(freehold::make_thin<over_aligned>()); });
}

TEST_F(other_creation_failure, a_constructor_that_throws_leaves_no_memory_behind) {
    const long blocks = support::limited_new::living();
    EXPECT_THROW(static_cast<void>(freehold::make_thin<refusing>(true)), std::invalid_argument);
    EXPECT_EQ(support::limited_new::living(), blocks);
}

TEST_F(other_creation_failure, an_array_in_the_papers_spelling_is_made_or_nothing) {
    expect_nothing_left([] { static_cast<void>(freehold::make_shared_object<object>()); });
    expect_nothing_left([] { static_cast<void>(freehold::make_shared_array<object>(3)); });
}
