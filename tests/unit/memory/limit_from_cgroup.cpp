#include <gtest/gtest.h>
#include <freehold/memory/limit_from_cgroup.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <string_view>

#include <freehold/core/config.hpp>
#include <freehold/memory/limiting_resource.hpp>

using freehold::limit_from_cgroup;

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

// A folder that stands for "/".
class made_up_root : public testing::Test {
protected:
    void SetUp() override {
#ifndef FREEHOLD_LINUX
        GTEST_SKIP() << "the system has no control groups";
#endif
        root_ = testing::TempDir() + "freehold-cgroup-" + testing::UnitTest::GetInstance()->current_test_info()->name();
        std::filesystem::remove_all(root_);
    }
    void TearDown() override { std::filesystem::remove_all(root_); }

    void write(const std::string& file, std::string_view text) const {
        const std::filesystem::path path = root_ + "/" + file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }

    // As on a machine that has version 2 alone, where the process is in the group.
    void write_second_version(std::string_view group, std::string_view mount_root = "/") const {
        write("proc/self/cgroup", "0::" + std::string(group) + "\n");
        write("proc/self/mountinfo", "25 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 25 0:26 " + std::string(mount_root) +
                                         " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    }

    // As on a machine that has version 1 alone.
    void write_first_version(std::string_view group, std::string_view mount_root = "/") const {
        write("proc/self/cgroup", "5:cpu,cpuacct:/elsewhere\n4:hugetlb,memory:" + std::string(group) + "\n");
        write("proc/self/mountinfo", "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n35 31 0:32 " +
                                         std::string(mount_root) +
                                         " /sys/fs/cgroup/memory rw - cgroup cgroup rw,hugetlb,memory\n");
    }

    [[nodiscard]] std::size_t limit() const { return limit_from_cgroup(root_); }

    std::string root_;
};

using limit_from_cgroup_of = made_up_root;

}  // namespace

TEST_F(limit_from_cgroup_of, the_second_version_is_in_memory_max) {
    write_second_version("/app");
    write("sys/fs/cgroup/app/memory.max", "1000000\n");
    EXPECT_EQ(limit(), 1000000U);
}

TEST_F(limit_from_cgroup_of, the_first_version_is_in_memory_limit_in_bytes) {
    write_first_version("/app");
    write("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "1000000\n");
    EXPECT_EQ(limit(), 1000000U);
}

TEST_F(limit_from_cgroup_of, no_other_controller_than_memory_counts) {
    write_first_version("/app");
    write("sys/fs/cgroup/cpu/elsewhere/memory.limit_in_bytes", "1\n");
    EXPECT_EQ(limit(), none);
}

TEST_F(limit_from_cgroup_of, a_machine_with_both_versions_is_the_least_of_both) {
    write("proc/self/cgroup", "4:memory:/old\n0::/new\n");
    write("proc/self/mountinfo",
          "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
          "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    write("sys/fs/cgroup/memory/old/memory.limit_in_bytes", "3000\n");
    EXPECT_EQ(limit(), 3000U);
    write("sys/fs/cgroup/unified/new/memory.max", "2000\n");
    EXPECT_EQ(limit(), 2000U);
}

TEST_F(limit_from_cgroup_of, a_group_is_the_least_of_all_above_it) {
    write_second_version("/pods/pod/app");
    write("sys/fs/cgroup/pods/memory.max", "2000\n");
    write("sys/fs/cgroup/pods/pod/memory.max", "1000\n");
    write("sys/fs/cgroup/pods/pod/app/memory.max", "3000\n");
    EXPECT_EQ(limit(), 1000U);
    write("sys/fs/cgroup/memory.max", "500\n");
    EXPECT_EQ(limit(), 500U);
}

TEST_F(limit_from_cgroup_of, a_group_beside_it_does_not_count) {
    write_second_version("/pods/app");
    write("sys/fs/cgroup/pods/app2/memory.max", "1000\n");
    write("sys/fs/cgroup/pods/app/below/memory.max", "1000\n");
    EXPECT_EQ(limit(), none);
}

TEST_F(limit_from_cgroup_of, max_is_none) {
    write_second_version("/app");
    write("sys/fs/cgroup/app/memory.max", "max\n");
    EXPECT_EQ(limit(), none);
}

TEST_F(limit_from_cgroup_of, the_greatest_number_of_the_first_version_is_none) {
    write_first_version("/app");
    write("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(limit(), none);
}

TEST_F(limit_from_cgroup_of, memory_high_counts_as_well) {
    write_second_version("/app");
    write("sys/fs/cgroup/app/memory.max", "2000\n");
    write("sys/fs/cgroup/app/memory.high", "1000\n");
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(limit_from_cgroup_of, nothing_may_be_allowed) {
    write_second_version("/app");
    write("sys/fs/cgroup/app/memory.max", "0\n");
    EXPECT_EQ(limit(), 0U);
}

TEST_F(limit_from_cgroup_of, what_is_no_number_is_none) {
    write_second_version("/app");
    for (const char* const text : {"", "\n", "-1\n", "1000 bytes\n", "1000x", "0x10\n", " 1000\n", "1000\n2000\n"}) {
        write("sys/fs/cgroup/app/memory.max", text);
        EXPECT_EQ(limit(), none) << text;
    }
}

TEST_F(limit_from_cgroup_of, a_number_without_a_newline_is_one) {
    write_second_version("/app");
    write("sys/fs/cgroup/app/memory.max", "1000");
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(limit_from_cgroup_of, a_number_that_no_word_holds_is_none) {
    write_second_version("/app");
    write("sys/fs/cgroup/app/memory.max", "18446744073709551617\n");
    EXPECT_EQ(limit(), none);
}

TEST_F(limit_from_cgroup_of, a_mount_of_a_group_begins_there) {
    write_first_version("/docker/abc/app", "/docker/abc");
    write("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "2000\n");
    EXPECT_EQ(limit(), 2000U);
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(limit_from_cgroup_of, a_mount_of_the_group_itself_has_its_limit) {
    write_first_version("/docker/abc", "/docker/abc");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(limit_from_cgroup_of, a_mount_of_another_group_does_not_count) {
    write_first_version("/docker/abcd", "/docker/abc");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
    write("sys/fs/cgroup/memoryd/memory.limit_in_bytes", "1000\n");
    EXPECT_EQ(limit(), none);
}

TEST_F(limit_from_cgroup_of, a_group_of_the_host_that_the_container_does_not_see_is_that_of_the_top) {
    write_second_version("/docker/abc");
    write("sys/fs/cgroup/memory.max", "1000\n");
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(limit_from_cgroup_of, a_mount_from_above_the_namespace_has_the_limits_of_its_top) {
    write_second_version("/app", "/../..");
    write("sys/fs/cgroup/memory.max", "1000\n");
    write("sys/fs/cgroup/app/memory.max", "500\n");  // of another group of this name
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(limit_from_cgroup_of, a_group_outside_of_the_namespace_is_in_no_mount_of_it) {
    write_second_version("/../other");
    write("sys/fs/cgroup/memory.max", "1000\n");
    write("sys/fs/other/memory.max", "500\n");
    EXPECT_EQ(limit(), none);
}

TEST_F(limit_from_cgroup_of, a_group_outside_of_the_namespace_is_in_a_mount_from_above) {
    write_second_version("/../other", "/..");
    write("sys/fs/cgroup/other/memory.max", "500\n");
    EXPECT_EQ(limit(), 500U);
}

TEST_F(limit_from_cgroup_of, a_mount_may_be_anywhere_and_its_path_have_spaces) {
    write("proc/self/cgroup", "0::/a b\n");
    write("proc/self/mountinfo", "30 25 0:26 / /my\\040groups\\134x rw - cgroup2 none rw\n");
    write("my groups\\x/a b/memory.max", "1000\n");
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(limit_from_cgroup_of, optional_fields_of_a_mount_are_skipped) {
    write("proc/self/cgroup", "0::/\n");
    write("proc/self/mountinfo", "30 25 0:26 / /groups rw shared:1 master:2 unbindable - cgroup2 none rw\n");
    write("groups/memory.max", "1000\n");
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(limit_from_cgroup_of, a_group_may_have_colons_in_its_name) {
    write_second_version("/a:b");
    write("sys/fs/cgroup/a:b/memory.max", "1000\n");
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(limit_from_cgroup_of, a_group_that_was_removed_is_that_of_those_above) {
    write_second_version("/pods/app (deleted)");
    write("sys/fs/cgroup/pods/memory.max", "1000\n");
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(limit_from_cgroup_of, missing_files_is_none) {
    EXPECT_EQ(limit(), none);
    write("proc/self/cgroup", "0::/app\n");
    EXPECT_EQ(limit(), none);
    write_second_version("/app");
    EXPECT_EQ(limit(), none);
}

TEST_F(limit_from_cgroup_of, files_that_cannot_be_read_is_none) {
    write_second_version("/app");
    std::filesystem::create_directories(root_ + "/sys/fs/cgroup/app/memory.max");
    EXPECT_EQ(limit(), none);
}

TEST_F(limit_from_cgroup_of, lines_that_are_cut_off_is_none) {
    write("proc/self/cgroup", "0\n0:\n\n:::\n4:memory\n");
    write("proc/self/mountinfo", "30\n30 25 0:26 /\n\n30 25 0:26 / /sys\\04 rw -\n30 25 0:26 / /sys rw - cgroup2");
    EXPECT_EQ(limit(), none);
}

TEST_F(limit_from_cgroup_of, a_long_line_of_another_mount_is_read_to_its_end) {
    write("proc/self/cgroup", "0::/\n");
    write("proc/self/mountinfo", "28 25 0:26 / /merged rw - overlay overlay rw,lowerdir=" + std::string(20000, 'x') +
                                     "\n30 25 0:26 / /groups rw - cgroup2 none rw\n");
    write("groups/memory.max", "1000\n");
    EXPECT_EQ(limit(), 1000U);
}

TEST(limit_from_cgroup, the_system_is_asked) {
    const std::size_t limit = limit_from_cgroup();
    EXPECT_EQ(limit, limit_from_cgroup("/"));
    EXPECT_GT(limit, std::size_t{1} << 20) << "this test would not run";
}

TEST(limit_from_cgroup, no_limit_is_none_of_a_resource_either) {
    freehold::limiting_resource resource(limit_from_cgroup(testing::TempDir() + "freehold-no-such-folder"));
    void* const block = resource.allocate(std::size_t{1} << 20);
    resource.deallocate(block, std::size_t{1} << 20);
    EXPECT_EQ(resource.limit(), none);
}
