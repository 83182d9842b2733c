#include <freehold/core/platform/control_group.hpp>

#include <gtest/gtest.h>

// What is read, and how, tests/unit/memory/limit_from_cgroup.cpp tests.

TEST(control_group, a_folder_without_files_of_the_system_has_no_limit) {
    EXPECT_EQ(freehold::detail::limit_of_control_group(testing::TempDir() + "freehold-no-such-folder"),
              freehold::detail::no_limit);
}
