// A full marking in steps, with stores in between: in every order, in small heaps.

#include <freehold/traced/detail/marking_cycle.hpp>

#include <gtest/gtest.h>
#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/effort.hpp"
#include "support/opened_heap.hpp"
#include "support/tracked.hpp"

namespace {

struct marking_cycle_tests;

}  // namespace

template struct support::opened_heap<&freehold::traced_heap::collector_, marking_cycle_tests>;

namespace {

using freehold::ephemeron;
using freehold::traced_collection;
using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_pause;
using freehold::traced_root;
using freehold::traced_weak_ptr;

// Few objects a block, so that a sweep is short under AddressSanitizer.
using padding = std::array<char, 4000>;

// Its edges are in the heap.
struct plain {
    std::array<freehold::traced_ptr<plain>, 2> edges = {};
    padding unused = {};

    [[nodiscard]] auto& edge(std::size_t i) { return edges[i]; }
};

// Its edges are in memory that another object may take over.
struct boxed {
    std::unique_ptr<std::array<freehold::traced_ptr<boxed>, 2>> edges =
        std::make_unique<std::array<freehold::traced_ptr<boxed>, 2>>();
    padding unused = {};

    [[nodiscard]] auto& edge(std::size_t i) { return (*edges)[i]; }
};

// Its edges are in the heap, as its class declares. It has a destructor and a `trace`.
struct declared {
    void trace(auto& visit) const { visit(edges); }
    [[nodiscard]] auto& edge(std::size_t i) { return edges[i]; }

    std::array<freehold::traced_ptr<declared>, 2> edges = {};
    std::string name = {};
    padding unused = {};
};

}  // namespace

template <>
inline constexpr bool freehold::points_directly<declared> = true;

namespace {

enum class act { step, young, store, cut, make, exchange, root, unroot };

struct operation {
    act what;
    std::size_t from;
    std::size_t edge;
    std::size_t to;
};

constexpr std::size_t objects = 4;  // the last one is made while the cycle runs
constexpr std::size_t made = objects - 1;

std::vector<operation> all_operations(bool with_exchange) {
    std::vector<operation> all = {{act::step, 0, 0, 0}, {act::young, 0, 0, 0}, {act::unroot, 0, 0, 0}};
    for (std::size_t from = 0; from < objects; ++from) {
        all.push_back({act::cut, from, 0, 0});
        for (std::size_t to = 0; to < objects; ++to) {
            if (from == to) continue;
            all.push_back({to == made ? act::make : act::store, from, 1, to});
            if (with_exchange && from < to) all.push_back({act::exchange, from, 0, to});
        }
        if (from != 0) all.push_back({act::root, 0, 0, from});
    }
    return all;
}

// A chain of three old objects, 0 to 1 to 2, of which 0 has a root, when a cycle begins.
template <class Node>
class small_heap {
public:
    explicit small_heap(const traced_heap_options& options) : heap_(options) {}

    // Returns: whether the operations could be done, one after the other.
    bool run(const std::vector<operation>& operations) {
        begin();
        bool possible = true;
        for (const operation& each : operations) {
            possible = possible && is_possible(each);
            if (possible) perform(each);
        }
        if (possible) check();
        for (auto& root : roots_) root.reset();
        heap_.collect();
        return possible;
    }

private:
    using edges = std::array<std::optional<std::size_t>, 2>;

    void begin() {
        weak_ = {};
        model_ = {};
        rooted_ = {0, std::nullopt};
        was_made_ = false;
        for (std::size_t i = 0; i < made; ++i) {
            roots_[i] = heap_.template make<Node>();
            weak_[i] = roots_[i];
        }
        store(1, 0, 2);
        store(0, 0, 1);
        heap_.collect_young();
        roots_[1].reset();
        roots_[2].reset();
        support::collector_of(heap_).begin_cycle();
        heap_.collect_young();
    }

    [[nodiscard]] std::set<std::size_t> reachable() const {
        std::set<std::size_t> found;
        std::vector<std::size_t> open;
        const auto reach = [&](const std::optional<std::size_t>& to) {
            if (to && found.insert(*to).second) open.push_back(*to);
        };
        for (const auto& root : rooted_) reach(root);
        while (!open.empty()) {
            const edges from = model_[open.back()];
            open.pop_back();
            for (const auto& to : from) reach(to);
        }
        return found;
    }

    [[nodiscard]] bool is_possible(const operation& each) const {
        const std::set<std::size_t> live = reachable();
        switch (each.what) {
            case act::step:
            case act::young: return true;
            case act::store:
            case act::exchange: return live.contains(each.from) && live.contains(each.to);
            case act::cut: return live.contains(each.from) && model_[each.from][0];
            case act::make: return live.contains(each.from) && !was_made_;
            case act::root: return live.contains(each.to);
            case act::unroot: return rooted_[1].has_value();
        }
        return false;
    }

    void perform(const operation& each) {
        switch (each.what) {
            case act::step: support::collector_of(heap_).step(1); break;
            case act::young: heap_.collect_young(); break;
            case act::store: store(each.from, each.edge, each.to); break;
            case act::cut:
                node(each.from)->edge(0) = nullptr;
                model_[each.from][0].reset();
                break;
            case act::make: {
                const auto fresh = heap_.template make<Node>();
                weak_[made] = fresh;
                was_made_ = true;
                store(each.from, each.edge, made);
                break;
            }
            case act::exchange:
                std::swap(node(each.from)->edges, node(each.to)->edges);
                std::swap(model_[each.from], model_[each.to]);
                break;
            case act::root:
                roots_[1] = node(each.to);
                rooted_[1] = each.to;
                break;
            case act::unroot:
                roots_[1].reset();
                rooted_[1].reset();
                break;
        }
    }

    void store(std::size_t from, std::size_t edge, std::size_t to) {
        node(from)->edge(edge) = node(to);
        model_[from][edge] = to;
    }

    [[nodiscard]] auto node(std::size_t i) const { return weak_[i].lock(); }

    void check() {
        ASSERT_TRUE(support::finish_cycle(heap_)) << "the cycle does not end";
        ASSERT_NO_FATAL_FAILURE(expect_all_that_is_reachable());
        heap_.collect_young();  // a young collection keeps what a dead old object points to, also the last one of a
                                // cycle
        support::collector_of(heap_).begin_cycle();
        ASSERT_TRUE(support::finish_cycle(heap_)) << "the second cycle does not end";
        ASSERT_NO_FATAL_FAILURE(expect_all_that_is_reachable());
        const std::set<std::size_t> live = reachable();
        for (std::size_t i = 0; i < objects; ++i) {
            ASSERT_TRUE(live.contains(i) || weak_[i].expired()) << i << " is dead, and was kept";
        }
    }

    void expect_all_that_is_reachable() {
        for (const std::size_t i : reachable()) {
            ASSERT_FALSE(weak_[i].expired()) << i << " was freed";
            for (std::size_t edge = 0; edge < 2; ++edge) {
                const auto to = model_[i][edge];
                ASSERT_EQ(node(i)->edge(edge), to ? node(*to) : nullptr) << i;
            }
        }
    }

    traced_heap heap_;
    std::array<traced_root<Node>, made> roots_;
    std::array<std::optional<std::size_t>, 2> rooted_;
    std::array<traced_weak_ptr<Node>, objects> weak_;
    std::array<edges, objects> model_;
    bool was_made_ = false;
};

std::string text(const std::vector<operation>& operations) {
    constexpr std::array names = {"step", "young", "store", "cut", "make", "exchange", "root", "unroot"};
    std::string all;
    for (const operation& each : operations) {
        all += std::string(names[static_cast<std::size_t>(each.what)]) + ' ' + std::to_string(each.from) + ' ' +
               std::to_string(each.to) + "; ";
    }
    return all;
}

// Effects: runs all sequences of `length` operations; with reduced effort one in 13, a number that is
// coprime to that of the operations.
template <class Node>
void run_all(std::size_t length, bool with_exchange) {
    traced_heap_options options;
    options.pause_budget = 1;
    small_heap<Node> heap(options);
    const std::vector<operation> all = all_operations(with_exchange);
    std::vector<std::size_t> chosen(length, 0);
    const std::size_t stride = support::effort<std::size_t>(1, 13);
    std::size_t programs = 0;
    for (std::size_t i = 0;; ++i) {
        if (i % stride == 0) {
            std::vector<operation> operations;
            for (const std::size_t place : chosen) operations.push_back(all[place]);
            if (heap.run(operations)) ++programs;
            ASSERT_FALSE(testing::Test::HasFailure()) << text(operations);
        }
        std::size_t last = length;
        while (last != 0 && ++chosen[last - 1] == all.size()) chosen[--last] = 0;
        if (last == 0) break;
    }
    EXPECT_GT(programs * stride, all.size() * all.size());
}

}  // namespace

namespace {

// A sweep tells AddressSanitizer of each cell, which takes fifty times as long as the rest.
constexpr std::size_t longest =
#ifdef FREEHOLD_ADDRESS_SANITIZER
    3;
#else
    4;
#endif

}  // namespace

TEST(marking_cycle, steps_and_stores_in_any_order_lose_nothing) { run_all<plain>(longest, false); }

TEST(marking_cycle, buffers_that_are_exchanged_between_steps_lose_nothing) { run_all<boxed>(3, true); }

TEST(marking_cycle, pointers_that_are_exchanged_between_steps_lose_nothing) {
    run_all<plain>(3, true);
    run_all<declared>(3, true);
}

namespace {

struct chained {
    int value = 0;
    freehold::traced_ptr<chained> next = {};
};

struct counted : support::tracked {
    void trace(auto& visit) const { visit(next); }
    freehold::traced_ptr<counted> next = {};
};

// Effects: begins a cycle, and goes on until all is marked, but nothing is swept.
void mark_all(traced_heap& heap) {
    heap.collect_young();
    freehold::detail::traced_collector& collector = support::collector_of(heap);
    collector.begin_cycle();
    for (int i = 0; i < 100; ++i) heap.collect_young();
}

traced_heap_options smallest_steps() {
    traced_heap_options options;
    options.pause_budget = 1;
    return options;
}

template <class T>
traced_local<T> list_of(traced_heap& heap, int length) {
    traced_local<T> list;
    for (int i = 0; i < length; ++i) {
        const traced_local<T> next = list;
        list = heap.make<T>();
        list->next = next;
    }
    return list;
}

class swept_cycle : public support::tracked_test {};

}  // namespace

TEST_F(swept_cycle, dead_objects_are_destroyed_in_steps) {
    traced_heap heap(smallest_steps());
    traced_local<counted> list = list_of<counted>(heap, 10'000);
    heap.collect_young();
    list->next = nullptr;
    mark_all(heap);
    EXPECT_EQ(support::tracked::destroyed(), 0);
    for (int i = 0; i < 100 && support::tracked::destroyed() == 0; ++i) support::collector_of(heap).step(1);
    EXPECT_GT(support::tracked::destroyed(), 0);
    EXPECT_LT(support::tracked::destroyed(), 9'999);
    EXPECT_TRUE(support::finish_cycle(heap));
    EXPECT_EQ(support::tracked::destroyed(), 9'999);
}

TEST_F(swept_cycle, nothing_is_made_where_dead_objects_wait_for_their_destructor) {
    traced_heap heap(smallest_steps());
    traced_local<counted> list = list_of<counted>(heap, 1000);
    heap.collect_young();
    list = nullptr;
    mark_all(heap);
    EXPECT_EQ(support::tracked::alive(), 1000);
    for (int i = 0; i < 10; ++i) {
        const traced_local<counted> fresh = heap.make_unrooted<counted>();
        EXPECT_EQ(support::tracked::alive() + support::tracked::destroyed(), 1000 + i + 1);
        heap.collect_young();
    }
}

TEST_F(swept_cycle, a_collection_finishes_the_sweep) {
    traced_heap heap(smallest_steps());
    traced_local<counted> list = list_of<counted>(heap, 1000);
    heap.collect_young();
    list = nullptr;
    mark_all(heap);
    heap.collect();
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_FALSE(support::collector_of(heap).has_steps());
}

TEST_F(swept_cycle, a_collection_takes_the_place_of_a_cycle) {
    traced_heap heap(smallest_steps());
    traced_local<counted> list = list_of<counted>(heap, 1000);
    heap.collect_young();
    support::collector_of(heap).begin_cycle();
    heap.collect_young();
    for (int i = 0; i < 500; ++i) support::collector_of(heap).step(1);
    list = list->next;
    heap.collect();
    EXPECT_EQ(support::tracked::alive(), 999);
    list = nullptr;
    support::collector_of(heap).begin_cycle();  // what the first one had reached is forgotten
    EXPECT_TRUE(support::finish_cycle(heap));
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(swept_cycle, what_it_reached_is_forgotten_by_the_next_one) {
    traced_heap heap(smallest_steps());
    traced_local<counted> list = list_of<counted>(heap, 1000);
    mark_all(heap);
    EXPECT_TRUE(support::finish_cycle(heap));
    list = nullptr;
    support::collector_of(heap).begin_cycle();
    EXPECT_TRUE(support::finish_cycle(heap));
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(swept_cycle, the_heap_may_be_destroyed_within) {
    for (const int steps : {0, 1, 100, 2000}) {
        traced_heap heap(smallest_steps());
        traced_local<counted> list = list_of<counted>(heap, 1000);
        list = list->next->next;
        heap.collect_young();
        support::collector_of(heap).begin_cycle();
        heap.collect_young();
        for (int i = 0; i < steps; ++i) support::collector_of(heap).step(1);
        heap.collect_young();
    }
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(swept_cycle, large_objects_are_destroyed) {
    struct large {
        support::tracked one = {};
        std::array<char, 50'000> bytes = {};
    };
    traced_heap heap(smallest_steps());
    std::vector<traced_root<large>> roots;
    for (int i = 0; i < 20; ++i) roots.emplace_back(heap.make<large>());
    heap.collect_young();
    for (std::size_t i = 0; i < roots.size(); i += 2) roots[i].reset();
    support::collector_of(heap).begin_cycle();
    const traced_local<large> young = heap.make<large>();
    EXPECT_TRUE(support::finish_cycle(heap));
    EXPECT_EQ(support::tracked::alive(), 11);
    roots.clear();
    support::collector_of(heap).begin_cycle();
    EXPECT_TRUE(support::finish_cycle(heap));
    EXPECT_EQ(support::tracked::alive(), 1);
}

TEST_F(swept_cycle, a_conservative_stack_keeps_no_object_that_waits_for_its_destructor) {
    traced_heap_options options = smallest_steps();
    options.conservative_stack = true;
    traced_heap heap(options);
    std::vector<traced_root<counted>> roots;
    for (int i = 0; i < 1000; ++i) roots.emplace_back(heap.make<counted>());
    std::vector<const counted*> addresses;
    for (const auto& each : roots) addresses.push_back(each.get());
    const std::vector<traced_weak_ptr<counted>> weak(roots.begin(), roots.end());
    heap.collect_young();
    roots.clear();
    mark_all(heap);
    ASSERT_GT(support::tracked::alive(), 900);
    // The cycle keeps objects of which earlier calls have left an address on the stack.
    const auto kept = 1000 - std::ranges::count_if(weak, [](const auto& each) { return each.expired(); });
    ASSERT_LT(kept, 100);
    std::array<const counted*, 1000> on_stack;
    std::copy(addresses.begin(), addresses.end(), on_stack.begin());
    heap.collect_young();
    asm volatile("" : : "m"(on_stack));
    EXPECT_TRUE(support::finish_cycle(heap));
    EXPECT_EQ(support::tracked::alive(), kept);
}

TEST_F(swept_cycle, a_new_object_does_not_keep_a_block_from_being_swept) {
    traced_heap heap(smallest_steps());
    traced_local<counted> list = list_of<counted>(heap, 1000);
    heap.collect_young();
    list = nullptr;
    mark_all(heap);
    ASSERT_TRUE(support::collector_of(heap).has_steps());
    const traced_local<counted> fresh = heap.make_unrooted<counted>();
    while (support::collector_of(heap).has_steps()) support::collector_of(heap).step(1);
    EXPECT_EQ(support::tracked::alive(), 1);
}

TEST(marking_cycle, a_young_collection_that_gives_up_keeps_all_that_a_finalizer_gets) {
    traced_heap heap(smallest_steps());
    const std::size_t length = 100;
    traced_local<chained> list = list_of<chained>(heap, length);
    traced_root<chained> saved;
    heap.add_finalizer(list, [&saved](chained& dying) { saved = dying.next; });
    list = nullptr;
    heap.collect_young();
    for (std::size_t i = 0; i < 1000; ++i) list_of<chained>(heap, 1)->value = -1;  // takes what was freed
    std::size_t intact = 0;
    for (traced_local<chained> each = saved; each && each->value == 0; each = each->next) ++intact;
    EXPECT_EQ(intact, length - 1);
}

TEST(marking_cycle, a_young_collection_that_gives_up_leaves_the_rest_to_the_cycle) {
    traced_heap heap(smallest_steps());
    heap.collect_young();
    support::collector_of(heap).begin_cycle();
    traced_local<chained> list;
    {
        const traced_heap::deferral all_at_once(heap);
        list = list_of<chained>(heap, 100);
    }
    EXPECT_TRUE(support::finish_cycle(heap));
    for (int i = 0; i < 1000; ++i) list_of<chained>(heap, 1)->value = -1;  // takes what was freed
    int intact = 0;
    for (traced_local<chained> each = list; each && each->value == 0; each = each->next) ++intact;
    EXPECT_EQ(intact, 100);
}

TEST(marking_cycle, what_a_dead_object_on_a_card_leads_to_is_dead) {
    traced_heap heap(smallest_steps());
    traced_local<plain> first = heap.make<plain>();
    first->edges[0] = heap.make_unrooted<plain>();
    const traced_weak_ptr<plain> second = first->edges[0];
    heap.collect_young();
    first->edges[1] = heap.make_unrooted<plain>();
    first = nullptr;
    support::collector_of(heap).begin_cycle();
    EXPECT_TRUE(support::finish_cycle(heap));
    EXPECT_TRUE(second.expired());
}

TEST(marking_cycle, clears_weak_pointers_at_its_end) {
    traced_heap heap(smallest_steps());
    const traced_local<chained> list = list_of<chained>(heap, 3);
    const traced_weak_ptr<chained> kept = list->next;
    const traced_weak_ptr<chained> dead = list->next->next;
    heap.collect_young();
    list->next->next = nullptr;
    mark_all(heap);
    EXPECT_FALSE(kept.expired());
    EXPECT_TRUE(dead.expired());
}

TEST(marking_cycle, keeps_the_values_of_ephemerons_with_a_live_key) {
    traced_heap heap(smallest_steps());
    const traced_local<chained> live = heap.make<chained>(1);
    const ephemeron<chained, chained> of_live(live, list_of<chained>(heap, 5));
    const ephemeron<chained, chained> of_value(of_live.value(), heap.make<chained>(2));
    traced_local<chained> dying = heap.make<chained>(3);
    const ephemeron<chained, chained> of_dying(dying, list_of<chained>(heap, 5));
    heap.collect_young();
    dying = nullptr;
    mark_all(heap);
    EXPECT_FALSE(of_live.expired());
    EXPECT_TRUE(of_live.value()->next->next->next->next);
    EXPECT_EQ(of_value.value()->value, 2);
    EXPECT_TRUE(of_dying.expired());
}

TEST(marking_cycle, keeps_what_a_finalizer_gets) {
    traced_heap heap(smallest_steps());
    traced_local<chained> list = list_of<chained>(heap, 5);
    traced_root<chained> saved;
    heap.add_finalizer(list, [&saved](chained& dying) { saved = dying.next; });
    heap.collect_young();
    list = nullptr;
    mark_all(heap);
    ASSERT_TRUE(saved);
    support::collector_of(heap).begin_cycle();
    EXPECT_TRUE(support::finish_cycle(heap));
    EXPECT_TRUE(saved->next->next->next);
}

namespace {

struct named {
    int value = 0;
    freehold::traced_ptr<named> next = {};
    std::string name = {};
};

struct listed {
    explicit listed(int given) : value(given) {}
    void trace(auto& visit) const { visit(next); }

    int value;
    freehold::traced_ptr<listed> next;
    std::string name;
};

struct in_buffer {
    explicit in_buffer(int given) : value(given) {}

    struct link {
        std::vector<freehold::traced_ptr<in_buffer>> buffer = {};
        link& operator=(const freehold::traced_local<in_buffer>& to) {
            buffer.assign(1, to);
            return *this;
        }
    };

    void trace(auto& visit) const { visit(next); }

    int value;
    link next;
};

}  // namespace

template <>
inline constexpr bool freehold::points_directly<listed> = true;

namespace {

template <class Node = chained>
std::vector<traced_collection> pauses_of_a_growing_tree(std::size_t budget) {
    std::vector<traced_collection> pauses;
    traced_heap_options options;
    options.pause_budget = budget;
    options.nursery_bytes = 100'000;
    options.min_full_bytes = 200'000;
    options.on_collection = [&pauses](const traced_collection& one) { pauses.push_back(one); };
    traced_heap heap(options);
    std::vector<traced_root<Node>> lists(100);
    for (int i = 0; i < 100'000; ++i) {
        traced_root<Node>& list = lists[static_cast<std::size_t>(i) * 7919 % lists.size()];
        const traced_local<Node> fresh = heap.make<Node>(i);
        if (i % 1000 > 2) fresh->next = traced_local<Node>(list);
        list = fresh;
    }
    return pauses;
}

bool has(const std::vector<traced_collection>& pauses, traced_pause kind) {
    return std::ranges::count(pauses, kind, &traced_collection::kind) != 0;
}

}  // namespace

TEST(marking_cycle, no_pause_exceeds_the_budget) {
    const std::vector<traced_collection> pauses = pauses_of_a_growing_tree(2000);
    EXPECT_TRUE(has(pauses, traced_pause::young));
    EXPECT_TRUE(has(pauses, traced_pause::mark_step));
    EXPECT_TRUE(has(pauses, traced_pause::last_step));
    EXPECT_TRUE(has(pauses, traced_pause::sweep_step));
    EXPECT_FALSE(has(pauses, traced_pause::full));
    // A young collection gives up when it has traced twice the budget, and then shades what stores and roots lead to.
    for (const traced_collection& each : pauses) EXPECT_LE(each.work, std::size_t{3 * 2000});
    for (const traced_collection& each : pauses) EXPECT_EQ(each.is_full, each.kind == traced_pause::last_step);
}

TEST(marking_cycle, is_for_objects_with_a_destructor_whose_pointers_are_inside) {
    for (const auto& pauses : {pauses_of_a_growing_tree<named>(2000), pauses_of_a_growing_tree<listed>(2000)}) {
        EXPECT_TRUE(has(pauses, traced_pause::last_step));
        EXPECT_FALSE(has(pauses, traced_pause::full));
        for (const traced_collection& each : pauses) EXPECT_LE(each.work, std::size_t{3 * 2000});
    }
}

TEST(marking_cycle, is_not_for_a_heap_of_objects_with_pointers_in_buffers) {
    const std::vector<traced_collection> pauses = pauses_of_a_growing_tree<in_buffer>(2000);
    EXPECT_TRUE(has(pauses, traced_pause::full));
    EXPECT_FALSE(has(pauses, traced_pause::mark_step));
}

constexpr std::size_t boundless = std::size_t{1} << (std::numeric_limits<std::size_t>::digits / 2 + 8);

TEST(marking_cycle, comes_before_the_heap_has_grown_much) {
    const auto most = [](const std::vector<traced_collection>& pauses) {
        return std::ranges::max(pauses, {}, &traced_collection::heap_bytes).heap_bytes;
    };
    const std::size_t chunk = std::size_t{4} * 1024 * 1024;
    EXPECT_LE(most(pauses_of_a_growing_tree(2000)), 2 * most(pauses_of_a_growing_tree(boundless)) + chunk);
}

TEST(marking_cycle, does_not_begin_where_a_full_collection_is_within_the_budget) {
    const std::vector<traced_collection> pauses = pauses_of_a_growing_tree(boundless);
    EXPECT_TRUE(has(pauses, traced_pause::full));
    EXPECT_FALSE(has(pauses, traced_pause::mark_step));
}
