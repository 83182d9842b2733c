#include <freehold/traced/detail/undeclared_classes.hpp>

#include <gtest/gtest.h>
#include <freehold/traced/shared_traced_heap.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_map.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_ptr;

// An object of a chain. Each test has a type of its own, as a class is reported once.
template <int test>
struct chained {
    void trace(auto& visit) const { visit(next); }
    traced_ptr<chained> next;
};

struct chained_with_text {
    void trace(auto& visit) const { visit(text, next); }
    std::string text;
    traced_ptr<chained_with_text> next;
};

struct declared {
    void trace(auto& visit) const { visit(next); }
    traced_ptr<declared> next;
};

struct aggregate {
    traced_ptr<aggregate> next = {};
    chained<10> part = {};
};

// They own pointers outside of the object.
struct chained_with_vector {
    void trace(auto& visit) const { visit(next, others); }
    traced_ptr<chained_with_vector> next;
    std::vector<traced_ptr<chained_with_vector>> others;
};

struct chained_by_elements {
    void trace(auto& visit) const {
        for (const auto& each : others) visit(each);
        visit(next);
    }
    traced_ptr<chained_by_elements> next;
    std::vector<traced_ptr<chained_by_elements>> others = std::vector<traced_ptr<chained_by_elements>>(1);
};

struct aggregate_with_vector {
    traced_ptr<aggregate_with_vector> next = {};
    std::vector<traced_ptr<aggregate_with_vector>> others = {};
    chained<11> part = {};
};

struct aggregate_with_map {
    traced_ptr<aggregate_with_map> next = {};
    freehold::traced_map<int, chained<12>> parts = {};
};

traced_heap_options options_with(std::size_t budget) {
    traced_heap_options options;
    options.nursery_bytes = std::size_t{64} * 1024;
    options.min_full_bytes = std::size_t{64} * 1024;
    options.pause_budget = budget;
    return options;
}

void fill(auto& heap, auto& chain, const auto& use) {
    using node = std::remove_reference_t<decltype(*chain)>;
    for (int i = 0; i < 20'000; ++i) {
        const traced_local<node> made = heap.template make<node>();
        made->next = chain;
        chain = made;
        use(*chain);
    }
}

template <class Node>
std::string reported(const traced_heap_options& options, const auto& use) {
    testing::internal::CaptureStderr();
    freehold::traced_heap heap(options);
    traced_local<Node> chain;
    fill(heap, chain, use);
    return testing::internal::GetCapturedStderr();
}

template <class Node>
std::string reported(const traced_heap_options& options) {
    return reported<Node>(options, [](Node&) {});
}

// Whether one class is reported, with this declaration.
[[maybe_unused]] bool is_one(const std::string& report, const std::string& property, const std::string& type) {
    const std::size_t first = report.find("    type: ");
    return first != std::string::npos && report.find("    type: ", first + 1) == std::string::npos &&
           report.find("bool freehold::" + property + "<") != std::string::npos &&
           report.find(type + "> = true;\n") != std::string::npos;
}

}  // namespace

template <>
inline constexpr bool freehold::points_directly<declared> = true;

#ifndef NDEBUG
TEST(undeclared_classes, are_reported_once) {
    const std::string report = reported<chained<1>>(options_with(1000));
    EXPECT_TRUE(is_one(report, "traces_concurrently", "chained<1>")) << report;
    EXPECT_EQ(reported<chained<1>>(options_with(1000)), "");
}

TEST(undeclared_classes, are_reported_where_a_helper_marks) {
    traced_heap_options options = options_with(1000);
    options.helper = true;
    EXPECT_TRUE(is_one(reported<chained<2>>(options), "traces_concurrently", "chained<2>"));
}

TEST(undeclared_classes, are_reported_of_a_heap_that_threads_share) {
    testing::internal::CaptureStderr();
    freehold::shared_traced_heap heap(options_with(1000));
    {
        const freehold::shared_traced_heap::session own(heap);
        traced_local<chained<3>> chain;
        fill(heap, chain, [](chained<3>&) {});
    }
    EXPECT_TRUE(is_one(testing::internal::GetCapturedStderr(), "traces_concurrently", "chained<3>"));
}

TEST(undeclared_classes, are_to_point_directly_if_their_trace_reads_more) {
    EXPECT_TRUE(is_one(reported<chained_with_text>(options_with(1000)), "points_directly", "chained_with_text"));
}

TEST(undeclared_classes, are_found_in_aggregates_and_maps) {
    EXPECT_TRUE(is_one(reported<aggregate>(options_with(1000)), "traces_concurrently", "chained<10>"));
    const auto add_part = [](aggregate_with_map& each) { each.parts.try_emplace(1); };
    EXPECT_TRUE(
        is_one(reported<aggregate_with_map>(options_with(1000), add_part), "traces_concurrently", "chained<12>"));
}
#endif

TEST(undeclared_classes, are_none_that_declare_it) { EXPECT_EQ(reported<declared>(options_with(1000)), ""); }

TEST(undeclared_classes, do_not_matter_without_a_budget) {
    EXPECT_EQ(reported<chained<4>>(options_with(traced_heap_options().pause_budget)), "");
}

TEST(undeclared_classes, do_not_matter_where_a_full_collection_is_within_the_budget) {
    EXPECT_EQ(reported<chained<5>>(options_with(1'000'000)), "");
}

TEST(undeclared_classes, are_none_that_can_declare_nothing) {
    EXPECT_EQ(reported<chained_with_vector>(options_with(1000)), "");
    EXPECT_EQ(reported<chained_by_elements>(options_with(1000)), "");
    EXPECT_EQ(reported<aggregate_with_vector>(options_with(1000)), "");
}
