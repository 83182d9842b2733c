// Threads that begin and end do at random all that is done with what they share, by all types at once.
//
//     FREEHOLD_TEST_SECONDS=600 build/gcc/tests/concurrency --gtest_filter=stress.*
//
// At the end it prints what was done, and the most objects that nobody used and that were not yet destroyed.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/shared_places.hpp"

namespace {

constexpr std::size_t threads = 6;  // at a time
constexpr std::size_t kept = 3;     // holdings of a thread, of each family
constexpr std::size_t shared_places = 3;

using seed = std::mt19937::result_type;

constexpr long retired_bound = 37'000;
constexpr long deferred_bound = 32'768;  // of a thread

long seconds() {
    if (const char* const given = std::getenv("FREEHOLD_TEST_SECONDS")) return std::atol(given);
    return std::getenv("FREEHOLD_TEST_LONG") != nullptr ? 60 : 2;
}

void raise(std::atomic<long>& most, long seen) {
    long before = most.load(std::memory_order_relaxed);
    while (before < seen && !most.compare_exchange_weak(before, seen, std::memory_order_relaxed)) {
    }
}

// What is retired while a region of RCU is open has no limit.
class longest_region {
public:
    // Effects: the thread opens a region and reads some times. Returns: whether all that it read is alive at the end.
    static bool read(const support::rcu::place& from, seed times) {
        const long before = support::rcu_object::made();
        const support::rcu::holding first(from);
        for (seed i = 0; i < times; ++i) {
            if (!support::rcu::holding(from).is_sound()) return false;
        }
        raise(most_, support::rcu_object::made() - before);
        return first.is_sound();
    }

    // Returns: the most objects that were retired during one region.
    [[nodiscard]] static long most() { return most_; }

private:
    static inline std::atomic<long> most_ = 0;
};

template <class Family>
class shared_by_all {
public:
    using place = typename Family::place;
    using object = typename Family::object;

    static constexpr bool is_rcu = std::is_same_v<Family, support::rcu>;

    // What one thread holds.
    class reader {
    public:
        explicit reader(const shared_by_all& all) : all_(all) {}

        bool hold(std::mt19937& random) {
            const place& from = all_.places_[random() % shared_places];
            if constexpr (is_rcu) {
                return longest_region::read(from, random() % 64);  // a region that is always open would keep everything
            } else {
                return held_[random() % kept].emplace(from).is_sound();
            }
        }

        void let_go(std::mt19937& random) { held_[random() % kept].reset(); }

        [[nodiscard]] bool is_sound() {
            return std::ranges::all_of(held_, [](auto& each) { return !each || each->is_sound(); });
        }

    private:
        const shared_by_all& all_;
        std::array<std::optional<typename Family::holding>, kept> held_;
    };

    void replace(std::mt19937& random) {
        places_[random() % shared_places].replace();
        raise(most_unused_, object::made() - object::destroyed() - in_use);
    }

    [[nodiscard]] long most_unused() const { return std::max(0L, most_unused_.load()); }

private:
    // At most, and two that each thread is about to store and to destroy.
    static constexpr long in_use = static_cast<long>(shared_places * Family::objects + threads * (kept + 2));

    std::array<place, shared_places> places_;
    std::atomic<long> most_unused_ = 0;
};

template <class... Families>
class everything {
public:
    // Effects: what one thread does from its beginning to its end.
    void work(seed first) {
        std::mt19937 random(first);
        std::tuple<typename shared_by_all<Families>::reader...> readers(std::get<shared_by_all<Families>>(all_)...);
        const seed steps = 1 + random() % (random() % 8 == 0 ? 200'000 : 2'000);
        for (seed step = 0; step < steps && !is_over_; ++step) {
            const seed family = random() % sizeof...(Families);
            seed i = 0;
            ((i++ == family ? act<Families>(std::get<typename shared_by_all<Families>::reader>(readers), random)
                            : static_cast<void>(0)),
             ...);
            look_at_deferred();
        }
        operations_ += static_cast<long>(steps);
        ++threads_;
    }

    void run(std::chrono::seconds time) {
        std::vector<std::thread> slots;
        for (std::size_t i = 0; i < threads; ++i) {
            slots.emplace_back([this, i] {
                std::mt19937 random(i);
                while (!is_over_) std::thread([&] { work(random()); }).join();
            });
        }
        std::this_thread::sleep_for(time);
        is_over_ = true;
        for (std::thread& slot : slots) slot.join();
        std::printf("%ld s, %zu threads at a time, %ld in all, %ld operations\n", static_cast<long>(time.count()),
                    threads, threads_.load(), operations_.load());
        std::printf("%-22s%14s%14s%14s%14s\n", "", "made", "destroyed", "most unused", "bound");
    }

    template <class Family>
    [[nodiscard]] long most_unused() const {
        return std::get<shared_by_all<Family>>(all_).most_unused();
    }

    [[nodiscard]] long most_deferred() const { return most_deferred_; }

private:
    void look_at_deferred() {
        auto& readers = freehold::detail::atomic_pointers;
        auto* const own = readers.own();
        if (own == nullptr || !own->begin(readers.barrier)) return;  // another thread takes it over
        raise(most_deferred_, static_cast<long>(own->deferred.size()));
        own->end(readers.barrier);
    }

    template <class Family>
    void act(typename shared_by_all<Family>::reader& reader, std::mt19937& random) {
        switch (random() % 8) {
            case 0:
            case 1: ASSERT_TRUE(reader.hold(random)); break;
            case 2: reader.let_go(random); break;
            case 3: ASSERT_TRUE(reader.is_sound()); break;
            default: std::get<shared_by_all<Family>>(all_).replace(random); break;
        }
    }

    std::tuple<shared_by_all<Families>...> all_;
    std::atomic<bool> is_over_ = false;
    std::atomic<long> operations_ = 0;
    std::atomic<long> threads_ = 0;
    std::atomic<long> most_deferred_ = 0;
};

template <class... Families>
void stress() {
    std::array<long, sizeof...(Families)> most{};
    long most_deferred = 0;
    {
        everything<Families...> all;
        all.run(std::chrono::seconds(seconds()));
        most = {all.template most_unused<Families>()...};
        most_deferred = all.most_deferred();
    }
    for (int i = 0; i < 2; ++i) (Families::settle(), ...);

    std::size_t i = 0;
    const auto report = [&]<class Family>(std::type_identity<Family>) {
        using object = typename Family::object;
        long bound = std::numeric_limits<long>::max();
        if constexpr (std::is_same_v<Family, support::hazard>) bound = retired_bound;
        if constexpr (std::is_same_v<Family, support::rcu>) bound = retired_bound + 2 * longest_region::most();
        const long unused = most[i++];
        std::printf("%-22s%14ld%14ld%14ld", Family::name, object::made(), object::destroyed(), unused);
        bound != std::numeric_limits<long>::max() ? std::printf("%14ld\n", bound) : std::printf("\n");
        EXPECT_EQ(object::made(), object::destroyed()) << Family::name;
        EXPECT_LE(unused, bound) << Family::name;
    };
    (report(std::type_identity<Families>()), ...);

    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("references that one thread deferred, at most %ld of %ld; objects retired in one region, at most %ld\n",
                most_deferred, deferred_bound, longest_region::most());
    std::printf("peak resident memory %ld MiB\n", usage.ru_maxrss / 1024);
    // What snapshots protect comes on top.
    EXPECT_LE(most_deferred, deferred_bound + static_cast<long>(threads * kept * 4));
}

}  // namespace

TEST(stress, everything_that_is_made_is_destroyed_once_and_in_time) {
    stress<support::atomic_shared, support::atomic_weak, support::atomic_intrusive, support::atomic_thin,
           support::cached, support::counted, support::biased, support::sharded, support::hazard, support::rcu>();
}
