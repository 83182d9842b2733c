#include <freehold/core/growing_buffer.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using freehold::detail::growing_list;

namespace {

TEST(growing_buffer, keeps_what_was_pushed_when_it_grows) {
    growing_list<int> numbers;
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(numbers.push(i));
    ASSERT_EQ(numbers.size(), 1000U);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i);
}

TEST(growing_buffer, pops_the_newest_first) {
    growing_list<int> numbers;
    ASSERT_TRUE(numbers.push(1));
    ASSERT_TRUE(numbers.push(2));
    EXPECT_EQ(numbers.pop(), 2);
    EXPECT_EQ(numbers.pop(), 1);
    EXPECT_TRUE(numbers.empty());
}

TEST(growing_buffer, truncates_to_a_length) {
    growing_list<int> numbers;
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(numbers.push(i));
    numbers.truncate(2);
    EXPECT_EQ(numbers.size(), 2U);
    EXPECT_EQ(numbers.pop(), 1);
}

TEST(growing_buffer, erases_a_range) {
    growing_list<int> numbers;
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(numbers.push(i));
    numbers.erase(1, 4);
    ASSERT_EQ(numbers.size(), 3U);
    EXPECT_EQ(numbers[0], 0);
    EXPECT_EQ(numbers[1], 4);
    EXPECT_EQ(numbers.back(), 5);
    numbers.erase(0, 3);
    EXPECT_TRUE(numbers.empty());
    growing_list<int> none;
    none.erase(0, 0);
    EXPECT_TRUE(none.empty());
}

TEST(growing_buffer, extends_with_new_elements) {
    growing_list<int> numbers;
    ASSERT_TRUE(numbers.push(7));
    ASSERT_TRUE(numbers.extend(1000));
    ASSERT_EQ(numbers.size(), 1000U);
    EXPECT_EQ(numbers[0], 7);
    for (std::size_t i = 1; i < 1000; ++i) ASSERT_EQ(numbers[i], 0);
}

TEST(growing_buffer, extends_element_by_element_in_few_allocations) {
    growing_list<int> numbers;
    int moves = 0;
    for (std::size_t i = 1; i <= 1000; ++i) {
        const int* const before = numbers.begin();
        ASSERT_TRUE(numbers.extend(i));
        if (numbers.begin() != before) ++moves;
    }
    EXPECT_LE(moves, 11);
}

TEST(growing_buffer, swaps) {
    growing_list<int> numbers;
    growing_list<int> others;
    ASSERT_TRUE(numbers.push(1));
    numbers.swap(others);
    EXPECT_TRUE(numbers.empty());
    ASSERT_EQ(others.size(), 1U);
    EXPECT_EQ(others.back(), 1);
}

TEST(growing_buffer, does_not_allocate_within_its_capacity) {
    growing_list<int> numbers;
    ASSERT_TRUE(numbers.reserve(10));
    const int* const begin = numbers.begin();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(numbers.push(i));
    EXPECT_EQ(numbers.begin(), begin);
    EXPECT_TRUE(numbers.is_full());
}

TEST(growing_buffer, appends_what_another_has) {
    growing_list<int> numbers;
    growing_list<int> more;
    ASSERT_TRUE(numbers.append(more));
    EXPECT_TRUE(numbers.empty());
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(more.push(i));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(numbers.append(more));
    ASSERT_EQ(numbers.size(), 300U);
    for (std::size_t i = 0; i < 300; ++i) ASSERT_EQ(numbers[i], static_cast<int>(i % 100));
    EXPECT_EQ(more.size(), 100U);
}

TEST(growing_buffer, is_empty_and_full_after_release) {
    growing_list<int> numbers;
    ASSERT_TRUE(numbers.push(1));
    numbers.release();
    EXPECT_TRUE(numbers.empty());
    EXPECT_TRUE(numbers.is_full());
}

}  // namespace
