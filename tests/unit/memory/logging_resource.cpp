#include <gtest/gtest.h>
#include <freehold/memory/logging_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <ios>
#include <locale>
#include <map>
#include <memory_resource>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "support/ledger_resource.hpp"

using freehold::logging_resource;

namespace {

constexpr const char* header = "operation,block,bytes,alignment\n";

// Returns: the block as a line has it.
std::string text(const void* block) {
    std::ostringstream stream;
    stream << block;
    return stream.str();
}

struct entry {
    std::string operation;
    std::string block;
    std::size_t bytes;
    std::size_t alignment;
};

// Returns: the entries of a log, parsed by its format alone.
std::vector<entry> read_back(const std::string& log) {
    std::vector<entry> entries;
    std::istringstream lines(log);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line + "\n", header);
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        std::string operation;
        std::string block;
        std::string bytes;
        std::string alignment;
        std::getline(fields, operation, ',');
        std::getline(fields, block, ',');
        std::getline(fields, bytes, ',');
        std::getline(fields, alignment, ',');
        entries.push_back({operation, block, std::stoul(bytes), std::stoul(alignment)});
    }
    return entries;
}

// A device that is full.
class full_buffer final : public std::streambuf {};

}  // namespace

TEST(logging_resource, the_first_line_names_the_columns) {
    std::ostringstream log;
    const logging_resource resource(log);
    EXPECT_EQ(log.str(), header);
}

TEST(logging_resource, each_call_is_a_line_in_the_order_of_the_calls) {
    std::ostringstream log;
    logging_resource resource(log);
    void* const small = resource.allocate(24, 8);
    void* const large = resource.allocate(1000, 64);
    resource.deallocate(small, 24, 8);
    resource.deallocate(large, 1000, 64);
    EXPECT_EQ(log.str(), header + ("allocate," + text(small)) + ",24,8\nallocate," + text(large) +
                             ",1000,64\ndeallocate," + text(small) + ",24,8\ndeallocate," + text(large) + ",1000,64\n");
}

// Otherwise another allocation at its address could have an earlier line.
TEST(logging_resource, a_deallocation_is_a_line_before_the_upstream_has_the_block_back) {
    class looking_resource final : public std::pmr::memory_resource {
    public:
        std::ostringstream log;
        std::string log_at_deallocation;

    private:
        void* do_allocate(std::size_t bytes, std::size_t alignment) override {
            return std::pmr::new_delete_resource()->allocate(bytes, alignment);
        }

        void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
            log_at_deallocation = log.str();
            std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
        }

        [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
            return this == &other;
        }
    };
    looking_resource upstream;
    logging_resource resource(upstream.log, &upstream);
    resource.deallocate(resource.allocate(24, 8), 24, 8);
    EXPECT_EQ(upstream.log_at_deallocation, upstream.log.str());
    EXPECT_EQ(read_back(upstream.log_at_deallocation).size(), 2U);
}

TEST(logging_resource, calls_as_any_resource_are_lines_as_well) {
    std::ostringstream log;
    logging_resource resource(log);
    std::pmr::memory_resource& any = resource;
    any.deallocate(any.allocate(24, 8), 24, 8);
    EXPECT_EQ(read_back(log.str()).size(), 2U);
}

TEST(logging_resource, a_failure_is_a_line_without_a_block) {
    std::ostringstream log;
    support::ledger_resource upstream;
    upstream.allocations_left = 0;
    logging_resource resource(log, &upstream);
    EXPECT_THROW(static_cast<void>(resource.allocate(24, 8)), support::upstream_failure);
    EXPECT_EQ(log.str(), "operation,block,bytes,alignment\nfail,,24,8\n");
}

TEST(logging_resource, a_log_shows_which_blocks_were_live_when) {
    std::ostringstream log;
    support::ledger_resource upstream;
    {
        logging_resource resource(log, &upstream);
        std::pmr::map<int, std::pmr::string> map(&resource);
        for (int i = 0; i < 100; ++i) map.emplace(i, std::string(static_cast<std::size_t>(i), 'a'));
        for (int i = 0; i < 100; i += 2) map.erase(i);
    }
    std::map<std::string, std::size_t> live;
    std::size_t bytes = 0;
    std::size_t peak = 0;
    for (const entry& each : read_back(log.str())) {
        if (each.operation == "allocate") {
            EXPECT_TRUE(live.emplace(each.block, each.bytes).second);
            peak = std::max(peak, bytes += each.bytes);
        } else {
            EXPECT_EQ(each.operation, "deallocate");
            EXPECT_EQ(live.at(each.block), each.bytes);
            live.erase(each.block);
            bytes -= each.bytes;
        }
    }
    EXPECT_TRUE(live.empty());
    EXPECT_EQ(peak, upstream.bytes_peak);
}

TEST(logging_resource, the_format_of_the_stream_is_neither_used_nor_changed) {
    struct grouping final : std::numpunct<char> {
        [[nodiscard]] char do_thousands_sep() const override { return '.'; }
        [[nodiscard]] std::string do_grouping() const override { return "\3"; }
    };
    std::ostringstream log;
    log.imbue(std::locale(std::locale::classic(), new grouping));
    log << std::hex;
    logging_resource resource(log);
    resource.deallocate(resource.allocate(1'000'000, 8), 1'000'000, 8);
    EXPECT_EQ(read_back(log.str()).front().bytes, 1'000'000U);
    log.str("");
    log << 0x1'0000;
    EXPECT_EQ(log.str(), "10.000");
}

TEST(logging_resource, after_a_write_error_it_serves_on_and_is_not_complete) {
    full_buffer full;
    std::ostream log(&full);
    log.exceptions(std::ios::badbit | std::ios::failbit);
    support::ledger_resource upstream;
    logging_resource resource(log, &upstream);
    EXPECT_FALSE(resource.is_complete());
    resource.deallocate(resource.allocate(24), 24);
    EXPECT_EQ(upstream.allocations, 1);
}

TEST(logging_resource, is_complete_is_true_if_all_was_written) {
    std::ostringstream log;
    logging_resource resource(log);
    resource.deallocate(resource.allocate(24), 24);
    EXPECT_TRUE(resource.is_complete());
}
