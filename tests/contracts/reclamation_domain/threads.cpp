// Threads that read, replace and retire objects at once, and how many objects are not yet deleted meanwhile.

#include "families.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <latch>
#include <thread>
#include <vector>

#include "support/on_one_processor.hpp"
#include "support/threads.hpp"

namespace contracts {

namespace {

const unsigned rounds = std::getenv("FREEHOLD_TEST_LONG") != nullptr ? 10'000'000 : 200'000;

}  // namespace

CONTRACT(reclamation_domain, threads_read_what_others_replace) {
    using object = typename TestFixture::object;
    std::atomic<object*> current = new object;
    std::atomic<bool> is_done = false;
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i) {
        readers.emplace_back([&] {
            while (!is_done.load(std::memory_order_relaxed)) {
                ASSERT_TRUE(typename TestFixture::protection(current).get()->is_alive());
            }
        });
    }
    std::vector<std::thread> writers;
    for (int i = 0; i < 2; ++i) {
        writers.emplace_back([&] {
            for (unsigned n = 0; n < rounds; ++n) current.exchange(new object(n))->retire();
        });
    }
    for (std::thread& writer : writers) writer.join();
    is_done = true;
    for (std::thread& reader : readers) reader.join();
    current.exchange(nullptr)->retire();
    TypeParam::reclaim_all();
    EXPECT_EQ(support::tracked::alive(), 0);
}

CONTRACT(reclamation_domain, threads_may_come_and_go) {
    using object = typename TestFixture::object;
    std::atomic<object*> current = new object;
    for (unsigned i = 0; i < rounds / 20; i += 4) {
        std::vector<std::thread> together;
        for (int k = 0; k < 4; ++k) {
            together.emplace_back([&] {
                const typename TestFixture::protection read(current);
                ASSERT_TRUE(read.get()->is_alive());
                current.exchange(new object(read.get()->value + 1))->retire();
            });
        }
        for (std::thread& thread : together) thread.join();
    }
    current.exchange(nullptr)->retire();
    TypeParam::reclaim_all();
    EXPECT_EQ(support::tracked::alive(), 0);
}

CONTRACT(reclamation_domain, the_bound_holds_while_threads_that_have_retired_idle) {
    std::latch is_done(1);
    std::vector<std::thread> idle;
    long most = 0;
    for (int i = 0; i < 15; ++i) {
        std::latch has_retired(1);
        idle.emplace_back([&] {
            most = std::max(most, TestFixture::retire(16'000));
            has_retired.count_down();
            is_done.wait();
        });
        has_retired.wait();
    }
    most = std::max(most, TestFixture::retire(100'000));
    EXPECT_LE(most, TestFixture::bound);
    is_done.count_down();
    for (std::thread& each : idle) each.join();
}

// Among them is the first that needs membarrier. As many threads as there are processors; the system may suspend one of
// them for another program: hence twice.
CONTRACT(reclamation_domain, the_bound_holds_from_the_first_retirements_of_two_threads) {
    std::array<long, 2> most{};
    support::in_threads(2, [&](int thread) { most[static_cast<std::size_t>(thread)] = TestFixture::retire(100'000); });
    EXPECT_LE(std::ranges::max(most), 2 * TestFixture::bound);
}

// The system suspends them in the middle of retirements, and the others yield to them. It may run another program
// instead: hence twice.
CONTRACT(reclamation_domain, the_bound_holds_with_more_threads_than_processors) {
    const support::on_one_processor all;
    std::array<long, 40> most{};
    support::in_threads(40, [&](int thread) { most[static_cast<std::size_t>(thread)] = TestFixture::retire(100'000); });
    EXPECT_LE(std::ranges::max(most), 2 * TestFixture::bound);
}

CONTRACT(reclamation_domain, the_bound_holds_after_each_of_many_threads_has_retired_and_ended) {
    long most = 0;
    for (int i = 0; i < 64; ++i) {
        std::thread([&] { most = std::max(most, TestFixture::retire(8'000)); }).join();
    }
    EXPECT_LE(most, TestFixture::bound);
}

}  // namespace contracts
