// The memory of a type that make_shared makes serves no other type.

#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/thin_ptr.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <unordered_set>
#include <vector>

namespace {

struct freed {
    long values[4];
};

struct other {
    long values[4];
};

struct alignas(64) aligned {
    char bytes[100];
};

using slabs = std::unordered_set<std::uintptr_t>;

template <class T>
void note(slabs& found, const T& pointer) {
    found.insert(reinterpret_cast<std::uintptr_t>(pointer.get()) / freehold::detail::slab_bytes);
}

template <class T>
void make_and_destroy(slabs& found, int count) {
    std::vector<freehold::shared_ptr<T>> owners;
    for (int i = 0; i < count; ++i) {
        owners.push_back(freehold::make_shared<T>());
        note(found, owners.back());
    }
}

bool share(const slabs& one, const slabs& two) {
    for (const std::uintptr_t each : one) {
        if (two.contains(each)) return true;
    }
    return false;
}

}  // namespace

TEST(type_isolation, no_type_gets_the_memory_of_another) {
    slabs of_freed;
    slabs of_other;
    for (int round = 0; round < 3; ++round) {
        make_and_destroy<freed>(of_freed, 30'000);
        make_and_destroy<other>(of_other, 30'000);
    }
    EXPECT_FALSE(share(of_freed, of_other));
    EXPECT_LE(of_freed.size(), 32U) << "its own memory is used again";
}

TEST(type_isolation, other_threads_keep_to_it) {
    slabs of_freed;
    slabs of_other;
    std::vector<freehold::shared_ptr<freed>> owners;
    std::thread([&] {
        for (int i = 0; i < 10'000; ++i) owners.push_back(freehold::make_shared<freed>());
    }).join();
    for (const auto& each : owners) note(of_freed, each);
    owners.clear();
    std::thread([&] { make_and_destroy<other>(of_other, 10'000); }).join();
    std::thread([&] { make_and_destroy<freed>(of_freed, 10'000); }).join();
    EXPECT_FALSE(share(of_freed, of_other));
}

TEST(type_isolation, arrays_and_aligned_objects_have_a_place) {
    const auto one = freehold::make_shared<aligned>();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.get()) % 64, 0U);
    const auto few = freehold::make_shared<freed[]>(10);
    const auto many = freehold::make_shared<freed[]>(1000);
    few[9].values[3] = many[999].values[3] = 1;
    const auto thin = freehold::make_thin<freed>();
    slabs of_shared;
    slabs of_thin;
    make_and_destroy<freed>(of_shared, 30'000);
    note(of_thin, thin);
    EXPECT_TRUE(share(of_thin, of_shared)) << "one pool for all owners of the type";
}
