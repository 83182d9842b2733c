// atomic_load, atomic_store, ... of a shared_ptr under the checker: its holder alone uses it, an object ends once, and
// the operations are in one order with all others that are seq_cst.

#include <gtest/gtest.h>

#include "support/checked_counting.hpp"
// After the names of the builtins.
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

// From here
#include "support/begin_checked_builtins.hpp"
// the builtins are the checker's,
#include <freehold/pointers/shared_ptr_atomic_access.hpp>
// until here.
#include "support/end_checked_builtins.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include "support/checked_atomic.hpp"
#include "support/checker.hpp"
#include "support/recorded_block.hpp"

namespace {

using owner = freehold::shared_ptr<int>;

constexpr support::bounds some{.interruptions = 2, .surprises = 2};

struct scenario {
    static constexpr std::size_t threads = 2;

    owner make(std::size_t i) {
        return owner(&objects[i], support::record_end{&past[i]}, support::recording_allocator<int>(past[i]));
    }

    void use(const owner& loaded) {
        EXPECT_EQ(past[static_cast<std::size_t>(loaded.get() - objects.data())].ended, 0);
        support::has_read(loaded.get());
    }

    void check() {
        pointer.reset();
        replacement.reset();
        for (const support::history& each : past) {
            EXPECT_EQ(each.ended, 1);
            EXPECT_EQ(each.freed, 1);
        }
    }

    std::array<support::history, 2> past;
    std::array<int, 2> objects{};
    owner pointer = make(0);
    owner replacement = make(1);
};

struct one_loads_what_another_stores : scenario {
    void run(std::size_t thread) {
        if (thread == 0) return use(freehold::atomic_load(&pointer));
        freehold::atomic_store(&pointer, std::move(replacement));
    }
};

struct one_compares_what_another_exchanges : scenario {
    void run(std::size_t thread) {
        if (thread == 1) return use(freehold::atomic_exchange(&pointer, replacement));
        owner expected = replacement;
        if (freehold::atomic_compare_exchange_strong(&pointer, &expected, owner())) return;
        use(expected);
    }
};

struct one_stores_while_another_announces : scenario {
    void run(std::size_t thread) {
        if (thread == 0) {
            freehold::atomic_store(&pointer, replacement);
            sees_other[0] = announced.load(std::memory_order_seq_cst) == 1;
        } else {
            announced.store(1, std::memory_order_seq_cst);
            sees_other[1] = freehold::atomic_load(&pointer) == replacement;
        }
    }

    void check() {
        EXPECT_TRUE(sees_other[0] || sees_other[1]);
        scenario::check();
    }

    support::checked_atomic<int> announced = 0;
    std::array<bool, 2> sees_other{};
};

}  // namespace

TEST(shared_ptr_access, one_loads_what_another_stores) {
    EXPECT_GT(support::for_every_execution<one_loads_what_another_stores>(some), 10);
}

TEST(shared_ptr_access, one_compares_what_another_exchanges) {
    EXPECT_GT(support::for_every_execution<one_compares_what_another_exchanges>(some), 10);
}

TEST(shared_ptr_access, one_stores_while_another_announces) {
    EXPECT_GT(support::for_every_execution<one_stores_while_another_announces>(some), 10);
}
