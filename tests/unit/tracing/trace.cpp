// Which traced pointers are found in an object, with a traced pointer of its own that no collector follows.
// Compiled alone: other tests have parts of the same names.

#include <gtest/gtest.h>
#include <freehold/tracing/trace.hpp>

#include <any>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <filesystem>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <freehold/pointers/borrowed_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>

#include "support/flat_map.hpp"

namespace {

// Has a number instead of an object. Not trivially copyable, as a traced pointer never is.
struct edge {
    edge(int given = 0) : number(given) {}
    edge(const edge& other) noexcept : number(other.number) {}
    edge& operator=(const edge&) = default;

    friend auto operator<=>(const edge&, const edge&) = default;

    int number;
};

struct hash_edge {
    std::size_t operator()(const edge& hashed) const noexcept { return static_cast<std::size_t>(hashed.number); }
};

}  // namespace

template <>
inline constexpr bool freehold::is_traced_pointer<edge> = true;

namespace {

using freehold::leads_to_traced;

using numbers = std::vector<int>;

template <class T>
numbers found_in(const T& object) {
    numbers found;
    const auto note = [&found](const edge& pointer) { found.push_back(pointer.number); };
    freehold::trace(object, note);
    return found;
}

// Its iterators make the elements that they return.
template <class T>
class made_elements {
public:
    using value_type = T;
    using size_type = std::size_t;

    struct const_iterator {
        T operator*() const { return T(); }
        const_iterator& operator++() { return *this; }
        bool operator==(const const_iterator&) const { return true; }
    };

    const_iterator begin() const { return {}; }
    const_iterator end() const { return {}; }
    size_type size() const { return 0; }
    size_type max_size() const { return 0; }
    ~made_elements() {}
};

struct no_default {
    explicit no_default(int) {}
    void trace(auto&) const {}
    std::string text;
};

struct aggregate {
    int value;
    edge first;
    std::string text;
    std::optional<int> maybe;
    edge row[3];
    no_default other;
    std::unique_ptr<int> unique;
    int grid[2][2];
    std::vector<edge> rest;
};

struct largest_aggregate {
    edge a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24;
};

struct empty_base {};
struct other_empty_base {};

struct with_empty_bases : empty_base, other_empty_base {
    edge first;
    std::string text;
    std::vector<edge> rest;
};

struct without_defaults {
    no_default first;
    edge second;
    no_default third;
    edge fourth;
};

struct longest_array {
    int before;
    std::string texts[200];
    edge behind;
};

class with_trace {
public:
    with_trace(int left, int right) : left_(left), right_(right) {}

    void trace(auto& visit) const { visit(left_, right_, more_); }

private:
    edge left_;
    edge right_;
    std::vector<edge> more_{8, 9};
};

struct derived : with_trace {
    using with_trace::with_trace;

    void trace(auto& visit) const {
        with_trace::trace(visit);
        visit(own);
    }

    edge own = 7;
};

// Another function of the same name is not the protocol.
struct traces_something_else {
    void trace(int) const {}
    std::vector<edge> edges;
};

struct tree {
    edge value;
    std::vector<tree> children;
    std::unique_ptr<tree> left;
};

struct leaves {
    freehold::borrowed_ptr<edge> borrowed;
    int number = 0;
    std::string text;
    std::string_view view;
    std::vector<std::string> texts;
    int* raw = nullptr;
    void (*function)() = nullptr;
    std::optional<std::map<int, std::string>> names;
    freehold::shared_ptr<edge> shared;
    freehold::weak_ptr<edge> weak;
    std::shared_ptr<edge> standard;
    std::atomic<int> count = 0;
    std::less<> order;
    std::vector<std::vector<bool>> bits;
};

struct leaf_tree {
    std::vector<leaf_tree> children;
};

// Not the standard's, in spite of their names.
namespace like_std {

template <class T>
struct shared_ptr {
    edge hidden;
    std::vector<T> more;
};

template <class T>
struct queue {
    using container_type = std::vector<T>;
    edge first;
    container_type c;
};

}  // namespace like_std

// A container as another library would write it, with most of it in a base.
template <class T>
class vector_base {
public:
    using value_type = T;
    using size_type = std::size_t;
    using const_iterator = const T*;

    const_iterator begin() const { return elements_; }
    const_iterator end() const { return elements_ + size_; }
    size_type size() const { return size_; }
    size_type max_size() const { return 2; }

    void push_back(const T& pushed) { elements_[size_++] = pushed; }

private:
    T elements_[2];
    size_type size_ = 0;
};

template <class T>
class small_vector : public vector_base<T> {
    std::byte storage_[64] = {};
};

// No container, but declared to be one.
class selection {
public:
    const edge* begin() const { return selected_; }
    const edge* end() const { return selected_ + 2; }

private:
    edge selected_[2] = {3, 4};
    std::string name_;
};

// Derived from a container, and no more than that.
class path : public std::vector<edge> {
public:
    using std::vector<edge>::vector;
};

// A deleter is a part of its unique_ptr.
struct counting_deleter {
    void operator()(int* deleted) const { delete deleted; }
    edge counted;
};

// Inherits a trace and adds nothing to it.
class same_as_base : public with_trace {
public:
    using with_trace::with_trace;
};

// Its trace knows the members of the class that derives from it.
template <class Derived>
struct traces_derived {
    void trace(auto& visit) const { visit(static_cast<const Derived&>(*this).own); }
};

class known_to_base : public traces_derived<known_to_base> {
public:
    explicit known_to_base(int number) : own(number) {}

private:
    friend traces_derived;

    edge own;
};

// Not the standard's, in spite of its base.
struct counter : std::shared_ptr<int> {
    void trace(auto& visit) const { visit(own); }

    edge own;
};

class handle {
public:
    handle() = default;
    handle(const handle&) {}
    edge hidden = 1;
};

}  // namespace

template <>
inline constexpr bool freehold::is_untraced<handle> = true;
template <>
inline constexpr bool freehold::is_traced_range<selection> = true;

static_assert(leads_to_traced<edge>);
static_assert(leads_to_traced<const edge>);
static_assert(leads_to_traced<edge[2][3]>);
static_assert(leads_to_traced<aggregate>);
static_assert(leads_to_traced<tree>);
static_assert(leads_to_traced<std::map<int, std::optional<std::list<edge>>>>);
static_assert(!leads_to_traced<int>);
static_assert(!leads_to_traced<leaves>);
static_assert(!leads_to_traced<leaf_tree>, "a type that only holds itself");
static_assert(!leads_to_traced<handle>, "its author says so");
static_assert(leads_to_traced<like_std::shared_ptr<int>>);
static_assert(leads_to_traced<counter>);
static_assert(!leads_to_traced<std::shared_ptr<edge>>);
static_assert(!leads_to_traced<std::weak_ptr<edge>>);
static_assert(!leads_to_traced<std::atomic<int>>);
static_assert(leads_to_traced<std::unique_ptr<edge>>);

TEST(trace, a_pointer_is_handed_over) { EXPECT_EQ(found_in(edge(5)), numbers({5})); }

TEST(trace, leaves_have_none) {
    EXPECT_EQ(found_in(7), numbers());
    EXPECT_EQ(found_in(leaves()), numbers());
    EXPECT_EQ(found_in(handle()), numbers());
}

TEST(trace, members_of_an_aggregate_are_found) {
    const aggregate object{0, 1, "text", {}, {2, 3, 4}, no_default(0), nullptr, {{0, 0}, {0, 0}}, {5, 6}};
    EXPECT_EQ(found_in(object), numbers({1, 2, 3, 4, 5, 6}));
}

TEST(trace, members_of_the_largest_aggregate_are_found) {
    const largest_aggregate object{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                   13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
    const numbers found = found_in(object);
    ASSERT_EQ(found.size(), 24U);
    for (int i = 0; i < 24; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], i + 1);
}

TEST(trace, members_beside_empty_bases_are_found) {
    EXPECT_EQ(found_in(with_empty_bases{{}, {}, 1, "text", {2, 3}}), numbers({1, 2, 3}));
}

TEST(trace, members_beside_those_without_a_default_are_found) {
    EXPECT_EQ(found_in(without_defaults{no_default(0), 1, no_default(0), 2}), numbers({1, 2}));
}

TEST(trace, a_member_behind_a_long_array_is_found) { EXPECT_EQ(found_in(longest_array{0, {}, 1}), numbers({1})); }

TEST(trace, a_member_function_names_what_is_held) { EXPECT_EQ(found_in(with_trace(1, 2)), numbers({1, 2, 8, 9})); }

TEST(trace, a_member_function_traces_the_base) { EXPECT_EQ(found_in(derived(1, 2)), numbers({1, 2, 8, 9, 7})); }

TEST(trace, a_class_may_inherit_its_trace_if_it_adds_no_member) {
    EXPECT_EQ(found_in(same_as_base(1, 2)), numbers({1, 2, 8, 9}));
}

TEST(trace, a_class_may_inherit_its_trace_from_a_base_that_is_told_of_it) {
    EXPECT_EQ(found_in(known_to_base(1)), numbers({1}));
}

TEST(trace, another_function_called_trace_is_ignored) {
    traces_something_else object;
    object.edges = {1, 2};
    EXPECT_EQ(found_in(object), numbers({1, 2}));
}

TEST(trace, elements_of_containers_are_found) {
    EXPECT_EQ(found_in(std::vector<edge>{1, 2}), numbers({1, 2}));
    EXPECT_EQ(found_in(std::deque<edge>{1, 2}), numbers({1, 2}));
    EXPECT_EQ(found_in(std::list<edge>{1, 2}), numbers({1, 2}));
    EXPECT_EQ(found_in(std::forward_list<edge>{1, 2}), numbers({1, 2}));
    EXPECT_EQ(found_in(std::array<edge, 2>{1, 2}), numbers({1, 2}));
    EXPECT_EQ(found_in(std::set<edge>{1, 2}), numbers({1, 2}));
    EXPECT_EQ(found_in(std::map<int, edge>{{5, 1}, {6, 2}}), numbers({1, 2}));
    EXPECT_EQ(found_in(std::map<edge, edge>{{5, 1}, {6, 2}}), numbers({5, 1, 6, 2}));
    EXPECT_EQ(found_in(std::multimap<int, edge>{{5, 1}, {5, 2}}), numbers({1, 2}));
    EXPECT_EQ(found_in(std::unordered_map<int, edge>{{5, 1}}), numbers({1}));
    EXPECT_EQ(found_in(std::unordered_set<edge, hash_edge>{1}), numbers({1}));
    EXPECT_EQ(found_in(std::vector<std::vector<edge>>{{1, 2}, {}, {3}}), numbers({1, 2, 3}));
}

TEST(trace, elements_of_other_libraries_containers_are_found) {
    vector_base<edge> simple;
    simple.push_back(1);
    EXPECT_EQ(found_in(simple), numbers({1}));
    small_vector<edge> derived;
    derived.push_back(2);
    EXPECT_EQ(found_in(derived), numbers({2}));
    EXPECT_EQ(found_in(path{1, 2}), numbers({1, 2}));
}

TEST(trace, elements_that_an_iterator_refers_to_by_a_proxy_are_found_in_their_places) {
    support::flat_map<edge, edge> pairs;
    pairs[5] = 1;
    pairs[6] = 2;
    EXPECT_EQ(found_in(pairs), numbers({5, 1, 6, 2}));
    std::vector<const edge*> places;
    const auto note = [&places](const edge& pointer) { places.push_back(&pointer); };
    freehold::trace(pairs, note);
    EXPECT_EQ(places, (std::vector<const edge*>{&pairs.keys()[0], &pairs.values()[0],  //
                                                &pairs.keys()[1], &pairs.values()[1]}));
    support::flat_map<int, support::flat_map<int, edge>> nested;
    nested[1][2] = 3;
    EXPECT_EQ(found_in(nested), numbers({3}));
}

struct branches {
    support::flat_map<int, branches> below;
    edge here;
};

TEST(trace, a_type_that_holds_its_own_kind_behind_a_proxy_is_traced) {
    branches root{{}, 1};
    root.below[5].here = 2;
    EXPECT_EQ(found_in(root), numbers({2, 1}));
}

TEST(trace, a_proxy_of_leaves_is_one) {
    static_assert(!leads_to_traced<std::vector<bool>>);
    static_assert(!leads_to_traced<support::flat_map<int, std::string>>);
    static_assert(!leads_to_traced<made_elements<std::string>>);
}

struct with_plain_members {
    std::filesystem::path path;
    std::vector<std::filesystem::path> paths;
    std::mutex mutex;
    std::condition_variable_any woken;
    std::thread thread;
    edge here;
};

TEST(trace, a_class_of_the_standard_that_is_no_template_is_a_leaf) {
    with_plain_members object;
    object.here = 1;
    EXPECT_EQ(found_in(object), numbers({1}));
    static_assert(!leads_to_traced<std::filesystem::path>);
    static_assert(!leads_to_traced<std::condition_variable>);
    using freehold::detail::holds_nothing_foreign;
    static_assert(!holds_nothing_foreign<std::any>, "holds an object of any type");
    static_assert(!holds_nothing_foreign<std::exception_ptr>, "the same");
    static_assert(!holds_nothing_foreign<std::list<edge>::const_iterator>);
    static_assert(!holds_nothing_foreign<aggregate>);
}

TEST(trace, elements_of_a_declared_range_are_found) { EXPECT_EQ(found_in(selection()), numbers({3, 4})); }

TEST(trace, a_deleter_is_traced) {
    const std::unique_ptr<int, counting_deleter> object(new int(0), counting_deleter{5});
    EXPECT_EQ(found_in(object), numbers({5}));
}

TEST(trace, elements_of_arrays_are_found) {
    const edge row[2] = {1, 2};
    EXPECT_EQ(found_in(row), numbers({1, 2}));
    const edge grid[2][2] = {{1, 2}, {3, 4}};
    EXPECT_EQ(found_in(grid), numbers({1, 2, 3, 4}));
}

TEST(trace, elements_of_container_adaptors_are_found) {
    std::stack<edge> stack;
    std::queue<edge> queue;
    std::priority_queue<edge> heap;
    for (const int number : {1, 2}) {
        stack.push(number);
        queue.push(number);
        heap.push(number);
    }
    EXPECT_EQ(found_in(stack), numbers({1, 2}));
    EXPECT_EQ(found_in(queue), numbers({1, 2}));
    EXPECT_EQ(found_in(heap), numbers({2, 1}));
}

TEST(trace, a_type_with_the_name_of_a_standard_one_is_traced) {
    EXPECT_EQ(found_in(like_std::shared_ptr<edge>{1, {2, 3}}), numbers({1, 2, 3}));
    EXPECT_EQ(found_in(like_std::queue<edge>{1, {2, 3}}), numbers({1, 2, 3}));
}

TEST(trace, what_may_be_absent_is_found_where_it_is_there) {
    EXPECT_EQ(found_in(std::optional<edge>(1)), numbers({1}));
    EXPECT_EQ(found_in(std::optional<edge>()), numbers());
    EXPECT_EQ(found_in(std::make_unique<edge>(1)), numbers({1}));
    EXPECT_EQ(found_in(std::unique_ptr<edge>()), numbers());
    using either = std::variant<int, edge, std::vector<edge>>;
    EXPECT_EQ(found_in(either(7)), numbers());
    EXPECT_EQ(found_in(either(edge(1))), numbers({1}));
    EXPECT_EQ(found_in(either(std::vector<edge>{1, 2})), numbers({1, 2}));
}

TEST(trace, a_variant_that_lost_its_value_holds_nothing) {
    struct refuses {
        refuses() = default;
        refuses(const refuses&) { throw 1; }
    };
    std::variant<edge, refuses> object(edge(1));
    const refuses other;
    EXPECT_THROW(object.emplace<refuses>(other), int);
    EXPECT_EQ(found_in(object), numbers());
}

TEST(trace, parts_of_pairs_and_tuples_are_found) {
    EXPECT_EQ(found_in(std::pair<edge, int>(1, 0)), numbers({1}));
    EXPECT_EQ(found_in(std::tuple<int, edge, std::vector<edge>>(0, 1, {2, 3})), numbers({1, 2, 3}));
    const edge outside = 4;
    EXPECT_EQ(found_in(std::tuple<const edge>(outside)), numbers({4}));
}

TEST(trace, a_type_that_holds_its_own_kind_is_traced) {
    tree root{1, {}, nullptr};
    root.children.push_back(tree{2, {}, nullptr});
    root.children.push_back(tree{3, {}, nullptr});
    root.left = std::make_unique<tree>(tree{4, {}, nullptr});
    root.left->children.push_back(tree{5, {}, nullptr});
    EXPECT_EQ(found_in(root), numbers({1, 2, 3, 4, 5}));
}
