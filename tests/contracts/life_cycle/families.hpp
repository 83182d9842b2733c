#pragma once
// The fixture of the suite about threads, processes and programs that begin and end while places are shared.

#include <gtest/gtest.h>

#include "support/contract.hpp"
#include "support/shared_places.hpp"
#include "support/thread_state.hpp"
#include "support/tracked.hpp"

namespace contracts {

template <class Family>
class life_cycle : public support::tracked_test {
protected:
    using place = typename Family::place;
    using holding = typename Family::holding;

    void SetUp() override {
        support::tracked_test::SetUp();
        support::start_first_thread();
    }

    void TearDown() override {
        Family::settle();
        support::tracked_test::TearDown();
    }

    // What a thread does with a place. Returns: whether all that it has read is alive.
    static bool use(place& used) {
        holding held(used);
        used.replace();
        used.replace();
        return held.is_sound() && holding(used).is_sound();
    }

    // Its destructor uses the place.
    struct late_user {
        late_user() = default;
        late_user(const late_user&) = delete;
        late_user& operator=(const late_user&) = delete;
        ~late_user() { EXPECT_TRUE(used == nullptr || use(*used)); }

        place* used = nullptr;
    };
};

}  // namespace contracts

template <>
struct support::implementations<contracts::life_cycle> {
    using types = testing::Types<atomic_shared, atomic_weak, atomic_intrusive, atomic_thin, cached, counted, biased,
                                 sharded, hazard, rcu>;
};
