#include <gtest/gtest.h>
#include <freehold/tracing/owned_bytes.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <freehold/pointers/make_shared.hpp>

#include "support/flat_map.hpp"

using freehold::may_own_memory;
using freehold::owned_bytes;

namespace {

struct image {
    int width = 0;
    std::vector<char> pixels;
};

struct plain {
    int numbers[10];
    std::string_view text;
};

struct tree {
    std::vector<char> text;
    std::vector<tree> children;
};

struct list {
    std::unique_ptr<list> next;
};

class named {
public:
    explicit named(std::size_t bytes) : buffer_(bytes) {}

    void trace(auto& visit) const { visit(buffer_); }

private:
    std::vector<char> buffer_;
};

class telling {
public:
    explicit telling(std::size_t bytes) : bytes_(bytes) {}
    ~telling() {}
    telling(const telling&) = default;
    telling& operator=(const telling&) = default;

    [[nodiscard]] std::size_t external_bytes() const noexcept { return bytes_; }

private:
    std::size_t bytes_;
};

class secret {
public:
    ~secret() {}

private:
    std::unique_ptr<int> hidden_;
};

}  // namespace

TEST(owned_bytes, types_that_can_own_nothing_are_known) {
    static_assert(!may_own_memory<int>);
    static_assert(!may_own_memory<plain>);
    static_assert(!may_own_memory<std::array<std::optional<plain>, 3>>);
    static_assert(!may_own_memory<secret>);
    static_assert(may_own_memory<image>);
    static_assert(may_own_memory<std::optional<std::pair<int, image>>>);
    static_assert(may_own_memory<std::variant<int, std::string>>);
    static_assert(may_own_memory<const tree>);
    EXPECT_EQ(owned_bytes(plain{}), 0U);
}

TEST(owned_bytes, a_vector_owns_its_capacity) {
    image picture;
    EXPECT_EQ(owned_bytes(picture), 0U);
    picture.pixels.reserve(1000);
    EXPECT_EQ(owned_bytes(picture), 1000U);
    EXPECT_EQ(owned_bytes(std::vector<int>(100)), 100 * sizeof(int));
    EXPECT_EQ(owned_bytes(std::vector<bool>(832)), 104U) << "in words";
}

TEST(owned_bytes, a_short_string_is_inside) {
    EXPECT_EQ(owned_bytes(std::string("short")), 0U);
    EXPECT_GE(owned_bytes(std::string(1000, 'x')), 1000U);
}

TEST(owned_bytes, other_containers_own_nodes) {
    constexpr std::size_t word = sizeof(void*);
    EXPECT_EQ(owned_bytes(std::list<long>{1, 2, 3}), 3 * (sizeof(long) + 2 * word));
    EXPECT_EQ(owned_bytes(std::forward_list<long>{1, 2, 3}), 3 * (sizeof(long) + 2 * word));
    EXPECT_EQ(owned_bytes(std::set<long>{1, 2, 3}), 3 * (sizeof(long) + 4 * word));
    EXPECT_EQ(owned_bytes(std::map<long, long>{{1, 2}}), 2 * sizeof(long) + 4 * word);
    const std::unordered_map<long, long> hashed{{1, 2}};
    EXPECT_EQ(owned_bytes(hashed), (hashed.bucket_count() + 2) * word + 2 * sizeof(long));
    EXPECT_EQ(owned_bytes(std::deque<int>(1000)), 1000 * sizeof(int));
    EXPECT_EQ(owned_bytes(std::queue<int>(std::deque<int>(1000))), 1000 * sizeof(int));
}

TEST(owned_bytes, elements_are_asked) {
    EXPECT_EQ(owned_bytes(std::vector<image>(3, {1, std::vector<char>(1000)})), 3 * (sizeof(image) + 1000));
    EXPECT_EQ(owned_bytes(std::vector<image>(3000, {1, std::vector<char>(10)})), 3000 * (sizeof(image) + 10))
        << "a few stand for the rest";
    std::list<image> some(100);
    for (image& each : some) each.pixels.resize(10);
    EXPECT_EQ(owned_bytes(some), 100 * (sizeof(image) + 2 * sizeof(void*) + 10));
    const std::map<int, image> images{{1, {1, std::vector<char>(1000)}}};
    EXPECT_EQ(owned_bytes(images), sizeof(std::pair<const int, image>) + 4 * sizeof(void*) + 1000);
}

TEST(owned_bytes, elements_behind_a_proxy_are_asked) {
    support::flat_map<int, image> images;
    images[1].pixels.reserve(1000);
    EXPECT_EQ(owned_bytes(images), sizeof(std::pair<int, image>) + 4 * sizeof(void*) + 1000);
}

TEST(owned_bytes, elements_are_asked_at_equal_distances) {
    std::vector<image> some(1600);
    for (std::size_t i = 800; i < some.size(); ++i) some[i].pixels.reserve(1000);
    const std::size_t buffers = owned_bytes(some) - some.size() * sizeof(image);
    EXPECT_NEAR(static_cast<double>(buffers), 800'000, 100'000);
}

TEST(owned_bytes, a_unique_ptr_owns_its_object) {
    EXPECT_EQ(owned_bytes(std::unique_ptr<image>()), 0U);
    EXPECT_EQ(owned_bytes(std::make_unique<image>(1, std::vector<char>(1000))), sizeof(image) + 1000);
    EXPECT_EQ(owned_bytes(std::unique_ptr<int[]>(new int[10])), 0U) << "its length is unknown";
}

TEST(owned_bytes, shared_objects_are_not_counted) {
    EXPECT_EQ(owned_bytes(freehold::make_shared<image>(1, std::vector<char>(1000))), 0U);
    EXPECT_EQ(owned_bytes(std::make_shared<image>(1, std::vector<char>(1000))), 0U);
}

TEST(owned_bytes, a_class_may_tell_its_members_or_a_number) {
    EXPECT_EQ(owned_bytes(named(1000)), 1000U);
    EXPECT_EQ(owned_bytes(telling(1000)), 1000U);
    EXPECT_EQ(owned_bytes(std::optional(telling(1000))), 1000U);
    EXPECT_EQ(owned_bytes(std::vector<telling>(5, telling(1000))), 5 * (sizeof(telling) + 1000));
}

TEST(owned_bytes, a_deep_structure_is_asked_in_part) {
    auto head = std::make_unique<list>();
    for (int i = 0; i < 10'000; ++i) {
        auto longer = std::make_unique<list>();
        longer->next = std::move(head);
        head = std::move(longer);
    }
    const std::size_t estimate = owned_bytes(*head);
    EXPECT_GT(estimate, 100 * sizeof(list));
    EXPECT_LT(estimate, 1000 * sizeof(list));

    tree bushy;
    tree* at = &bushy;
    for (int depth = 0; depth < 6; ++depth) {
        at->children.resize(16);
        at = at->children.data();
    }
    EXPECT_GE(owned_bytes(bushy), 16 * sizeof(tree));
    while (head != nullptr) head = std::move(head->next);
}
