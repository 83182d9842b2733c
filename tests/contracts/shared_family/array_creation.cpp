// The contract of the shared_ptr family: arrays that are housed beside their count ([util.smartptr.shared.create]).

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "shared_family.hpp"

namespace contracts {

namespace {

constexpr std::size_t greatest = std::numeric_limits<std::size_t>::max();

// What the elements of an array did, by number; the constructor of number `refused` throws.
struct element_log {
    std::vector<int> constructed;
    std::vector<int> destroyed;
    int refused = -1;
};

element_log elements;

// Neither copied nor moved; knows when it was constructed and notes when it is destroyed.
struct numbered : support::tracked {
    numbered() : number(static_cast<int>(elements.constructed.size())) {
        if (number == elements.refused) throw std::invalid_argument("refused");
        elements.constructed.push_back(number);
    }
    numbered(const numbered&) = delete;
    numbered& operator=(const numbered&) = delete;
    ~numbered() { elements.destroyed.push_back(number); }

    int number;
};

// Returns: 0, 1, …, length - 1, or the reverse.
std::vector<int> ascending(int length) {
    std::vector<int> numbers(static_cast<std::size_t>(length));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

std::vector<int> descending(int length) {
    const auto numbers = ascending(length);
    return {numbers.rbegin(), numbers.rend()};
}

struct alignas(4096) page_aligned {
    char bytes[8] = {};
};

template <class Family>
class shared_family_array : public shared_family<Family> {
protected:
    void SetUp() override {
        shared_family<Family>::SetUp();
        elements = element_log();
    }
};

}  // namespace

}  // namespace contracts

template <>
struct support::implementations<contracts::shared_family_array> {
    using types = contracts::shared_families;
};

namespace contracts {

// Values

CONTRACT(shared_family_array, an_array_of_either_kind_is_value_initialized) {
    for (int round = 0; round < 20; ++round) {
        const auto unknown = TestFixture::template make<long[]>(20);
        const auto known = TestFixture::template make<long[20]>();
        for (int i = 0; i < 20; ++i) {
            ASSERT_EQ(unknown[i], 0);
            ASSERT_EQ(known[i], 0);
            unknown[i] = known[i] = -1;
        }
    }
}

CONTRACT(shared_family_array, an_array_of_either_kind_is_filled_with_copies) {
    const auto unknown = TestFixture::template make<std::string[]>(3, "a value");
    const auto known = TestFixture::template make<std::string[3]>("another");
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(unknown[i], "a value");
        EXPECT_EQ(known[i], "another");
    }
}

CONTRACT(shared_family_array, an_array_has_one_owner_and_its_own_type) {
    const auto unknown = TestFixture::template make<int[]>(3);
    const auto known = TestFixture::template make<int[3]>();
    EXPECT_EQ(unknown.use_count(), 1);
    EXPECT_EQ(known.use_count(), 1);
    static_assert(std::is_same_v<decltype(unknown), const typename TestFixture::template pointer<int[]>>);
    static_assert(std::is_same_v<decltype(known), const typename TestFixture::template pointer<int[3]>>);
}

CONTRACT(shared_family_array, a_multidimensional_array_is_value_initialized) {
    const auto p = TestFixture::template make<int[][2][3]>(4);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 3; ++k) ASSERT_EQ(p[i][j][k], 0);
    p[3][1][2] = 7;
    EXPECT_EQ(p.get()[3][1][2], 7);
}

CONTRACT(shared_family_array, a_multidimensional_array_is_filled_with_copies_of_a_row) {
    const int row[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const auto unknown = TestFixture::template make<int[][2][3]>(4, row);
    const auto known = TestFixture::template make<int[4][2][3]>(row);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 3; ++k) {
                ASSERT_EQ(unknown[i][j][k], row[j][k]);
                ASSERT_EQ(known[i][j][k], row[j][k]);
            }
}

CONTRACT(shared_family_array, constant_and_volatile_elements_can_be_made) {
    const auto constant = TestFixture::template make<const int[]>(3, 7);
    EXPECT_EQ(constant[2], 7);
    const volatile int eight = 8;
    const auto bounded = TestFixture::template make<const volatile int[2]>(eight);
    EXPECT_EQ(bounded[1], 8);
    const auto default_made = TestFixture::template make<const std::string[2]>();
    EXPECT_EQ(default_made[1], "");
    const auto overwritten = TestFixture::template make_for_overwrite<const object[]>(std::size_t{2});
    EXPECT_EQ(overwritten[1].value, 0);
    const int row[2] = {1, 2};
    const auto multidimensional = TestFixture::template make<const int[][2]>(3, row);
    EXPECT_EQ(multidimensional[2][1], 2);
}

CONTRACT(shared_family_array, for_overwrite_initializes_by_default_only) {
    const auto objects = TestFixture::template make_for_overwrite<object[]>(std::size_t{3});
    EXPECT_EQ(objects[2].value, 0) << "a constructor still runs";
    const auto known = TestFixture::template make_for_overwrite<object[2][2]>();
    EXPECT_EQ(TestFixture::alive(), 7);
    known[1][1].value = 7;
    const auto one = TestFixture::template make_for_overwrite<object>();
    EXPECT_EQ(one->value, 0);
}

CONTRACT(shared_family_array, an_array_may_be_empty) {
    const auto p = TestFixture::template make<numbered[]>(0);
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(TestFixture::template make_for_overwrite<numbered[]>(std::size_t{0}).use_count(), 1);
    EXPECT_TRUE(elements.constructed.empty());
}

// Order

CONTRACT(shared_family_array, elements_are_constructed_in_order_and_destroyed_in_reverse) {
    TestFixture::template make<numbered[]>(10).reset();
    EXPECT_EQ(elements.constructed, ascending(10));
    EXPECT_EQ(elements.destroyed, descending(10));
}

CONTRACT(shared_family_array, elements_made_for_overwrite_are_destroyed_in_reverse) {
    TestFixture::template make_for_overwrite<numbered[]>(std::size_t{10}).reset();
    EXPECT_EQ(elements.destroyed, descending(10));
    elements = element_log();
    TestFixture::template make_for_overwrite<numbered[7]>().reset();
    EXPECT_EQ(elements.destroyed, descending(7));
}

CONTRACT(shared_family_array, elements_of_a_multidimensional_array_are_destroyed_in_reverse) {
    TestFixture::template make<numbered[][2][3]>(4).reset();
    EXPECT_EQ(elements.constructed, ascending(24));
    EXPECT_EQ(elements.destroyed, descending(24));
}

CONTRACT(shared_family_array, an_array_with_a_weak_pointer_is_destroyed_in_reverse_and_freed_later) {
    support::ledger ledger;
    auto p = TestFixture::template allocate<numbered[]>(TestFixture::recording(ledger), 5);
    auto weak = TestFixture::weak_to(p);
    p.reset();
    EXPECT_EQ(elements.destroyed, descending(5));
    EXPECT_EQ(ledger.live.size(), 1);
    weak.reset();
    EXPECT_TRUE(ledger.live.empty());
}

CONTRACT(shared_family_array, where_an_element_fails_those_before_it_are_destroyed_in_reverse) {
    support::ledger ledger;
    for (int k = 0; k < 6; ++k) {
        elements = element_log();
        elements.refused = k;
        EXPECT_THROW(TestFixture::template allocate<numbered[]>(TestFixture::recording(ledger), 6),
                     std::invalid_argument);
        EXPECT_EQ(elements.constructed, ascending(k));
        EXPECT_EQ(elements.destroyed, descending(k));
        EXPECT_TRUE(ledger.live.empty());
    }
    EXPECT_EQ(TestFixture::alive(), 0);
}

CONTRACT(shared_family_array, where_an_element_of_a_row_fails_all_before_it_are_destroyed_in_reverse) {
    support::ledger ledger;
    for (int k = 0; k < 12; ++k) {
        elements = element_log();
        elements.refused = k;
        EXPECT_THROW(TestFixture::template allocate<numbered[2][2][3]>(TestFixture::recording(ledger)),
                     std::invalid_argument);
        EXPECT_EQ(elements.destroyed, descending(k));
        EXPECT_TRUE(ledger.live.empty());
    }
}

CONTRACT(shared_family_array, where_an_element_made_for_overwrite_fails_those_before_it_are_destroyed) {
    support::ledger ledger;
    elements.refused = 3;
    const auto allocator = TestFixture::recording(ledger);
    EXPECT_THROW(TestFixture::template allocate_for_overwrite<numbered[]>(allocator, std::size_t{5}),
                 std::invalid_argument);
    EXPECT_EQ(elements.destroyed, descending(3));
    EXPECT_TRUE(ledger.live.empty());
}

CONTRACT(shared_family_array, where_a_copy_fails_those_before_it_are_destroyed) {
    static int copies;
    struct copied : support::tracked {
        copied() = default;
        copied(const copied& other) : tracked(other) {
            if (++copies == 4) throw std::invalid_argument("refused");
        }
    };
    copies = 0;
    const copied initial;
    EXPECT_THROW(TestFixture::template make<copied[]>(6, initial), std::invalid_argument);
    EXPECT_EQ(TestFixture::alive(), 1);
}

// Allocators

CONTRACT(shared_family_array, an_array_and_its_count_are_one_allocation) {
    support::ledger ledger;
    {
        const auto p = TestFixture::template allocate<int[]>(TestFixture::recording(ledger), 100, 7);
        EXPECT_EQ(p[99], 7);
        ASSERT_EQ(ledger.live.size(), 1);
        const auto& [begin, block] = *ledger.live.begin();
        const auto* const end = static_cast<const std::byte*>(begin) + block.bytes;
        EXPECT_LE(static_cast<const void*>(p.get() + 100), static_cast<const void*>(end));
    }
    EXPECT_EQ(ledger.allocations, 1);
    EXPECT_TRUE(ledger.live.empty());
}

CONTRACT(shared_family_array, every_element_is_constructed_and_destroyed_through_the_allocator) {
    support::ledger ledger;
    const auto allocator = TestFixture::recording(ledger);
    {
        const auto unknown = TestFixture::template allocate<object[][2]>(allocator, 3);
        const auto known = TestFixture::template allocate<const object[4]>(allocator, object(7));
        EXPECT_EQ(known[3].value, 7);
        EXPECT_EQ(ledger.constructed, 10);
    }
    EXPECT_EQ(ledger.destroyed, 10);
}

CONTRACT(shared_family_array, an_allocator_only_gives_memory_to_what_is_made_for_overwrite) {
    support::ledger ledger;
    const auto allocator = TestFixture::recording(ledger);
    {
        const auto object_alone = TestFixture::template allocate_for_overwrite<object>(allocator);
        const auto unknown = TestFixture::template allocate_for_overwrite<object[]>(allocator, std::size_t{3});
        const auto known = TestFixture::template allocate_for_overwrite<object[3]>(allocator);
        EXPECT_EQ(ledger.allocations, 3);
        EXPECT_EQ(TestFixture::alive(), 7);
    }
    EXPECT_EQ(ledger.constructed, 0);
    EXPECT_EQ(ledger.destroyed, 0);
    EXPECT_EQ(TestFixture::destroyed(), 7);
}

// Size and alignment

CONTRACT(shared_family_array, over_aligned_elements_are_aligned) {
    support::ledger ledger;
    for (int length = 0; length < 5; ++length) {
        const auto p = TestFixture::template make<over_aligned[]>(static_cast<std::size_t>(length));
        EXPECT_TRUE(is_aligned(p.get(), 256));
        const auto q = TestFixture::template make<page_aligned[]>(static_cast<std::size_t>(length));
        EXPECT_TRUE(is_aligned(q.get(), 4096));
        const auto r = TestFixture::template allocate<over_aligned[]>(TestFixture::recording(ledger),
                                                                      static_cast<std::size_t>(length));
        EXPECT_TRUE(is_aligned(r.get(), 256));
    }
}

CONTRACT(shared_family_array, elements_of_any_size_do_not_touch_each_other_or_the_count) {
    for (std::size_t length = 0; length < 64; ++length) {
        const auto bytes = TestFixture::template make<unsigned char[]>(length, std::uint8_t{0xff});
        const auto words = TestFixture::template make<std::uint16_t[]>(length, std::uint16_t{0xffff});
        for (std::size_t i = 0; i < length; ++i) {
            ASSERT_EQ(bytes[static_cast<std::ptrdiff_t>(i)], 0xff);
            ASSERT_EQ(words[static_cast<std::ptrdiff_t>(i)], 0xffff);
        }
        ASSERT_EQ(bytes.use_count(), 1);
        ASSERT_EQ(words.use_count(), 1);
    }
}

CONTRACT(shared_family_array, an_array_whose_size_is_not_representable_is_refused) {
    for (const std::size_t less : std::initializer_list<std::size_t>{0, 1, 7, 8, 15, 16, 31, 32, 33, 64, 4096}) {
        EXPECT_THROW(TestFixture::template make<char[]>(greatest - less), std::bad_array_new_length) << less;
        EXPECT_THROW(TestFixture::template make<char[]>(greatest - less, 'x'), std::bad_array_new_length) << less;
        EXPECT_THROW(TestFixture::template make_for_overwrite<char[]>(greatest - less), std::bad_array_new_length)
            << less;
    }
}

CONTRACT(shared_family_array, an_array_whose_size_wraps_is_refused) {
    for (const std::size_t more : std::initializer_list<std::size_t>{0, 1, 2, 100}) {
        EXPECT_THROW(TestFixture::template make<long[]>(greatest / sizeof(long) + more), std::bad_array_new_length);
        EXPECT_THROW(TestFixture::template make<long[]>(greatest / sizeof(long) - more), std::bad_array_new_length);
        EXPECT_THROW(TestFixture::template make<over_aligned[]>(greatest / sizeof(over_aligned) + more),
                     std::bad_array_new_length);
    }
}

CONTRACT(shared_family_array, a_multidimensional_array_whose_size_wraps_is_refused) {
    EXPECT_THROW(TestFixture::template make<int[][2]>(greatest), std::bad_array_new_length);
    EXPECT_THROW(TestFixture::template make<int[][1000][1000]>(greatest / 1000), std::bad_array_new_length);
    EXPECT_THROW(TestFixture::template make<char[][4]>(greatest / 4), std::bad_array_new_length);
    EXPECT_THROW(TestFixture::template make<char[][4]>(greatest / 4 + 1), std::bad_array_new_length)
        << "4 elements, once wrapped";
}

CONTRACT(shared_family_array, an_allocator_is_not_asked_for_a_size_that_wraps) {
    support::ledger ledger;
    const auto allocator = TestFixture::recording(ledger);
    EXPECT_THROW(TestFixture::template allocate<char[]>(allocator, greatest), std::bad_array_new_length);
    EXPECT_THROW(TestFixture::template allocate<char[]>(allocator, greatest - 40, 'x'), std::bad_array_new_length);
    EXPECT_THROW(TestFixture::template allocate_for_overwrite<char[]>(allocator, greatest), std::bad_array_new_length);
    EXPECT_EQ(ledger.allocations, 0);
}

}  // namespace contracts
