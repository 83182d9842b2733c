// Threads read and replace a few atomic pointers by all their functions, and begin and end meanwhile: what is protected
// is never destroyed, and everything is destroyed once.

#include <gtest/gtest.h>
#include <freehold/pointers/atomic_intrusive_ptr.hpp>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/cached_snapshot.hpp>
#include <freehold/pointers/make_shared.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/key_destructor.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

using freehold::atomic_shared_ptr;
using freehold::cached_snapshot;
using freehold::make_shared;
using freehold::shared_ptr;
using freehold::snapshot_ptr;

namespace {

constexpr int threads = 4;
constexpr std::uint64_t sound = 0x50f7;

// Poisons itself when it is destroyed.
struct object : support::tracked {
    object() = default;
    object(const object&) = delete;
    object& operator=(const object&) = delete;
    ~object() { state = 0; }

    std::uint64_t state = sound;
    std::uint64_t member = sound;
    std::array<char, 48> rest{};
};

int rounds() { return std::getenv("FREEHOLD_TEST_LONG") != nullptr ? 2'000'000 : 20'000; }

class atomic_snapshots : public support::tracked_test {
protected:
    using place = atomic_shared_ptr<std::uint64_t>;

    void TearDown() override {
        for (place& each : places) each.store(nullptr);
        freehold::flush_deferred_releases();
        support::tracked_test::TearDown();
    }

    // A pointer to a member, in the block or in a record, of one object in the block or elsewhere.
    static shared_ptr<std::uint64_t> make(std::mt19937& random) {
        switch (random() % 4) {
            case 0: return nullptr;
            case 1: {
                const auto made = make_shared<object>();
                return {made, &made->member};
            }
            case 2: {
                const shared_ptr<object> made(new object);
                return {made, &made->state};
            }
            default: {
                const auto made = make_shared<object>();
                return {made, &made->state};
            }
        }
    }

    void work(std::mt19937& random, int steps) {
        std::array<snapshot_ptr<std::uint64_t>, 10> kept;
        std::optional<cached_snapshot<std::uint64_t>> cached(std::in_place, places[random() % places.size()]);
        for (int step = 0; step < steps; ++step) {
            place& at = places[random() % places.size()];
            snapshot_ptr<std::uint64_t>& snapshot = kept[random() % kept.size()];
            switch (random() % 9) {
                case 0: at.store(make(random)); break;
                case 1: {
                    const auto old = at.exchange(make(random));
                    ASSERT_TRUE(!old || *old == sound);
                    break;
                }
                case 2: {
                    auto expected = at.load();
                    at.compare_exchange_strong(expected, make(random));
                    ASSERT_TRUE(!expected || *expected == sound);
                    break;
                }
                case 3: {
                    const auto owner = at.load();
                    ASSERT_TRUE(!owner || *owner == sound);
                    break;
                }
                case 4: {
                    const auto* const read = cached->get();
                    ASSERT_TRUE(read == nullptr || *read == sound);
                    break;
                }
                case 5: {
                    const auto owner = snapshot.share();
                    ASSERT_TRUE(!owner || *owner == sound);
                    break;
                }
                case 6: snapshot.reset(); break;
                default: snapshot = at.snapshot(); break;
            }
            for (const auto& each : kept) ASSERT_TRUE(!each || *each == sound);
        }
    }

    std::array<place, 3> places;
};

}  // namespace

TEST_F(atomic_snapshots, what_is_read_is_whole_whatever_others_do) {
    support::in_threads(threads, [this](int thread) {
        std::mt19937 random(static_cast<unsigned>(thread));
        work(random, rounds());
    });
}

TEST_F(atomic_snapshots, threads_may_come_and_go) {
    const int generations = rounds() / 100;
    support::in_threads(threads, [this, generations](int thread) {
        std::mt19937 random(static_cast<unsigned>(thread));
        for (int i = 0; i < generations; ++i) {
            std::thread([&] { work(random, 30); }).join();
        }
    });
}

// When a thread runs the destructors of its keys, its other thread-local objects are gone.
TEST_F(atomic_snapshots, a_thread_may_read_and_store_at_its_very_end) {
    const support::key_destructor late([this] {
        static_cast<void>(places[0].snapshot());
        places[0].store(nullptr);
        const auto made = make_shared<object>();
        places[0].store({made, &made->state});
    });
    support::in_threads(threads, [&](int thread) {
        if (thread % 2 == 0) places[1].store(nullptr);  // this one has a record before
        late.arm();
    });
    freehold::flush_deferred_releases();
    EXPECT_EQ(support::tracked::alive(), 1);
}
