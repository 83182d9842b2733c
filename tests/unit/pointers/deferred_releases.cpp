#include <gtest/gtest.h>
#include <freehold/pointers/atomic_intrusive_ptr.hpp>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/atomic_thin_ptr.hpp>
#include <freehold/pointers/deferred_releases.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/ref_counted.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include "support/thread_locals.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

using freehold::atomic_shared_ptr;
using freehold::make_shared;

namespace {

struct object : support::tracked {
    explicit object(atomic_shared_ptr<object>* stored_at_end = nullptr) : next(stored_at_end) {}
    object(const object&) = delete;
    object& operator=(const object&) = delete;
    ~object() {
        if (next != nullptr) next->store(make_shared<object>());
    }

    atomic_shared_ptr<object>* next;
};

constexpr std::size_t mebibyte = std::size_t{1} << 20;

struct large : support::tracked, freehold::ref_counted<large> {
    std::array<char, 64 * 1024> bytes;
};

class deferred_releases : public support::tracked_test {
protected:
    // Returns: the largest number of large objects that were alive while a thread stored new ones beside a reader.
    template <class Make>
    static std::size_t most_alive(Make make) {
        std::atomic<decltype(make())> atomic(make());
        std::size_t most = 0;
        support::in_threads(2, [&](int thread) {
            for (int i = 0; i < 2000; ++i) {
                if (thread == 1) {
                    static_cast<void>(atomic.load());
                    continue;
                }
                atomic.store(make());
                most = std::max(most, static_cast<std::size_t>(alive()));
            }
        });
        return most;
    }

    void TearDown() override {
        freehold::flush_deferred_releases();
        support::tracked_test::TearDown();
    }

    static int alive() { return support::tracked::alive(); }
};

}  // namespace

TEST_F(deferred_releases, a_flush_releases_what_nobody_reads) {
    atomic_shared_ptr<object> atomic;
    support::in_threads(2, [&](int) {
        for (int i = 0; i < 1000; ++i) atomic.store(make_shared<object>());
        freehold::flush_deferred_releases();
    });
    freehold::flush_deferred_releases();
    EXPECT_EQ(alive(), 1);
}

TEST_F(deferred_releases, the_end_of_a_thread_releases_what_it_has_deferred) {
    atomic_shared_ptr<object> atomic;
    std::thread([&] {
        for (int i = 0; i < 1000; ++i) atomic.store(make_shared<object>());
    }).join();
    EXPECT_EQ(alive(), 1);
}

TEST_F(deferred_releases, what_is_read_at_the_end_of_its_thread_is_released_by_another_one) {
    atomic_shared_ptr<object> atomic(make_shared<object>());
    auto read = atomic.snapshot();
    std::thread([&] { atomic.store(nullptr); }).join();
    EXPECT_EQ(alive(), 1);
    read.reset();
    std::thread([&] { atomic.store(make_shared<object>()); }).join();
    freehold::flush_deferred_releases();
    EXPECT_EQ(alive(), 1) << "the one that was stored last";
}

// A release may defer others, which is no recursion.
TEST_F(deferred_releases, a_destructor_may_store) {
    std::vector<atomic_shared_ptr<object>> chain(100'000);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) chain[i].store(freehold::make_shared<object>(&chain[i + 1]));
    chain[0].store(nullptr);
    for (int i = 0; i < 200'000 && chain.back().load() == nullptr; ++i) freehold::flush_deferred_releases();
    EXPECT_NE(chain.back().load(), nullptr);
}

TEST_F(deferred_releases, those_that_wait_are_bounded) {
    constexpr int bound = 32'768;
    atomic_shared_ptr<object> atomic;
    support::in_threads(2, [&](int thread) {
        for (int i = 0; i < 200'000; ++i) {
            if (thread == 0) {
                atomic.store(make_shared<object>());
                ASSERT_LE(alive(), bound + 2);
            } else {
                static_cast<void>(atomic.snapshot());
            }
        }
    });
}

TEST_F(deferred_releases, those_that_have_waited_for_a_reader_become_as_few_as_the_others) {
    constexpr int bound = 32'768;
    const auto p = make_shared<object>();
    const atomic_shared_ptr<object> first(p);
    std::thread([&] {
        atomic_shared_ptr<object> atomic;
        auto read = first.snapshot();
        for (int i = 0; i < 100'000; ++i) atomic.store(p);
        EXPECT_GT(p.use_count(), 100'000);
        read.reset();
        // A store scans two. At worst a fence came just before: 50,000 stores find all protected as then, the next
        // 75,000 release these and what came meanwhile, and 37,500 what came during that.
        for (int i = 0; i < 200'000; ++i) atomic.store(make_shared<object>());
        EXPECT_LE(alive(), bound + 2);
    }).join();
}

TEST_F(deferred_releases, those_that_wait_are_bounded_where_destructors_replace_more) {
    struct parts : support::tracked {
        parts() {
            for (auto& each : all) each.store(make_shared<object>());
        }
        parts(const parts&) = delete;
        parts& operator=(const parts&) = delete;
        ~parts() {
            for (auto& each : all) each.store(nullptr);
        }

        std::array<atomic_shared_ptr<object>, 4> all;
    };
    support::in_threads(2, [](int thread) {
        if (thread != 0) return;
        atomic_shared_ptr<parts> current;
        for (int i = 0; i < 50'000; ++i) {
            current.store(make_shared<parts>());
            ASSERT_LE(alive(), 5 * 32'768);
        }
    });
}

TEST_F(deferred_releases, large_values_that_wait_are_bounded_by_their_size) {
    EXPECT_LE(most_alive([] { return make_shared<large>(); }), 8 * mebibyte / sizeof(large) + 2);
    EXPECT_LE(most_alive([] { return freehold::make_thin<large>(); }), 8 * mebibyte / sizeof(large) + 2);
    EXPECT_LE(most_alive([] { return freehold::make_intrusive<large>(); }), 8 * mebibyte / sizeof(large) + 2);
}

TEST_F(deferred_releases, a_flush_tells_how_many_values_are_still_read) {
    atomic_shared_ptr<object> atomic(make_shared<object>());
    auto read = atomic.snapshot();
    atomic.store(make_shared<object>());
    EXPECT_EQ(freehold::flush_deferred_releases(), 1U);
    read.reset();
    EXPECT_EQ(freehold::flush_deferred_releases(), 0U);
    EXPECT_EQ(alive(), 1);
}

TEST_F(deferred_releases, a_flush_takes_over_all_that_an_ended_thread_has_deferred) {
    const auto p = make_shared<object>();
    atomic_shared_ptr<object> first(p);
    atomic_shared_ptr<object> second(p);
    auto read = first.snapshot();
    std::thread([&] {
        for (int i = 0; i < 5000; ++i) second.store(p);  // a flush takes them over in several steps
    }).join();
    EXPECT_EQ(p.use_count(), 5003);
    read.reset();
    freehold::flush_deferred_releases();
    EXPECT_EQ(p.use_count(), 3);
}

// What the record of an ended thread says of its last fence is not true of what the next thread defers.
TEST_F(deferred_releases, what_is_read_lives_where_a_thread_succeeds_one_whose_releases_were_taken_over) {
    const auto p = make_shared<object>();
    atomic_shared_ptr<object> first(p);
    auto read = first.snapshot();
    std::thread([&] {
        for (int i = 0; i < 500; ++i) first.store(p);
    }).join();
    freehold::flush_deferred_releases();
    read.reset();
    std::thread([&] {
        for (int i = 0; i < 200; ++i) {
            first.store(make_shared<object>());
            std::thread([&] { read = first.snapshot(); }).join();
            first.store(p);
            ASSERT_EQ(alive(), 2) << "what is read, and p";
            read.reset();
            freehold::flush_deferred_releases();
        }
    }).join();
}

TEST_F(deferred_releases, a_destructor_may_defer_any_number) {
    struct table {
        std::vector<atomic_shared_ptr<object>> places{40'000};
    };
    const auto p = make_shared<object>();
    auto all = make_shared<table>();
    for (auto& each : all->places) {
        each.store(p);
        static_cast<void>(each.snapshot());  // one could still be read by
    }
    const atomic_shared_ptr<object> another(p);
    std::thread([&] {
        atomic_shared_ptr<table> last(std::move(all));
        const auto read = another.snapshot();
        last.store(nullptr);
        freehold::flush_deferred_releases();
        EXPECT_EQ(p.use_count(), 40'002);
    }).join();
    freehold::flush_deferred_releases();
    EXPECT_EQ(p.use_count(), 2);
}

// A snapshot of another pointer has the reference of that one.
TEST_F(deferred_releases, a_pointer_without_snapshots_ends_at_once) {
    const auto p = make_shared<object>();
    const atomic_shared_ptr<object> another(p);
    const auto read = another.snapshot();
    {
        const atomic_shared_ptr<object> ending(p);
    }
    EXPECT_EQ(p.use_count(), 2);
}

TEST_F(deferred_releases, a_flush_takes_over_what_a_busy_thread_has_deferred) {
    atomic_shared_ptr<object> first(make_shared<object>());
    std::latch is_stored(1);
    std::latch may_end(1);
    auto read = first.snapshot();
    std::thread other([&] {
        first.store(nullptr);
        is_stored.count_down();
        may_end.wait();
    });
    is_stored.wait();
    EXPECT_EQ(freehold::flush_deferred_releases(), 1U);
    read.reset();
    EXPECT_EQ(freehold::flush_deferred_releases(), 0U);
    EXPECT_EQ(alive(), 0);
    may_end.count_down();
    other.join();
}

// The thread that flushes waits for the store, and that for the end of a thread, which has deferred something.
TEST_F(deferred_releases, a_flush_waits_for_a_destructor_that_waits_for_a_thread) {
    struct joining {
        ~joining() {
            is_ending.count_down();
            may_end.wait();
            thread.join();
        }
        std::latch& is_ending;
        std::latch& may_end;
        std::thread thread;
    };
    std::latch is_ending(1);
    std::latch may_end(1);
    std::latch is_stored(1);
    std::latch may_go_on(1);
    atomic_shared_ptr<object> read_by_others(make_shared<object>());
    const auto read = read_by_others.snapshot();
    std::thread worker([&] {
        read_by_others.store(nullptr);
        is_stored.count_down();
        may_go_on.wait();
    });
    is_stored.wait();
    atomic_shared_ptr<joining> current(freehold::make_shared<joining>(is_ending, may_end, std::move(worker)));
    std::thread storing([&] { current.store(nullptr); });
    is_ending.wait();
    std::thread late([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        may_end.count_down();
        may_go_on.count_down();
    });
    EXPECT_EQ(freehold::flush_deferred_releases(), 1U);
    storing.join();
    late.join();
}

namespace {

struct last_words {
    ~last_words() {
        if (place != nullptr) place->store(nullptr);
    }

    atomic_shared_ptr<object>* place = nullptr;
};

}  // namespace

// The thread-local object is older than what the thread knows of atomic pointers.
TEST_F(deferred_releases, what_a_thread_replaces_at_its_very_end_is_released_by_others) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    atomic_shared_ptr<object> atomic(make_shared<object>());
    auto read = atomic.snapshot();
    std::thread([&] {
        static thread_local last_words words;
        words.place = &atomic;
        static_cast<void>(atomic.snapshot());
    }).join();
    EXPECT_EQ(alive(), 1);
    read.reset();
    freehold::flush_deferred_releases();
    EXPECT_EQ(alive(), 0);
}

// As in a static object of the main thread.
TEST_F(deferred_releases, what_a_snapshot_keeps_until_a_threads_very_end_is_released_by_a_flush_there) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    struct last_snapshot {
        ~last_snapshot() {
            read.reset();
            EXPECT_EQ(freehold::flush_deferred_releases(), 0U);
            EXPECT_EQ(support::tracked::alive(), 0);
        }
        freehold::snapshot_ptr<object> read;
    };
    std::thread([] {
        static thread_local last_snapshot last;
        atomic_shared_ptr<object> atomic(make_shared<object>());
        last.read = atomic.snapshot();
        atomic.store(nullptr);
        EXPECT_EQ(support::tracked::alive(), 1);
    }).join();
}

TEST_F(deferred_releases, a_flush_in_a_destructor_that_a_flush_at_a_threads_very_end_calls_returns) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    struct flushing : support::tracked {
        ~flushing() { freehold::flush_deferred_releases(); }
    };
    struct last_snapshot {
        ~last_snapshot() {
            read.reset();
            EXPECT_EQ(freehold::flush_deferred_releases(), 0U);
            EXPECT_EQ(support::tracked::alive(), 0);
        }
        freehold::snapshot_ptr<flushing> read;
    };
    std::thread([] {
        static thread_local last_snapshot last;
        atomic_shared_ptr<flushing> atomic(make_shared<flushing>());
        last.read = atomic.snapshot();
        atomic.store(nullptr);
    }).join();
}

TEST_F(deferred_releases, what_a_thread_replaces_at_its_very_end_is_released_at_once) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    std::thread([] {
        struct several_last_words {
            ~several_last_words() {
                for (atomic_shared_ptr<object>& each : places) each.store(nullptr);
            }
            std::array<atomic_shared_ptr<object>, 5> places;
        };
        static thread_local several_last_words words;
        for (atomic_shared_ptr<object>& each : words.places) each.store(make_shared<object>());
        static_cast<void>(
            words.places[0].snapshot());  // what the thread knows of atomic pointers ends before the words
    }).join();
    EXPECT_EQ(alive(), 0);
}

namespace {

// Its destructor replaces what the next place has. It counts itself, and so is not one that Freehold keeps from
// nesting.
struct chained {
    ~chained() {
        most_nested = std::max(most_nested, ++nested);
        if (next != nullptr) next->store(nullptr);
        --nested;
    }

    friend void intrusive_ptr_add_ref(chained* counted) noexcept { ++counted->owners; }
    friend void intrusive_ptr_release(chained* counted) noexcept {
        if (--counted->owners == 0) delete counted;
    }

    freehold::atomic_intrusive_ptr<chained>* next;
    std::atomic<int> owners = 0;

    static inline int nested = 0;
    static inline int most_nested = 0;
};

}  // namespace

TEST_F(deferred_releases, destructors_do_not_nest_that_replace_more_at_the_very_end_of_a_thread) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    std::vector<freehold::atomic_intrusive_ptr<chained>> places(1000);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool is_last = i + 1 == places.size();
        places[i].store(freehold::intrusive_ptr<chained>(new chained{is_last ? nullptr : &places[i + 1]}));
    }
    std::thread([&places] {
        struct late {
            ~late() { place->store(nullptr); }
            freehold::atomic_intrusive_ptr<chained>* place;
        };
        static thread_local late words;
        words.place = &places[0];
        static_cast<void>(places[0].load());  // the thread's slots end before the words
    }).join();
    EXPECT_EQ(places.back().load(), nullptr);
    EXPECT_EQ(chained::most_nested, 1);
}

// The end of each object is the end of the next one's place.
TEST_F(deferred_releases, a_chain_is_released_at_once) {
    struct link : support::tracked {
        atomic_shared_ptr<link> next;
    };
    atomic_shared_ptr<link> first;
    std::thread([&] {
        for (int i = 0; i < 10'000; ++i) {
            const auto added = make_shared<link>();
            added->next = first.load();
            first.store(added);
        }
        first.store(nullptr);
    }).join();
    freehold::flush_deferred_releases();
    EXPECT_EQ(alive(), 0);
}

// A thread that has stored and then idles: it keeps values that it has replaced, as its last fence was just before.
class idle_thread {
public:
    explicit idle_thread(atomic_shared_ptr<object>& atomic, int stores = 3)
        : thread_([this, &atomic, stores] {
              for (int i = 0; i < stores; ++i) atomic.store(make_shared<object>());
              has_stored_.count_down();
              is_over_.wait();
          }) {
        has_stored_.wait();
    }

    idle_thread(const idle_thread&) = delete;
    idle_thread& operator=(const idle_thread&) = delete;
    ~idle_thread() {
        is_over_.count_down();
        thread_.join();
    }

private:
    std::latch has_stored_{1};
    std::latch is_over_{1};
    std::thread thread_;
};

TEST_F(deferred_releases, a_flush_releases_what_an_idle_thread_has_deferred) {
    atomic_shared_ptr<object> atomic;
    const idle_thread idle(atomic);
    EXPECT_GT(alive(), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    freehold::flush_deferred_releases();
    EXPECT_EQ(alive(), 1);
}

// A store takes over a thousand, and a flush the rest.
TEST_F(deferred_releases, a_flush_releases_what_a_store_has_left_with_an_idle_thread) {
    atomic_shared_ptr<object> atomic;
    const idle_thread idle(atomic, 3000);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    atomic_shared_ptr<int> other;
    other.store(make_shared<int>(1));
    other.store(make_shared<int>(2));
    freehold::flush_deferred_releases();
    EXPECT_EQ(alive(), 1);
}

TEST_F(deferred_releases, what_an_idle_thread_has_deferred_a_thread_releases_that_goes_on_storing) {
    atomic_shared_ptr<object> atomic;
    const idle_thread idle(atomic);
    atomic_shared_ptr<int> other;
    for (int i = 0; alive() > 1 && i < 2000; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        other.store(make_shared<int>(i));
    }
    EXPECT_EQ(alive(), 1);
}
