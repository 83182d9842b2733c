#include <gtest/gtest.h>
#include <freehold/tracing/traces_concurrently.hpp>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <freehold/traced/traced_array.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_map.hpp>
#include <freehold/traced/traced_vector.hpp>

namespace {

using freehold::traced_ptr;
using freehold::detail::is_traced_concurrently;

struct leaf {
    int number = 0;
};

struct aggregate {
    int number = 0;
    traced_ptr<aggregate> one = {};
    std::array<traced_ptr<leaf>, 3> more = {};
    std::pair<int, traced_ptr<leaf>> pair = {};
    std::tuple<traced_ptr<leaf>> tuple = {};
    freehold::traced_vector<traced_ptr<aggregate>> many = {};
    freehold::traced_map<std::string, traced_ptr<leaf>> named = {};
};

struct with_trace {
    void trace(auto& visit) const { visit(link); }
    traced_ptr<leaf> link;
};

struct declared : with_trace {
    void trace(auto& visit) const { with_trace::trace(visit); }
};

struct derived : declared {
    void trace(auto& visit) const { declared::trace(visit); }
};

struct with_text {
    traced_ptr<leaf> link = {};
    std::string text = {};
};

}  // namespace

template <>
inline constexpr bool freehold::traces_concurrently<declared> = true;

TEST(traces_concurrently, is_known_of_aggregates_of_pointers) {
    EXPECT_TRUE(is_traced_concurrently<leaf>());
    EXPECT_TRUE(is_traced_concurrently<aggregate>());
    EXPECT_TRUE((is_traced_concurrently<aggregate[2]>()));
}

TEST(traces_concurrently, does_not_hold_where_a_trace_reads_what_changes) {
    EXPECT_FALSE(is_traced_concurrently<std::optional<traced_ptr<leaf>>>());
    EXPECT_FALSE((is_traced_concurrently<std::variant<int, traced_ptr<leaf>>>()));
    EXPECT_FALSE(is_traced_concurrently<std::vector<traced_ptr<leaf>>>());
    EXPECT_FALSE((is_traced_concurrently<std::pair<int, std::optional<traced_ptr<leaf>>>>()));
}

TEST(traces_concurrently, does_not_hold_for_what_owns_memory_elsewhere) {
    EXPECT_FALSE(is_traced_concurrently<with_text>());
    EXPECT_FALSE(is_traced_concurrently<std::string>());
}

TEST(traces_concurrently, is_declared_for_a_class_with_a_trace_member) {
    EXPECT_FALSE(is_traced_concurrently<with_trace>());
    EXPECT_TRUE(is_traced_concurrently<declared>());
    EXPECT_FALSE(is_traced_concurrently<derived>());
}

TEST(traces_concurrently, implies_points_directly) {
    EXPECT_TRUE(freehold::detail::may_lead_outside<with_trace>);
    EXPECT_FALSE(freehold::detail::may_lead_outside<declared>);
}
