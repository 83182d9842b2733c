#include <gtest/gtest.h>
#include <freehold/tracing/large_aggregates.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <freehold/tracing/trace.hpp>

namespace {

struct edge {
    edge(int given = 0) : number(given) {}
    edge(const edge& other) noexcept : number(other.number) {}
    edge& operator=(const edge&) = default;

    int number;
};

struct of_25 {
    edge a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24,
        a25;
};

struct of_128 {
    edge a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24,
        a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46,
        a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, a65, a66, a67, a68,
        a69, a70, a71, a72, a73, a74, a75, a76, a77, a78, a79, a80, a81, a82, a83, a84, a85, a86, a87, a88, a89, a90,
        a91, a92, a93, a94, a95, a96, a97, a98, a99, a100, a101, a102, a103, a104, a105, a106, a107, a108, a109, a110,
        a111, a112, a113, a114, a115, a116, a117, a118, a119, a120, a121, a122, a123, a124, a125, a126, a127, a128;
};

template <class T>
void expect_all_found(std::size_t count) {
    T object;
    auto* const members = reinterpret_cast<edge*>(&object);
    for (std::size_t i = 0; i < count; ++i) members[i].number = static_cast<int>(i);
    std::vector<int> found;
    const auto note = [&found](const edge& pointer) { found.push_back(pointer.number); };
    freehold::trace(object, note);
    ASSERT_EQ(found.size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found[i], static_cast<int>(i));
}

// An array is bound as an aggregate of as many members is, and can be made of any length.
template <std::size_t Count>
consteval bool binds_in_order() {
    int members[Count] = {};
    for (std::size_t i = 0; i < Count; ++i) members[i] = static_cast<int>(i);
    return freehold::detail::member_bindings<Count>::pass(members, [](const auto&... member) {
        int next = 0;
        return sizeof...(member) == Count && ((member == next++) && ...);
    });
}

}  // namespace

template <>
inline constexpr bool freehold::is_traced_pointer<edge> = true;

TEST(large_aggregates, members_of_the_smallest_are_found) { expect_all_found<of_25>(25); }

TEST(large_aggregates, members_of_the_largest_are_found) { expect_all_found<of_128>(128); }

TEST(large_aggregates, members_of_each_size_are_bound_in_order) {
    constexpr bool all = []<std::size_t... Less>(std::index_sequence<Less...>) {
        return (binds_in_order<Less + 1>() && ...);
    }(std::make_index_sequence<128>());
    EXPECT_TRUE(all);
}
