// Owners that cross between Freehold and std, each allocation failing in turn: an owner that could not cross is as it
// was, by copy and by move. What needs no block crosses where there is no memory.

#include <freehold/interop/std_bridge.hpp>

#include <memory>
#include <utility>

#include "contracts/shared_family/shared_family.hpp"
#include "support/allocation_failure.hpp"

namespace {

using contracts::object;
using freehold::from_std;
using freehold::to_std;
using support::fail_each_in_drained_pool;

class std_bridge_failure : public support::tracked_test {};

}  // namespace

TEST_F(std_bridge_failure, an_owner_that_could_not_cross_to_std_is_as_it_was) {
    auto ours = freehold::make_shared<object>(7);
    const auto unchanged = [&] {
        EXPECT_EQ(ours->value, 7);
        EXPECT_EQ(ours.use_count(), 1);
    };
    EXPECT_GE(fail_each_in_drained_pool([&] { static_cast<void>(to_std(ours)); }, unchanged), 1);
    unchanged();
    EXPECT_GE(fail_each_in_drained_pool([&] { static_cast<void>(to_std(std::move(ours))); }, unchanged), 1);
    EXPECT_EQ(ours, nullptr);
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(std_bridge_failure, an_owner_that_could_not_cross_from_std_is_as_it_was) {
    auto theirs = std::make_shared<object>(7);
    const auto unchanged = [&] {
        EXPECT_EQ(theirs->value, 7);
        EXPECT_EQ(theirs.use_count(), 1);
    };
    EXPECT_GE(fail_each_in_drained_pool([&] { static_cast<void>(from_std(theirs)); }, unchanged), 1);
    unchanged();
    EXPECT_GE(fail_each_in_drained_pool([&] { static_cast<void>(from_std(std::move(theirs))); }, unchanged), 1);
    EXPECT_EQ(theirs, nullptr);
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(std_bridge_failure, an_owner_comes_back_where_there_is_no_memory) {
    const auto ours = freehold::make_shared<object>(7);
    const auto theirs = std::make_shared<object>(8);
    auto away = to_std(ours);
    auto here = from_std(theirs);
    const std::weak_ptr<object> weak_away = away;
    const freehold::weak_ptr<object> weak_here = here;
    const support::drained_pool drained;
    const support::limited_new none(0);
    EXPECT_EQ(freehold::weak_from_std(weak_away).lock(), ours);
    EXPECT_EQ(freehold::weak_to_std(weak_here).lock(), theirs);
    EXPECT_EQ(from_std(away), ours);
    EXPECT_EQ(to_std(here), theirs);
    EXPECT_EQ(from_std(std::move(away)), ours);
    EXPECT_EQ(to_std(std::move(here)), theirs);
}

TEST_F(std_bridge_failure, what_is_empty_or_sole_crosses_where_there_is_no_memory) {
    object local(7);
    freehold::managed_ptr<object> managed(new object(8));
    const support::drained_pool drained;
    const support::limited_new none(0);
    EXPECT_EQ(to_std(freehold::shared_ptr<object>()), nullptr);
    EXPECT_EQ(from_std(std::shared_ptr<object>()), nullptr);
    EXPECT_EQ(to_std(freehold::shared_ptr<object>(freehold::shared_ptr<object>(), &local)).get(), &local);
    EXPECT_EQ(from_std(std::shared_ptr<object>(std::shared_ptr<object>(), &local)).get(), &local);
    auto away = to_std(std::move(managed));
    EXPECT_EQ(away->value, 8);
    managed = from_std(std::move(away));
    EXPECT_EQ(managed->value, 8);
}
