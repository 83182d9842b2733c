#include <freehold/reclamation/hazard_pointer.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

struct counted : freehold::hazard_pointer_obj_base<counted> {
    explicit counted(int& alive) : alive_(alive) { ++alive_; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive_; }

    int& alive_;
};

TEST(hazard_pointer, is_empty_at_first) {
    const freehold::hazard_pointer empty;
    EXPECT_TRUE(empty.empty());
    EXPECT_FALSE(freehold::make_hazard_pointer().empty());
}

TEST(hazard_pointer, protects_what_the_source_points_to) {
    int alive = 0;
    std::atomic<counted*> source = new counted(alive);
    freehold::hazard_pointer h = freehold::make_hazard_pointer();
    counted* const seen = h.protect(source);
    EXPECT_EQ(seen, source.load());
    source.exchange(nullptr)->retire();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 1);
    h.reset_protection();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

TEST(hazard_pointer, reclaims_while_objects_are_retired) {
    int alive = 0;
    int most = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        (new counted(alive))->retire();
        most = std::max(most, alive);
    }
    EXPECT_LE(most, 2 * 16'384 + 256);
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive, 0);
}

}  // namespace
