// shared_memory in processes that run at once, and where some are killed: what they leave is looked at behind each of
// their instructions, and after they were really killed, at random moments, while others go on.

#include <gtest/gtest.h>
#include <freehold/interop/shared_memory.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "support/deadline.hpp"
#include "support/effort.hpp"
#include "support/shared_segment.hpp"
#include "support/stepped_child.hpp"

namespace shm = freehold::shared_memory;

using support::shared_segment;

namespace {

// Knows whether it is alive, and takes a block of its own size.
struct item {
    static constexpr std::uint64_t alive = 0x600D'600D'600D'600D;
    static constexpr std::uint64_t dead = 0xDEAD'DEAD'DEAD'DEAD;

    item() noexcept = default;
    explicit item(shm::shared_ptr<item> following) noexcept : next(std::move(following)) {}
    item(const item&) = delete;
    item& operator=(const item&) = delete;
    ~item() {
        EXPECT_EQ(state, alive) << "destroyed twice, or never constructed";
        state = dead;
    }

    std::uint64_t state = alive;
    shm::shared_ptr<item> next;
};

using owner = shm::shared_ptr<item>;
using observer = shm::weak_ptr<item>;

// What all processes find.
struct shared_handles {
    template <class Segment>
    shared_handles(Segment& segment, std::size_t bytes) : pool(segment, bytes) {}

    shm::pool pool;
    std::array<owner, 3> owners;
    observer weak;
};

constexpr std::size_t block_bytes = 16 + sizeof(item);

// Effects: follows the handles as another process would that goes on, and takes all that is free.
// Returns: how many blocks are neither found through the handles nor free.
std::size_t lost_blocks(shared_handles& left, std::size_t blocks) {
    std::set<const item*> found;
    const auto look = [&](const owner& first) {
        for (owner each = first; each != nullptr && found.insert(each.get()).second; each = each->next) {
            EXPECT_EQ(each->state, item::alive);
            EXPECT_GT(each.use_count(), 1);
        }
    };
    for (const owner& each : left.owners) look(each);
    const owner locked = left.weak.lock();
    look(locked);
    const bool weak_alone = locked == nullptr && !left.weak.owner_equal(observer());
    std::vector<owner> taken;
    try {
        for (;;) {
            taken.push_back(shm::make_shared<item>(left.pool));
            EXPECT_TRUE(found.insert(taken.back().get()).second) << "a block is used twice";
        }
    } catch (const std::bad_alloc&) {
    }
    const std::size_t accounted = found.size() + weak_alone;
    EXPECT_LE(accounted, blocks);
    return blocks - accounted;
}

enum class memory { fresh, freed };

// Effects: does work(handles) in a child, and behind each of its instructions expects of a copy of the memory that the
// handles are sound, and that as many blocks are lost as at the worst moment `most`, also when all handles are dropped.
template <class Work>
void expect_lost_at_worst(std::size_t most, Work work, std::size_t blocks = 8, memory found = memory::freed) {
    shared_segment segment(4096);
    auto& handles = segment.make<shared_handles>(segment, blocks * block_bytes);
    if (found == memory::freed) {
        ASSERT_EQ(lost_blocks(handles, blocks), 0U);
    }
    shared_segment copy(4096);
    shared_segment seen(4096);
    seen.copy(segment);
    std::size_t states = 0;
    std::size_t most_lost = 0;
    const auto look = [&] {
        if (seen.equals(segment) || testing::Test::HasFailure()) return;
        ++states;
        seen.copy(segment);
        copy.copy(segment);
        auto& left = copy.here(handles, segment);
        most_lost = std::max(most_lost, lost_blocks(left, blocks));
        for (owner& each : left.owners) each.reset();
        left.weak.reset();
        most_lost = std::max(most_lost, lost_blocks(left, blocks));
    };
    const std::size_t steps = support::for_each_step([&] { work(handles); }, look);
    if (steps == 0) GTEST_SKIP() << "a process can't be stepped here";
    EXPECT_GT(states, 3U);
    EXPECT_EQ(most_lost, most) << steps << " instructions, " << states << " states";
}

}  // namespace

TEST(killed_process, while_it_makes_an_object_loses_that) {
    const auto make = [](shared_handles& all) { all.owners[0] = shm::make_shared<item>(all.pool); };
    expect_lost_at_worst(1, make);
    expect_lost_at_worst(1, make, 8, memory::fresh);
    expect_lost_at_worst(1, make, 1);
}

TEST(killed_process, while_it_replaces_an_object_loses_the_old_one_or_the_new_one) {
    expect_lost_at_worst(1, [](shared_handles& all) {
        all.owners[0] = shm::make_shared<item>(all.pool);
        all.owners[0] = shm::make_shared<item>(all.pool);
        all.owners[0] = nullptr;
    });
}

TEST(killed_process, while_it_copies_moves_and_swaps_handles_leaves_none_that_dangles) {
    expect_lost_at_worst(2, [](shared_handles& all) {
        all.owners[0] = shm::make_shared<item>(all.pool);
        all.owners[1] = shm::make_shared<item>(all.pool);
        all.owners[2] = all.owners[1];
        swap(all.owners[0], all.owners[1]);
        all.owners[2] = std::move(all.owners[0]);
        all.owners[1].reset();
        all.owners[2].reset();
    });
}

TEST(killed_process, while_it_uses_weak_pointers_loses_one_block) {
    expect_lost_at_worst(1, [](shared_handles& all) {
        all.owners[0] = shm::make_shared<item>(all.pool);
        all.weak = all.owners[0];
        all.owners[1] = all.weak.lock();
        all.owners[0].reset();
        all.owners[1].reset();
        all.owners[2] = all.weak.lock();
        all.weak.reset();
    });
}

TEST(killed_process, while_it_destroys_a_list_loses_the_objects_that_it_is_destroying) {
    expect_lost_at_worst(3, [](shared_handles& all) {
        owner list = shm::make_shared<item>(all.pool);
        list = shm::make_shared<item>(all.pool, std::move(list));
        all.owners[0] = shm::make_shared<item>(all.pool, std::move(list));
        all.owners[0].reset();
    });
}

TEST(killed_process, while_it_destroys_a_handle_that_others_find_leaves_it_empty) {
    expect_lost_at_worst(1, [](shared_handles& all) {
        all.owners[0] = shm::make_shared<item>(all.pool);
        all.weak = all.owners[0];
        std::destroy_at(&all.owners[0]);
        std::destroy_at(&all.weak);
        std::construct_at(&all.owners[0]);
        std::construct_at(&all.weak);
    });
}

namespace {

// Processes that map a segment, each for itself. Those that still run are killed in the end.
class crew {
public:
    crew() = default;
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;
    ~crew() {
        while (!children_.empty()) kill_last();
    }

    // Effects: calls work(segment) in a new process; it ends with what work returns.
    template <class Work>
    void add(const shared_segment& segment, Work work) {
        const pid_t child = ::fork();
        if (child == 0) {
            support::set_deadline();
            const shared_segment mapped(segment);
            const int result = work(mapped);
            ::_exit(testing::Test::HasFailure() ? 1 : result);
        }
        children_.push_back(child);
    }

    void kill_last() {
        ::kill(children_.back(), SIGKILL);
        static_cast<void>(wait_for_last());
    }

    // Returns: what the process returned that was added last; -1 if it did not end by itself.
    [[nodiscard]] int wait_for_last() {
        int status = -1;
        ::waitpid(children_.back(), &status, 0);
        children_.pop_back();
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    std::vector<pid_t> children_;
};

// Makes, links, copies, locks and drops objects. It has at most `most` blocks of its own at once.
class worker {
public:
    static constexpr std::size_t most = 6;

    worker(shared_handles& all, unsigned seed) : all_(all), random_(seed) {}

    void work() {
        owner& mine = mine_[random_() % mine_.size()];
        switch (random_() % 6) {
            case 0: mine = shm::make_shared<item>(all_.pool); break;
            case 1: mine = shm::make_shared<item>(all_.pool, mine_[0] == nullptr ? owner() : mine_[0]->next); break;
            case 2: watch_ = mine; break;
            case 3: mine = watch_.lock(); break;
            case 4: mine = all_.owners[random_() % all_.owners.size()]; break;
            default: mine.reset();
        }
        for (const owner& each : mine_) {
            if (each == nullptr) continue;
            ASSERT_EQ(each->state, item::alive);
        }
    }

private:
    shared_handles& all_;
    std::minstd_rand random_;
    std::array<owner, 4> mine_;
    observer watch_;
};

}  // namespace

TEST(killed_process, at_any_moment_lets_the_others_go_on) {
    const int kills = support::full_effort(600, 20);
    const std::size_t blocks = worker::most * (static_cast<std::size_t>(kills) + 4);
    shared_segment segment(blocks * block_bytes + 4096);
    auto& all = segment.make<shared_handles>(segment, blocks * block_bytes);
    for (owner& each : all.owners) each = shm::make_shared<item>(all.pool);
    const std::size_t before = lost_blocks(all, blocks);
    EXPECT_EQ(before, 0U);
    {
        crew others;
        worker here(all, 1);
        std::minstd_rand random(2);
        for (int killed = 0; killed < kills; ++killed) {
            others.add(segment, [&](const shared_segment& mapped) {
                worker there(mapped.here(all, segment), static_cast<unsigned>(killed));
                for (;;) there.work();
                return 0;
            });
            const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 3000);
            while (std::chrono::steady_clock::now() < end) here.work();
            if (killed % 2 == 1) {  // two at once
                others.kill_last();
                others.kill_last();
            }
            ASSERT_FALSE(HasFailure());
        }
    }
    for (const owner& each : all.owners) EXPECT_EQ(each->state, item::alive);
    EXPECT_LE(lost_blocks(all, blocks), static_cast<std::size_t>(kills) * worker::most);
}

namespace {

// Where processes wait for each other.
class meeting {
public:
    void wait(int processes) {
        const int round = round_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) == processes - 1) {
            arrived_.store(0, std::memory_order_relaxed);
            round_.store(round + 1, std::memory_order_release);
        }
        while (round_.load(std::memory_order_acquire) == round) std::this_thread::yield();
    }

private:
    std::atomic<int> arrived_ = 0;
    std::atomic<int> round_ = 0;
};

struct tally {
    std::atomic<int> destroyed = 0;
};

// Counts its end, and knows what its owners wrote before.
struct counted {
    explicit counted(shm::shared_ptr<tally> where) : ends(std::move(where)) {}
    ~counted() {
        for (const int each : written) EXPECT_EQ(each, 1);
        ends->destroyed.fetch_add(1, std::memory_order_relaxed);
    }

    shm::shared_ptr<tally> ends;
    std::array<int, 3> written = {};
};

constexpr int processes = 3;

struct race {
    explicit race(shared_segment& segment) : pool(segment, 16 * 1024) {}

    shm::pool pool;
    meeting start, end;
    std::array<shm::shared_ptr<counted>, processes> owners;
    shm::weak_ptr<counted> weak;
    shm::shared_ptr<tally> ends;
};

int run_race(race& mine, int process, int rounds) {
    for (int round = 1; round <= rounds; ++round) {
        if (process == 0) {
            mine.owners[0] = shm::make_shared<counted>(mine.pool, mine.ends);
            mine.weak = mine.owners[0];
            mine.owners[1] = mine.owners[2] = mine.owners[0];
        }
        mine.start.wait(processes);
        auto& own = mine.owners[static_cast<std::size_t>(process)];
        own->written[static_cast<std::size_t>(process)] = 1;
        const auto weak = mine.weak;
        const auto copy = round % 2 == 0 ? own : shm::shared_ptr<counted>();
        own.reset();
        EXPECT_TRUE(copy == nullptr || weak.lock() == copy);
        const auto locked = weak.lock();
        EXPECT_TRUE(locked == nullptr || locked->ends->destroyed.load() == round - 1);
        mine.end.wait(processes);
    }
    return 0;
}

}  // namespace

TEST(shared_memory_processes, that_release_and_lock_at_once_destroy_each_object_once) {
    const int rounds = support::full_effort(2000, 40);
    shared_segment segment(32 * 1024);
    auto& all = segment.make<race>(segment);
    all.ends = shm::make_shared<tally>(all.pool);
    {
        crew others;
        for (int i = 1; i < processes; ++i) {
            others.add(segment,
                       [&, i](const shared_segment& mapped) { return run_race(mapped.here(all, segment), i, rounds); });
        }
        run_race(all, 0, rounds);
        for (int i = 1; i < processes; ++i) EXPECT_EQ(others.wait_for_last(), 0);
    }
    EXPECT_EQ(all.ends->destroyed.load(), rounds);
    EXPECT_TRUE(all.weak.expired());
    EXPECT_EQ(all.ends.use_count(), 1);
}
