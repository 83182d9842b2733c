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

struct end_of_pointers {
    int number = 0;
};

struct pointers_alone {
    int number = 0;
    traced_ptr<pointers_alone> one = {};
    std::array<traced_ptr<end_of_pointers>, 3> more = {};
    std::pair<int, traced_ptr<end_of_pointers>> pair = {};
    std::tuple<traced_ptr<end_of_pointers>> tuple = {};
    freehold::traced_vector<traced_ptr<pointers_alone>> many = {};
    freehold::traced_map<std::string, traced_ptr<end_of_pointers>> named = {};
};

struct told_by_trace {
    void trace(auto& visit) const { visit(link); }
    traced_ptr<end_of_pointers> link;
};

struct told_and_declared : told_by_trace {
    void trace(auto& visit) const { told_by_trace::trace(visit); }
};

struct derived_from_declared : told_and_declared {
    void trace(auto& visit) const { told_and_declared::trace(visit); }
};

struct pointer_and_text {
    traced_ptr<end_of_pointers> link = {};
    std::string text = {};
};

}  // namespace

template <>
inline constexpr bool freehold::traces_concurrently<told_and_declared> = true;

TEST(traces_concurrently, is_known_of_aggregates_of_pointers) {
    EXPECT_TRUE(is_traced_concurrently<end_of_pointers>());
    EXPECT_TRUE(is_traced_concurrently<pointers_alone>());
    EXPECT_TRUE((is_traced_concurrently<pointers_alone[2]>()));
}

TEST(traces_concurrently, does_not_hold_where_a_trace_reads_what_changes) {
    EXPECT_FALSE(is_traced_concurrently<std::optional<traced_ptr<end_of_pointers>>>());
    EXPECT_FALSE((is_traced_concurrently<std::variant<int, traced_ptr<end_of_pointers>>>()));
    EXPECT_FALSE(is_traced_concurrently<std::vector<traced_ptr<end_of_pointers>>>());
    EXPECT_FALSE((is_traced_concurrently<std::pair<int, std::optional<traced_ptr<end_of_pointers>>>>()));
}

TEST(traces_concurrently, does_not_hold_for_what_owns_memory_elsewhere) {
    EXPECT_FALSE(is_traced_concurrently<pointer_and_text>());
    EXPECT_FALSE(is_traced_concurrently<std::string>());
}

TEST(traces_concurrently, is_declared_for_a_class_with_a_trace_member) {
    EXPECT_FALSE(is_traced_concurrently<told_by_trace>());
    EXPECT_TRUE(is_traced_concurrently<told_and_declared>());
    EXPECT_FALSE(is_traced_concurrently<derived_from_declared>());
}

TEST(traces_concurrently, implies_points_directly) {
    EXPECT_TRUE(freehold::detail::may_lead_outside<told_by_trace>);
    EXPECT_FALSE(freehold::detail::may_lead_outside<told_and_declared>);
}
