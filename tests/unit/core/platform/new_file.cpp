#include <freehold/core/platform/new_file.hpp>

#include <gtest/gtest.h>
#include <freehold/core/platform/process.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

using freehold::detail::new_file;

namespace {

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Effects: writes the text to a new file, if there are new files.
bool write(const std::string& path, const std::string& text) {
    new_file file(path.c_str());
    return file.is_open() && file.write(text.data(), text.size());
}

}  // namespace

TEST(new_file, goes_beside_one_that_is_there) {
    const std::string path = testing::TempDir() + "freehold_new_file_" + std::to_string(freehold::detail::process_id());
    if (!write(path, "first")) GTEST_SKIP() << "the system makes none";
    EXPECT_TRUE(write(path, "second"));
    EXPECT_EQ(contents(path), "first");
    EXPECT_EQ(contents(path + ".1"), "second");
    std::remove(path.c_str());
    std::remove((path + ".1").c_str());
}

TEST(new_file, is_not_open_where_there_is_no_folder) {
    EXPECT_FALSE(new_file((testing::TempDir() + "freehold_no_folder/file").c_str()).is_open());
}

TEST(new_file, is_not_open_under_a_path_that_is_too_long) {
    EXPECT_FALSE(new_file((testing::TempDir() + std::string(5000, 'x')).c_str()).is_open());
}

TEST(new_file, a_test_has_no_more_rights_than_its_user) { EXPECT_FALSE(freehold::detail::has_more_rights()); }
