// Random programs of several threads on one graph of a shared_traced_heap. What a thread reaches is alive; whenever all
// have stopped and one has collected, exactly that is alive which can be reached.

#include <gtest/gtest.h>
#include <freehold/diagnosis/traced_snapshot.hpp>
#include <freehold/traced/atomic_traced_ptr.hpp>
#include <freehold/traced/shared_traced_heap.hpp>
#include <freehold/traced/traced_root.hpp>
#include <freehold/traced/traced_vector.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>
#include <freehold/tracing/traces_concurrently.hpp>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "support/effort.hpp"
#include "support/threads.hpp"

using freehold::atomic_traced_ptr;
using freehold::shared_traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_vector;
using freehold::traced_view;
using freehold::traced_weak_ptr;

namespace {

constexpr int sharing_threads = 3;

std::atomic<int> alive_shared_nodes = 0;  // relaxed: the rounds order what is compared

struct shared_node {
    static constexpr unsigned whole = 0x600d'600d;

    shared_node() { alive_shared_nodes.fetch_add(1, std::memory_order_relaxed); }
    shared_node(traced_view<shared_node> a, traced_view<shared_node> b) : edges{a, b} {
        alive_shared_nodes.fetch_add(1, std::memory_order_relaxed);
    }
    shared_node(const shared_node&) = delete;
    shared_node& operator=(const shared_node&) = delete;
    virtual ~shared_node() {
        alive_shared_nodes.fetch_sub(1, std::memory_order_relaxed);
        canary = 0;
    }

    void trace(auto& visit) const { visit(edges, own); }

    [[nodiscard]] virtual const std::vector<traced_ptr<shared_node>>* buffer() const { return nullptr; }

    std::array<atomic_traced_ptr<shared_node>, 2> edges;
    traced_vector<traced_ptr<shared_node>> own;  // of the thread that has made it, before others know of it
    unsigned canary = whole;
};

// No helper may trace it.
struct shared_node_with_buffer : shared_node {
    void trace(auto& visit) const {
        shared_node::trace(visit);
        visit(outside);
    }

    [[nodiscard]] const std::vector<traced_ptr<shared_node>>* buffer() const override { return &outside; }

    std::vector<traced_ptr<shared_node>> outside;
};

}  // namespace

template <>
inline constexpr bool freehold::traces_concurrently<shared_node> = true;

namespace {

struct shared_table {
    std::array<atomic_traced_ptr<shared_node>, 100> places;
};

class graph_worker {
public:
    graph_worker(shared_traced_heap& heap, const traced_root<shared_table>& shared, unsigned seed)
        : heap_(heap), shared_(shared), random_(seed) {}

    void run(int steps) {
        for (int left = steps; left > 0;) {
            shared_traced_heap::session session(heap_);
            const traced_local<shared_table> places = traced_view<shared_table>(shared_.get());
            std::array<traced_local<shared_node>, 4> known;
            traced_weak_ptr<shared_node> weak;
            for (int i = 0; i < 200 && left > 0; ++i, --left) step(session, *places, known, weak);
        }
    }

private:
    std::size_t any(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }

    static void expect_whole(const shared_node* object) {
        ASSERT_TRUE(object == nullptr || object->canary == shared_node::whole);
    }

    atomic_traced_ptr<shared_node>& any_place(shared_table& places, std::array<traced_local<shared_node>, 4>& known) {
        const traced_local<shared_node>& of = known[any(known.size())];
        return of && any(2) == 0 ? of->edges[any(2)] : places.places[any(places.places.size())];
    }

    void step(shared_traced_heap::session& session, shared_table& places,
              std::array<traced_local<shared_node>, 4>& known, traced_weak_ptr<shared_node>& weak) {
        traced_local<shared_node>& some = known[any(known.size())];
        atomic_traced_ptr<shared_node>& place = any_place(places, known);
        switch (any(16)) {
            case 0:
            case 1:
            case 2:
            case 3: some = heap_.make<shared_node>(known[any(4)], known[any(4)]); break;
            case 4: some = make_with_vector(known); break;
            case 5:
            case 6: some = place.load(); break;
            case 7:
            case 8: place.store(some); break;
            case 9: place = nullptr; break;
            case 10: some = place.exchange(some); break;
            case 11: {
                traced_view<shared_node> expected = place.load();
                place.compare_exchange_strong(expected, some);
                expect_whole(expected.get());
                break;
            }
            case 12: walk(place.load()); break;
            case 13: weak = some; break;
            case 14: some = weak.lock(); break;
            default: any(20) == 0 ? take_snapshot(known) : stop(session);
        }
        expect_whole(some.get());
    }

    void take_snapshot(const std::array<traced_local<shared_node>, 4>& known) {
        const freehold::heap_snapshot snapshot = freehold::snapshot_of(heap_);
        for (const traced_local<shared_node>& each : known) {
            ASSERT_TRUE(!each || snapshot.is_held(snapshot.at(each.get())));
        }
    }

    traced_local<shared_node> make_with_vector(const std::array<traced_local<shared_node>, 4>& known) {
        if (any(4) != 0) {
            const traced_local<shared_node> made = heap_.make<shared_node>();
            for (std::size_t i = any(20); i > 0; --i) made->own.push_back(known[any(4)]);
            return made;
        }
        const traced_local<shared_node_with_buffer> made = heap_.make<shared_node_with_buffer>();
        for (std::size_t i = any(4); i > 0; --i) made->outside.push_back(known[any(4)]);
        return made;
    }

    void walk(traced_view<shared_node> from) {
        for (int i = 0; i < 20 && from; ++i) {
            expect_whole(from.get());
            for (const traced_ptr<shared_node>& each : from->own) expect_whole(each.get());
            from = from->edges[any(2)].load();
        }
    }

    void stop(shared_traced_heap::session& session) {
        if (any(100) == 0) return any(2) == 0 ? heap_.collect() : heap_.trim();  // so rarely that cycles end
        switch (any(8)) {
            case 1: heap_.collect_young(); break;
            case 2: heap_.collect_if_due(); break;
            case 3: {
                const shared_traced_heap::pause waiting(session);
                std::this_thread::yield();
                break;
            }
            default: session.safepoint();
        }
    }

    shared_traced_heap& heap_;
    const traced_root<shared_table>& shared_;
    std::minstd_rand random_;
};

int count_reachable(const shared_table& from, const shared_node* old) {
    std::unordered_set<const shared_node*> found;
    std::vector<const shared_node*> left;
    const auto add = [&](const shared_node* each) {
        if (each != nullptr && found.insert(each).second) left.push_back(each);
    };
    add(old);
    for (const auto& each : from.places) add(each.get());
    while (!left.empty()) {
        const shared_node* const next = left.back();
        left.pop_back();
        for (const auto& each : next->edges) add(each.get());
        for (const auto& each : next->own) add(each.get());
        if (next->buffer() == nullptr) continue;
        for (const auto& each : *next->buffer()) add(each.get());
    }
    return static_cast<int>(found.size());
}

bool has_no_garbage(const freehold::heap_snapshot& snapshot) {
    for (std::size_t i = 0; i < snapshot.size(); ++i) {
        if (!snapshot.is_held(i)) return false;
    }
    return true;
}

// With old objects a helper has something to do.
void run_programs(traced_heap_options options, int rounds, int steps, int old_objects = 0) {
    shared_traced_heap heap(std::move(options));
    std::optional<shared_traced_heap::session> first(std::in_place, heap);
    traced_root<shared_table> shared = heap.make<shared_table>();
    traced_root<shared_node> old;
    for (int i = 0; i < old_objects; ++i) old = heap.make<shared_node>(old, nullptr);
    first.reset();
    for (int round = 0; round < rounds; ++round) {
        support::in_threads(sharing_threads, [&](int number) {
            graph_worker(heap, shared, static_cast<unsigned>(round * sharing_threads + number + 1)).run(steps);
        });
        const shared_traced_heap::session session(heap);
        heap.collect();
        ASSERT_EQ(alive_shared_nodes.load(std::memory_order_relaxed), count_reachable(*shared, old.get()));
        ASSERT_TRUE(has_no_garbage(freehold::snapshot_of(heap)));
    }
    const shared_traced_heap::session last(heap);
    shared.reset();
    old.reset();
    heap.collect();
    EXPECT_EQ(alive_shared_nodes.load(std::memory_order_relaxed), 0);
}

}  // namespace

TEST(shared_traced_heap, what_is_reached_is_alive) {
    run_programs({.nursery_bytes = 64 * 1024}, 5, support::effort(20000, 2000));
}

TEST(shared_traced_heap, it_collects_at_every_allocation) {
    run_programs({.collect_at_every_allocation = true}, 2, support::effort(400, 200));
}

TEST(shared_traced_heap, it_has_a_limit) {
    run_programs({.nursery_bytes = 64 * 1024, .limit_bytes = std::size_t{64} << 20}, 2, support::effort(10000, 1000));
}

TEST(shared_traced_heap, a_helper_marks) {
    int cycles = 0;
    run_programs({.nursery_bytes = 64 * 1024,
                  .growth_factor = 1.1,
                  .min_full_bytes = 128 * 1024,
                  .pause_budget = 64,
                  .helper = true,
                  .on_collection =
                      [&cycles](const freehold::traced_collection& each) {
                          cycles += each.kind == freehold::traced_pause::last_step ? 1 : 0;
                      }},
                 3, support::effort(10000, 2000), 20'000);
    EXPECT_GT(cycles, 0);
}

namespace {

struct shared_array_holder {
    atomic_traced_ptr<freehold::traced_array<atomic_traced_ptr<shared_node>>> array;
};

// Effects: threads store nodes far in one array, replace the array, and follow it.
void fill_a_large_array(shared_traced_heap& heap, const traced_root<shared_array_holder>& holder, unsigned seed,
                        int steps) {
    constexpr std::size_t size = std::size_t{1} << 20;  // 8 MiB
    const shared_traced_heap::session session(heap);
    auto& at = holder->array;
    std::minstd_rand random(seed);
    for (int i = 0; i < steps; ++i) {
        const traced_local<freehold::traced_array<atomic_traced_ptr<shared_node>>> all = at.load();
        if (!all || random() % 64 == 0) {
            at.store(heap.make_array<atomic_traced_ptr<shared_node>>(size));
            continue;
        }
        atomic_traced_ptr<shared_node>& place = (*all)[random() % 32 * (size / 32)];
        const traced_local<shared_node> seen = place.load();
        ASSERT_TRUE(!seen || seen->canary == shared_node::whole);
        place.store(heap.make<shared_node>(seen, nullptr));
        if (random() % 8 == 0) place = nullptr;
        if (random() % 64 == 0) heap.collect();
    }
}

}  // namespace

TEST(shared_traced_heap, large_arrays_are_shared) {
    shared_traced_heap heap({.nursery_bytes = 64 * 1024});
    std::optional<shared_traced_heap::session> first(std::in_place, heap);
    traced_root<shared_array_holder> holder = heap.make<shared_array_holder>();
    first.reset();
    support::in_threads(sharing_threads, [&](int number) {
        fill_a_large_array(heap, holder, static_cast<unsigned>(number) + 1, support::effort(2000, 300));
    });
    const shared_traced_heap::session session(heap);
    holder.reset();
    heap.collect();
    EXPECT_EQ(alive_shared_nodes.load(std::memory_order_relaxed), 0);
}

namespace {

struct shared_text {
    std::vector<std::string> lines;
};

struct shared_texts {
    std::array<traced_ptr<shared_text>, 16> places;  // of which each text is in one; the mutex is for all
};

// Effects: makes texts, and changes those of others.
void write_texts(shared_traced_heap& heap, const traced_root<shared_texts>& texts, std::mutex& mutex, unsigned seed) {
    shared_traced_heap::session session(heap);
    std::minstd_rand random(seed);
    for (int i = support::effort(5000, 500); i > 0; --i) {
        const traced_local<shared_text> made = heap.make<shared_text>();
        const auto held = session.lock(mutex);
        texts->places[random() % texts->places.size()] = made;
        const traced_ptr<shared_text>& other = texts->places[random() % texts->places.size()];
        if (other) other->lines.assign(random() % 20, std::string(1000, 'x'));
    }
}

}  // namespace

TEST(shared_traced_heap, objects_that_other_sessions_change_are_asked_what_they_own) {
    std::size_t most = 0;
    shared_traced_heap heap({.on_collection = [&most](const freehold::traced_collection& each) {
        if (each.external_bytes > most) most = each.external_bytes;
    }});
    std::optional<shared_traced_heap::session> first(std::in_place, heap);
    traced_root<shared_texts> texts = heap.make<shared_texts>();
    first.reset();
    std::mutex mutex;
    support::in_threads(sharing_threads,
                        [&](int number) { write_texts(heap, texts, mutex, static_cast<unsigned>(number) + 1); });
    const shared_traced_heap::session session(heap);
    EXPECT_LE(most, std::size_t{1} << 20) << "in 16 places";
    texts.reset();
}

TEST(shared_traced_heap, any_thread_asks_for_its_size) {
    std::atomic<bool> has_ended = false;  // relaxed: only this is exchanged
    shared_traced_heap heap({.nursery_bytes = 64 * 1024});
    support::in_threads(sharing_threads, [&](int number) {
        if (number == 0) {
            while (!has_ended.load(std::memory_order_relaxed))
                ASSERT_LE(heap.live_bytes() + heap.external_bytes(), heap.heap_bytes());
            return;
        }
        const shared_traced_heap::session session(heap);
        for (int i = 0; i < 20'000; ++i) heap.make<shared_text>()->lines.reserve(1);
        has_ended.store(true, std::memory_order_relaxed);
    });
}

TEST(shared_traced_heap, the_time_to_stop_is_part_of_the_pause) {
    int collections = 0;
    const auto began = std::chrono::steady_clock::now();
    shared_traced_heap heap({.on_collection = [&collections, began](const freehold::traced_collection& each) {
        EXPECT_GE(each.started, began);
        EXPECT_GT(each.stopping.count(), 0);
        EXPECT_LE(each.stopping, each.pause);
        ++collections;
    }});
    support::in_threads(sharing_threads, [&heap](int) {
        const shared_traced_heap::session session(heap);
        for (int i = 0; i < 10; ++i) heap.collect();
    });
    EXPECT_EQ(collections, 10 * sharing_threads);
}
