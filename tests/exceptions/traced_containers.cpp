// The state of a container in a traced heap after an allocation, a constructor, a hash or a comparison throws.

#include <gtest/gtest.h>
#include <freehold/traced/traced_deque.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_map.hpp>
#include <freehold/traced/traced_unordered_map.hpp>
#include <freehold/traced/traced_vector.hpp>

#include <cstddef>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/limited_new.hpp"
#include "support/tracked.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using support::tracked;

// How many calls may still come before one throws. Negative: all.
int calls_left = -1;

void may_throw() {
    if (calls_left == 0) throw std::runtime_error("no more");
    if (calls_left > 0) --calls_left;
}

class throwing_after {
public:
    explicit throwing_after(int calls) { calls_left = calls; }
    throwing_after(const throwing_after&) = delete;
    throwing_after& operator=(const throwing_after&) = delete;
    ~throwing_after() { calls_left = -1; }
};

// Its copies throw, and its moves do not.
struct copied {
    int number = 0;
    tracked counted = {};
    copied() { may_throw(); }
    explicit copied(int its) : number(its) { may_throw(); }
    copied(const copied& other) : number(other.number) { may_throw(); }
    copied(copied&& other) noexcept : number(other.number) {}
    copied& operator=(const copied& other) {
        may_throw();
        number = other.number;
        return *this;
    }
    copied& operator=(copied&& other) noexcept {
        number = other.number;
        return *this;
    }
    ~copied() = default;
    void trace(auto&) const {}
};

// Has no move: growth copies.
struct never_moved {
    int number = 0;
    tracked counted = {};
    explicit never_moved(int its) : number(its) { may_throw(); }
    never_moved(const never_moved& other) : number(other.number) { may_throw(); }
    never_moved& operator=(const never_moved& other) {
        may_throw();
        number = other.number;
        return *this;
    }
    ~never_moved() = default;
    void trace(auto&) const {}
};

struct throwing_less {
    bool operator()(int a, int b) const {
        may_throw();
        return a < b;
    }
};
struct throwing_hash {
    std::size_t operator()(int key) const {
        may_throw();
        return static_cast<std::size_t>(key % 5);
    }
};
struct throwing_equal {
    bool operator()(int a, int b) const {
        may_throw();
        return a == b;
    }
};

struct holder {
    freehold::traced_vector<copied> vector = {};
    freehold::traced_deque<copied> deque = {};
    freehold::traced_vector<never_moved> copies = {};
    freehold::traced_deque<never_moved> copied_deque = {};
    freehold::traced_map<int, copied, throwing_less> map = {};
    freehold::traced_unordered_map<int, copied, throwing_hash, throwing_equal> unordered = {};
};

template <class Sequence>
std::vector<int> of(const Sequence& all) {
    std::vector<int> found;
    for (const auto& each : all) {
        if constexpr (requires { each.second.number; }) {
            found.push_back(each.first * 1000 + each.second.number);
        } else {
            found.push_back(each.number);
        }
    }
    return found;
}

class traced_container_failure : public support::tracked_test {
protected:
    traced_heap heap;
    const traced_local<holder> its = heap.make<holder>();

    // Effects: calls operation() with 0, 1, ... calls that do not throw, until it succeeds.
    // Expects that it changes nothing if it throws. Returns: how often it threw.
    template <class Container, class Operation>
    int expect_strong(const Container& changed, Operation operation) {
        for (int calls = 0;; ++calls) {
            const std::vector<int> before = of(changed);
            const int alive = tracked::alive();
            try {
                const throwing_after few(calls);
                operation();
                return calls;
            } catch (const std::runtime_error&) {
                EXPECT_EQ(of(changed), before) << calls;
                heap.collect();  // a new buffer may have had copies
                EXPECT_EQ(tracked::alive(), alive) << calls;
            }
        }
    }

    void TearDown() override {
        its->vector = {};
        its->deque = {};
        its->copies = {};
        its->copied_deque = {};
        its->map = {};
        its->unordered = {};
        heap.collect();
        support::tracked_test::TearDown();
    }
};

template <class Sequence>
void fill(Sequence& all, int count) {
    for (int i = 0; i < count; ++i) all.emplace_back(i);
    all.shrink_to_fit();
}

}  // namespace

TEST_F(traced_container_failure, a_constructor_that_throws_appends_nothing) {
    const copied value(7);
    const std::vector<copied> values(5, value);
    for (int size = 0; size < 20; ++size) {
        fill(its->vector, size);
        fill(its->deque, size);
        EXPECT_GE(expect_strong(its->vector, [&] { its->vector.emplace_back(7); }), 1);
        EXPECT_GE(expect_strong(its->vector, [&] { its->vector.push_back(value); }), 1);
        EXPECT_GE(expect_strong(its->vector, [&] { its->vector.resize(its->vector.size() + 9, value); }), 9);
        EXPECT_GE(expect_strong(its->vector, [&] { its->vector.resize(its->vector.size() + 9); }), 9);
        EXPECT_GE(
            expect_strong(its->vector, [&] { its->vector.insert(its->vector.end(), values.begin(), values.end()); }),
            5);
        EXPECT_GE(expect_strong(its->deque, [&] { its->deque.emplace_front(7); }), 1);
        EXPECT_GE(expect_strong(its->deque, [&] { its->deque.push_back(value); }), 1);
        EXPECT_GE(expect_strong(its->deque, [&] { its->deque.resize(its->deque.size() + 9, value); }), 9);
        its->vector.clear();
        its->deque.clear();
    }
}

TEST_F(traced_container_failure, a_copy_that_throws_while_a_container_grows_changes_nothing) {
    const never_moved value(7);
    for (int size = 0; size < 20; ++size) {
        fill(its->copies, size);
        fill(its->copied_deque, size);
        EXPECT_GE(expect_strong(its->copies, [&] { its->copies.push_back(value); }), 1);
        EXPECT_GE(expect_strong(its->copies, [&] { its->copies.push_back(its->copies.back()); }), 1);
        EXPECT_GE(expect_strong(its->copies, [&] { its->copies.resize(its->copies.size() + 9, value); }), 9);
        EXPECT_GE(expect_strong(its->copies, [&] { its->copies.reserve(100); }), size);
        EXPECT_GE(expect_strong(its->copied_deque, [&] { its->copied_deque.push_front(value); }), 1);
        EXPECT_GE(expect_strong(its->copied_deque, [&] { its->copied_deque.push_back(value); }), 1);
        its->copies = {};
        its->copied_deque = {};
    }
}

TEST_F(traced_container_failure, a_map_is_as_it_was_if_a_function_or_a_constructor_throws) {
    const copied value(7);
    for (int i = 0; i < 60; ++i) {
        const int key = i * 37 % 61;
        EXPECT_GE(expect_strong(its->map, [&] { its->map.try_emplace(key, value); }), 1);
        EXPECT_GE(expect_strong(its->unordered, [&] { its->unordered.try_emplace(key, value); }), 1);
        EXPECT_GE(expect_strong(its->unordered, [&] { its->unordered[key + 100]; }), 1);
    }
    EXPECT_EQ(its->map.size(), 60U);
    EXPECT_EQ(its->unordered.size(), 120U);
    for (int i = 0; i < 60; ++i) {
        const int key = i * 37 % 61;
        EXPECT_GE(expect_strong(its->map, [&] { its->map.erase(key); }), 1);
        EXPECT_GE(expect_strong(its->unordered, [&] { its->unordered.erase(key + 100); }), 1);
        EXPECT_GE(expect_strong(its->unordered, [&] { its->unordered.erase(its->unordered.begin()); }), 1);
    }
    for (const auto& [key, value] : its->unordered) EXPECT_TRUE(its->unordered.contains(key));
}

TEST_F(traced_container_failure, a_copy_of_a_map_that_throws_leaves_it_empty) {
    const traced_local<holder> other = heap.make<holder>();
    for (int i = 0; i < 10; ++i) its->unordered.try_emplace(i, i);
    its->map.try_emplace(1, 1);
    for (int calls = 0; calls < 10; ++calls) {
        other->unordered.try_emplace(100, 1);
        const throwing_after few(calls);
        EXPECT_THROW(other->unordered = its->unordered, std::runtime_error);
        EXPECT_TRUE(other->unordered.empty());
    }
    other->unordered = its->unordered;
    EXPECT_EQ(other->unordered.size(), 10U);
    EXPECT_EQ(other->unordered.at(9).number, 9);
}

TEST_F(traced_container_failure, a_length_that_no_memory_has_is_refused) {
    EXPECT_THROW(its->vector.reserve(its->vector.max_size() + 1), std::length_error);
    EXPECT_THROW(its->vector.resize(its->vector.max_size() + 1), std::length_error);
    EXPECT_THROW(its->vector.resize(~std::size_t{0}), std::length_error);
    its->deque.emplace_back(1);
    EXPECT_THROW(its->deque.resize(~std::size_t{0}), std::length_error);
    EXPECT_THROW(its->unordered.reserve(~std::size_t{0}), std::length_error);
    EXPECT_TRUE(its->vector.empty());
}

namespace {

struct leaf {
    int number = 0;
    tracked counted = {};
};

struct pointers {
    freehold::traced_vector<traced_ptr<leaf>> vector = {};
    freehold::traced_deque<traced_ptr<leaf>> deque = {};
    freehold::traced_map<int, traced_ptr<leaf>> map = {};
    freehold::traced_unordered_map<int, traced_ptr<leaf>> unordered = {};
};

// Effects: adds to all containers until one has no memory. Returns: how many were added to all.
int add_until_it_throws(pointers& its, const traced_local<leaf>& value, int first, int most) {
    int added = first;
    try {
        for (; added < most; ++added) {
            its.vector.push_back(value);
            its.deque.push_front(value);
            its.map[added] = value;
            its.unordered[added] = value;
        }
    } catch (const std::bad_alloc&) {
    }
    return added;
}

// Requires: up to one was added to some of the containers after `added`.
void expect_and_level(pointers& its, int added) {
    const auto count = static_cast<std::size_t>(added);
    const auto is_size = [count](std::size_t size) { return size == count || size == count + 1; };
    ASSERT_TRUE(is_size(its.vector.size()) && is_size(its.deque.size()));
    ASSERT_TRUE(is_size(its.map.size()) && is_size(its.unordered.size()));
    its.vector.resize(count);
    if (its.deque.size() != count) its.deque.pop_front();
    its.map.erase(added);
    its.unordered.erase(added);
    for (const auto& each : its.vector) ASSERT_EQ(each->number, 7);
    for (const auto& each : its.deque) ASSERT_EQ(each->number, 7);
    for (int i = 0; i < added; ++i) ASSERT_EQ(its.map.at(i)->number + its.unordered.at(i)->number, 14) << i;
}

}  // namespace

TEST_F(traced_container_failure, an_allocation_that_fails_changes_nothing) {
    const traced_local<pointers> all = heap.make<pointers>();
    const traced_local<leaf> value = heap.make<leaf>(7);
    int added = 0;
    int failures = 0;
    for (int allowed = 0; added < 20'000; allowed = (allowed + 1) % 5) {
        {
            const support::limited_new few(allowed);
            added = add_until_it_throws(*all, value, added, 20'000);
        }
        if (added == 20'000) break;
        ++failures;
        expect_and_level(*all, added);
        if (testing::Test::HasFailure()) return;
        added = add_until_it_throws(*all, value, added, added + 500);
    }
    EXPECT_GE(failures, 3);
    EXPECT_EQ(all->vector.size(), 20'000U);
}

TEST_F(traced_container_failure, a_heap_at_its_limit_changes_nothing) {
    freehold::traced_heap_options options;
    options.limit_bytes = std::size_t{8} << 20;
    traced_heap limited(options);
    const traced_local<pointers> all = limited.make<pointers>();
    const traced_local<leaf> value = limited.make<leaf>(7);
    const int added = add_until_it_throws(*all, value, 0, 1'000'000);
    EXPECT_GT(added, 1000);
    EXPECT_LT(added, 1'000'000);
    expect_and_level(*all, added);
    all->vector = {};
    all->map = {};
    all->unordered = {};
    EXPECT_EQ(all->deque.size(), static_cast<std::size_t>(added));
    for (int i = 0; i < added; ++i) all->vector.push_back(value);
    EXPECT_EQ(all->vector.size(), static_cast<std::size_t>(added));
    EXPECT_LE(limited.heap_bytes(), options.limit_bytes);
}
