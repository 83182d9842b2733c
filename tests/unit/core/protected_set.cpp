#include <gtest/gtest.h>
#include <freehold/core/protected_set.hpp>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace {

using set = freehold::detail::protected_set<4>;

}  // namespace

TEST(protected_set, contains_what_was_inserted) {
    set words;
    for (const std::uintptr_t word : {8U, 24U, 4096U}) words.insert(word);
    EXPECT_TRUE(words.contains(8) && words.contains(24) && words.contains(4096));
    EXPECT_FALSE(words.contains(16));
}

TEST(protected_set, counts_a_word_once) {
    set words;
    words.insert(8);
    words.insert(8);
    EXPECT_EQ(words.size(), 1U);
}

TEST(protected_set, is_full_when_it_has_as_many_as_there_is_room_for) {
    set words;
    for (std::uintptr_t word = 1; word != 4; ++word) words.insert(word);
    EXPECT_FALSE(words.is_full());
    words.insert(4);
    EXPECT_TRUE(words.is_full());
}

TEST(protected_set, is_empty_after_it_was_cleared) {
    set words;
    words.insert(8);
    words.clear();
    EXPECT_EQ(words.size(), 0U);
    EXPECT_FALSE(words.contains(8));
}

TEST(protected_set, contains_nothing_from_before_it_was_cleared) {
    for (std::uintptr_t word = 8; word != 512; word += 8) {
        set words;
        words.insert(word);
        words.clear();
        words.insert(4096);
        EXPECT_FALSE(words.contains(word)) << word;
    }
}

TEST(protected_set, keeps_its_words_where_there_is_more_room) {
    set words;
    for (std::uintptr_t word = 1; word != 5; ++word) words.insert(word);
    std::vector<std::uintptr_t> memory(set::bytes(1024) / sizeof(std::uintptr_t));
    EXPECT_EQ(words.move_to(memory.data(), 1024), nullptr);
    for (std::uintptr_t word = 5; word != 1025; ++word) words.insert(word);
    EXPECT_TRUE(words.is_full());
    for (std::uintptr_t word = 1; word != 1025; ++word) EXPECT_TRUE(words.contains(word));
    EXPECT_FALSE(words.contains(1025));
}

TEST(protected_set, keeps_its_words_in_place_again) {
    set words;
    std::vector<std::uintptr_t> memory(set::bytes(8) / sizeof(std::uintptr_t));
    words.move_to(memory.data(), 8);
    words.insert(8);
    EXPECT_EQ(words.move_to(nullptr), memory.data());
    EXPECT_TRUE(words.contains(8));
    EXPECT_EQ(words.room(), 4U);
}

// Of many words some meet at the last entry, and go on at the first one.
TEST(protected_set, contains_each_of_many) {
    std::minstd_rand random(1);
    const auto any = [&random] { return 16 * std::uintptr_t{random()}; };
    for (int round = 0; round != 100; ++round) {
        freehold::detail::protected_set<512> words;
        std::set<std::uintptr_t> inserted;
        while (!words.is_full()) words.insert(*inserted.insert(any()).first);
        for (const std::uintptr_t each : inserted) EXPECT_TRUE(words.contains(each));
        EXPECT_FALSE(words.contains(any()));
    }
}
