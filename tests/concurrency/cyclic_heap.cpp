// Threads that share a heap of collected objects, give each other pointers and make cycles of them: every object is
// destroyed once, by the thread that made it as long as that has its session, and what somebody owns is whole.

#include <gtest/gtest.h>
#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <list>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/relaxed_flag.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

using freehold::concurrent_cyclic_ptr;
using freehold::concurrent_cyclic_weak_ptr;
using freehold::cyclic_heap;
using support::in_threads;

namespace {

constexpr int threads = 3;

// Knows who made it, and says so when it ends elsewhere.
struct node {
    node() = default;
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    ~node() {
        if (std::this_thread::get_id() != maker) strangers.fetch_add(1, std::memory_order_relaxed);
        sound = 0;
    }

    void trace(auto& visit) const { visit(first, others); }

    concurrent_cyclic_ptr<node> first;
    std::vector<concurrent_cyclic_ptr<node>> others;
    support::tracked part;
    std::thread::id maker = std::this_thread::get_id();
    std::uint32_t sound = 0x50f7;

    static inline std::atomic<int> strangers = 0;  // objects that did not end where they were made
};

// Makes objects at its end.
struct maker {
    explicit maker(cyclic_heap* its_heap) : heap(its_heap) {}
    maker(const maker&) = delete;
    maker& operator=(const maker&) = delete;
    ~maker() {
        for (int i = 0; i < 3; ++i) static_cast<void>(heap->make<node>());
    }

    void trace(auto&) const {}

    cyclic_heap* heap;
};

struct parent {
    concurrent_cyclic_ptr<parent> self;
    std::list<concurrent_cyclic_ptr<maker>> children;
    support::tracked part;
};

// A place where threads leave pointers for each other.
class exchange {
public:
    // Effects: what was there is the caller's now, and the other way round.
    void swap(concurrent_cyclic_ptr<node>& with, cyclic_heap::session& session, std::size_t place) {
        const auto held = session.lock(mutex_);
        places_[place % places_.size()].swap(with);
    }

    // Returns: an owner of what is there.
    concurrent_cyclic_ptr<node> copy(cyclic_heap::session& session, std::size_t place) {
        const auto held = session.lock(mutex_);
        return places_[place % places_.size()];
    }

    void point_weakly(concurrent_cyclic_weak_ptr<node>& weak, cyclic_heap::session& session, std::size_t place) {
        const auto held = session.lock(mutex_);
        weak = places_[place % places_.size()];
    }

    void clear() {
        for (auto& place : places_) place.reset();
    }

private:
    std::mutex mutex_;
    std::array<concurrent_cyclic_ptr<node>, 16> places_;
};

class cyclic_heap_concurrency : public support::tracked_test {
protected:
    void SetUp() override {
        support::tracked_test::SetUp();
        node::strangers = 0;
    }

    // Effects: calls work(thread, session) in threads; their sessions end when all have done their work, after
    // everything was collected.
    template <class Work>
    void in_sessions(Work work) {
        int rounds = 0;
        bool is_over = false;
        std::barrier all(threads, [&]() noexcept {
            is_over = support::tracked::alive() == 0 || rounds == max_rounds;
            ++rounds;
        });
        in_threads(threads, [&](int thread) {
            cyclic_heap::session session(heap);
            work(thread, session);
            wait_for_others(all, session);
            if (thread == 0) at.clear();
            while (!is_over) {
                heap.collect();
                wait_for_others(all, session);
            }
        });
    }

    // An object that a session destroys may release another session's, which may release a third one's: each takes a
    // safepoint of its session.
    static constexpr int max_rounds = 100;

    static void wait_for_others(auto& all, cyclic_heap::session& session) {
        const cyclic_heap::pause waiting(session);
        all.arrive_and_wait();
    }

    struct object_with_weak {
        concurrent_cyclic_ptr<node> owner;
        concurrent_cyclic_weak_ptr<node> weak;
    };

    static constexpr std::size_t race_length = 5'000;

    void make_with_weak(std::vector<object_with_weak>& objects) {
        for (object_with_weak& each : objects) {
            each.owner = heap.make<node>();
            each.weak = each.owner;
        }
    }

    // Effects: the first thread releases the owners one by one, while the second locks their weak pointers.
    static void race(int thread, cyclic_heap::session& session, std::vector<object_with_weak>& objects,
                     std::atomic<std::size_t>& turn, std::atomic<std::size_t>& done) {
        for (std::size_t i = 0; i < objects.size(); ++i) {
            if (thread == 0) {
                turn.store(i + 1);
                objects[i].owner.reset();
                wait_until(session, [&] { return done.load() > i; });
            } else {
                wait_until(session, [&] { return turn.load() > i; });
                const auto locked = objects[i].weak.lock();
                std::this_thread::yield();  // so that it is still owned when the other one has found it unowned
                EXPECT_TRUE(!locked || locked->sound == 0x50f7U);
                done.store(i + 1);
            }
        }
    }

    template <class Condition>
    static void wait_until(cyclic_heap::session& session, Condition condition) {
        while (!condition()) {
            session.safepoint();
            std::this_thread::yield();
        }
    }

    cyclic_heap heap;
    exchange at;
};

}  // namespace

TEST_F(cyclic_heap_concurrency, every_object_is_destroyed_once_by_the_session_that_made_it) {
    in_sessions([this](int thread, cyclic_heap::session& session) {
        std::mt19937 random(static_cast<unsigned>(thread));
        std::vector<concurrent_cyclic_ptr<node>> mine(8);
        for (int step = 0; step < 100'000; ++step) {
            auto& one = mine[random() % mine.size()];
            const auto& other = mine[random() % mine.size()];
            switch (random() % 8) {
                case 0:
                case 1: one = heap.make<node>(); break;
                case 2:
                case 3: at.swap(one, session, random()); break;
                case 4: one = at.copy(session, random()); break;
                case 5: one.reset(); break;
                case 6: one = other; break;
                case 7:
                    // Only its maker changes an object, and only he looks into it.
                    if (one && one->maker == std::this_thread::get_id()) {
                        if (one->others.size() < 4) {
                            one->others.push_back(other);
                        } else {
                            one->others.clear();
                        }
                        one->first = one->others.empty() ? nullptr : one->others.front();
                    }
                    break;
            }
            ASSERT_TRUE(!one || one->sound == 0x50f7U);
            if (step % 199 == 0) heap.collect();
            if (step % 7 == 0) session.safepoint();
        }
    });
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_EQ(node::strangers, 0);
}

TEST_F(cyclic_heap_concurrency, a_weak_pointer_locks_a_live_object_or_nothing) {
    std::atomic<int> locked = 0;
    in_sessions([&](int thread, cyclic_heap::session& session) {
        std::mt19937 random(static_cast<unsigned>(thread));
        concurrent_cyclic_weak_ptr<node> weak;
        for (int step = 0; step < 50'000; ++step) {
            auto made = heap.make<node>();
            if (random() % 2 == 0) made->first = made;
            at.swap(made, session, random() % 2);
            made.reset();
            at.point_weakly(weak, session, random() % 2);
            session.safepoint();
            if (const auto owner = weak.lock()) {
                ASSERT_EQ(owner->sound, 0x50f7U);
                ++locked;
            }
            if (step % 97 == 0) heap.collect();
        }
    });
    EXPECT_GT(locked, 0);
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_EQ(node::strangers, 0);
}

// One thread releases the last owner of each object while another locks its weak pointer, and releases what it got.
TEST_F(cyclic_heap_concurrency, the_last_owner_is_released_while_a_weak_pointer_is_locked) {
    std::vector<object_with_weak> objects(race_length);
    std::atomic<std::size_t> turn = 0;
    std::atomic<std::size_t> done = 0;
    in_threads(2, [&](int thread) {
        cyclic_heap::session session(heap);
        if (thread == 0) make_with_weak(objects);
        race(thread, session, objects, turn, done);
    });
    EXPECT_EQ(support::tracked::destroyed(), static_cast<int>(race_length));
    EXPECT_EQ(node::strangers, 0);
}

TEST_F(cyclic_heap_concurrency, the_last_owner_of_an_abandoned_object_is_released_while_a_weak_pointer_is_locked) {
    std::vector<object_with_weak> objects(race_length);
    {
        const cyclic_heap::session session(heap);
        make_with_weak(objects);
    }
    std::atomic<std::size_t> turn = 0;
    std::atomic<std::size_t> done = 0;
    in_threads(2, [&](int thread) {
        cyclic_heap::session session(heap);
        race(thread, session, objects, turn, done);
    });
    EXPECT_EQ(support::tracked::destroyed(), static_cast<int>(race_length));
}

TEST_F(cyclic_heap_concurrency, the_last_owner_is_released_while_its_session_ends) {
    constexpr std::size_t sessions = 2'000;
    concurrent_cyclic_ptr<node> handed_over;
    std::atomic<std::size_t> turn = 0;
    std::atomic<std::size_t> done = 0;
    in_threads(2, [&](int thread) {
        std::optional<cyclic_heap::session> session;
        if (thread == 1) session.emplace(heap);
        for (std::size_t i = 0; i < sessions; ++i) {
            if (thread == 0) {
                session.emplace(heap);
                handed_over = heap.make<node>();
                turn.store(i + 1);
                session.reset();
                while (done.load() <= i) std::this_thread::yield();
            } else {
                wait_until(*session, [&] { return turn.load() > i; });
                handed_over.reset();
                done.store(i + 1);
            }
        }
    });
    EXPECT_EQ(support::tracked::destroyed(), int{sessions});
}

// The second thread counts beside the first, whose session finds its owner to be the last.
TEST_F(cyclic_heap_concurrency, the_last_owner_sees_what_another_wrote_before_it_left) {
    concurrent_cyclic_ptr<node> owner;
    std::latch made(2);
    std::latch copied(2);
    support::relaxed_flag left;
    support::relaxed_flag destroyed;
    in_threads(2, [&](int thread) {
        const cyclic_heap::session session(heap);
        if (thread == 0) owner = heap.make<node>();
        made.arrive_and_wait();
        auto copy = thread == 0 ? concurrent_cyclic_ptr<node>() : owner;
        copied.arrive_and_wait();
        if (thread == 0) {
            left.wait();
            owner.reset();
            destroyed.raise();
        } else {
            copy->sound = 1;
            copy.reset();
            left.raise();
            destroyed.wait();
        }
    });
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(cyclic_heap_concurrency, a_container_that_is_being_cleared_is_not_traced) {
    std::atomic<bool> is_over = false;
    in_threads(2, [&](int thread) {
        cyclic_heap::session session(heap);
        if (thread == 1) {
            while (!is_over) heap.collect();
            return;
        }
        auto p = heap.make<parent>();
        p->self = p;
        for (int round = 0; round < 2000; ++round) {
            for (int i = 0; i < 30; ++i) p->children.push_back(heap.make<maker>(&heap));
            static_cast<void>(concurrent_cyclic_ptr<parent>(p));  // a candidate
            p->children.clear();
        }
        is_over = true;
    });
    const cyclic_heap::session session(heap);
    heap.collect();
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_concurrency, sessions_begin_and_end_while_others_use_their_objects) {
    in_threads(threads, [&](int thread) {
        std::mt19937 random(static_cast<unsigned>(thread));
        for (int round = 0; round < 1000; ++round) {
            cyclic_heap::session session(heap);
            for (int step = 0; step < 30; ++step) {
                auto made = heap.make<node>();
                made->first = random() % 2 == 0 ? made : at.copy(session, random());
                at.swap(made, session, random());
                ASSERT_TRUE(!made || made->sound == 0x50f7U);
            }
            if (random() % 8 == 0) heap.collect();
        }
    });
    const cyclic_heap::session session(heap);
    at.clear();
    heap.collect();
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_concurrency, an_object_that_is_handed_over_is_destroyed_when_its_receiver_releases_it) {
    constexpr int objects = 100'000;
    in_sessions([this](int thread, cyclic_heap::session& session) {
        for (int i = 0; i < objects; ++i) {
            concurrent_cyclic_ptr<node> one;
            if (thread == 0) one = heap.make<node>();
            at.swap(one, session, static_cast<std::size_t>(i));
        }
    });
    EXPECT_EQ(support::tracked::destroyed(), objects);
    EXPECT_EQ(node::strangers, 0);
}
