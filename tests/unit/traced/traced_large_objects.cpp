// Compiled alone: it is optimized in a build that is not.
// Objects of all sizes, from 8 bytes to 64 MiB, and pointers to any place in them.

#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include "support/effort.hpp"

namespace {

using freehold::ephemeron;
using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using freehold::traced_weak_ptr;

// Trivially destructible, as are arrays of it: only the write barrier finds young objects in them.
struct slot {
    traced_ptr<slot> target;
};

template <std::size_t Slots>
using object = std::array<slot, Slots>;

constexpr std::size_t slots_of_chunk = std::size_t{4} * 1024 * 1024 / sizeof(slot);
using wide = object<3 * slots_of_chunk>;

constexpr std::array wide_places = {std::size_t{0},     slots_of_chunk - 1,     slots_of_chunk,      slots_of_chunk + 1,
                                    2 * slots_of_chunk, 3 * slots_of_chunk - 1, std::size_t{1234567}};

// Enough objects to reuse all free memory.
void reuse_what_is_free(traced_heap& heap) {
    for (int i = 0; i < 100'000; ++i) {
        const traced_view<object<1>> made = heap.make_unrooted<object<1>>();
        (*made)[0].target = traced_view<slot>(made->data());
    }
}

traced_local<slot> make_slot(traced_heap& heap) { return traced_view<slot>(heap.make_unrooted<object<1>>()->data()); }

traced_view<slot> at(const traced_local<wide>& in, std::size_t place) { return traced_view<slot>(&(*in)[place]); }

struct half_wide : object<slots_of_chunk + 1000> {};

struct far_base {
    slot first;
};

struct both : half_wide, far_base {
    void trace(auto& visit) const { visit(static_cast<const object<slots_of_chunk + 1000>&>(*this), first); }
};

}  // namespace

TEST(traced_large_objects, a_store_at_any_place_is_known_to_young_collections) {
    traced_heap heap;
    const traced_local<wide> old = heap.make<wide>();
    heap.collect();
    for (const std::size_t place : wide_places) {
        (*old)[place].target = make_slot(heap);
        const traced_weak_ptr<slot> stored = (*old)[place].target;
        heap.collect_young();
        reuse_what_is_free(heap);
        EXPECT_FALSE(stored.expired()) << place;
        EXPECT_FALSE((*old)[place].target->target) << place;
    }
}

TEST(traced_large_objects, a_pointer_to_any_place_keeps_the_object) {
    for (const bool full : {false, true}) {
        for (const std::size_t place : wide_places) {
            traced_heap heap;
            const traced_local<slot> root = make_slot(heap);
            traced_weak_ptr<wide> kept;
            {
                const traced_local<wide> made = heap.make<wide>();
                kept = made;
                (*made)[7].target = root;
                root->target = at(made, place);
            }
            full ? heap.collect() : heap.collect_young();
            ASSERT_FALSE(kept.expired()) << place;
            EXPECT_EQ((*kept.lock())[7].target, root);
            root->target = nullptr;
            heap.collect();
            EXPECT_TRUE(kept.expired()) << place;
        }
    }
}

TEST(traced_large_objects, every_handle_may_point_to_any_place) {
    for (const std::size_t place : wide_places) {
        traced_heap heap;
        traced_root<slot> root;
        traced_weak_ptr<slot> weak;
        ephemeron<slot, slot> pair;
        int finalized = 0;
        {
            const traced_local<wide> made = heap.make<wide>();
            root = at(made, place);
            weak = root;
            pair = {at(made, place), make_slot(heap)};
            heap.add_finalizer(at(made, place), [&finalized](slot&) { ++finalized; });
        }
        for (int i = 0; i < 2; ++i) {
            i == 0 ? heap.collect_young() : heap.collect();
            const traced_local<slot> rooted(root);
            EXPECT_EQ(weak.lock(), root);
            EXPECT_EQ(pair.key(), root);
            EXPECT_NE(pair.value(), nullptr);
            EXPECT_EQ(finalized, 0);
        }
        root = nullptr;
        heap.collect();
        EXPECT_TRUE(weak.expired());
        EXPECT_EQ(finalized, 1);
        heap.collect();
        EXPECT_TRUE(pair.expired()) << "the finalizer saw it intact";
        EXPECT_EQ(finalized, 1);
    }
}

TEST(traced_large_objects, an_ephemeron_at_any_place_dies_with_its_object) {
    using pairs = std::array<ephemeron<slot, slot>, 6 * 1024 * 1024 / sizeof(ephemeron<slot, slot>)>;
    traced_heap heap;
    const traced_local<slot> key = make_slot(heap);
    traced_weak_ptr<slot> value;
    {
        const traced_local<pairs> made = heap.make<pairs>();
        const traced_local<slot> valued = make_slot(heap);
        value = valued;
        made->back() = {key, valued};
        heap.collect();
        EXPECT_FALSE(made->back().expired());
    }
    heap.collect();
    EXPECT_TRUE(value.expired());
}

TEST(traced_large_objects, a_container_may_hold_a_pointer_to_any_place) {
    struct holder {
        std::vector<traced_ptr<slot>> held;
    };
    traced_heap heap;
    const traced_local<holder> old = heap.make<holder>();
    heap.collect();
    for (const std::size_t place : wide_places) {
        old->held.push_back(at(heap.make<wide>(), place));
        const traced_weak_ptr<slot> stored = old->held.back();
        heap.collect_young();
        EXPECT_FALSE(stored.expired()) << place;
        old->held.clear();
        heap.collect();
        EXPECT_TRUE(stored.expired()) << place;
    }
}

TEST(traced_large_objects, a_base_may_lie_anywhere) {
    traced_heap heap;
    traced_local<far_base> base = heap.make<both>();
    const traced_weak_ptr<far_base> weak = base;
    base->first.target = make_slot(heap);
    heap.collect();
    base->first.target->target = make_slot(heap);
    heap.collect_young();
    reuse_what_is_free(heap);
    EXPECT_FALSE(base->first.target->target->target);
    base = nullptr;
    heap.collect();
    EXPECT_TRUE(weak.expired());
}

TEST(traced_large_objects, an_object_may_point_to_itself_from_and_to_any_place) {
    traced_heap heap;
    const traced_local<wide> made = heap.make<wide>();
    for (slot& each : *made) each.target = traced_view<slot>(&(*made)[made->size() - 1]);
    heap.collect_young();
    for (slot& each : *made) each.target = at(made, slots_of_chunk + 1);
    heap.collect_young();
    (*made)[slots_of_chunk + 1].target = make_slot(heap);
    heap.collect_young();
    reuse_what_is_free(heap);
    EXPECT_FALSE((*made)[slots_of_chunk + 1].target->target);
}

// A few bytes of the object are in the last 4 MiB.
TEST(traced_large_objects, an_object_may_point_to_itself_from_its_last_word) {
    traced_heap heap;
    const traced_local<object<slots_of_chunk / 64 * 62 + 8>> made = heap.make<object<slots_of_chunk / 64 * 62 + 8>>();
    made->back().target = traced_view<slot>(&made->back());
    heap.collect();
    EXPECT_EQ(made->back().target.get(), &made->back());
}

TEST(traced_large_objects, a_conservative_stack_may_point_to_any_place) {
    traced_heap_options options;
    options.conservative_stack = true;
    for (const std::size_t place : wide_places) {
        traced_heap heap(options);
        slot* volatile const inside = &(*heap.make_unrooted<wide>())[place];
        const traced_weak_ptr<slot> weak = traced_view<slot>(inside);
        heap.collect();
        EXPECT_FALSE(weak.expired()) << place;
    }
}

// The memory after an object may belong to a container.
TEST(traced_large_objects, a_container_next_to_an_object_is_no_part_of_it) {
    struct holder {
        std::vector<traced_ptr<slot>> held;
    };
    using just_too_large = object<slots_of_chunk>;
    traced_heap heap;
    const traced_local<holder> old = heap.make<holder>();
    std::vector<traced_root<holder>> holders;
    for (int i = 0; i < 20; ++i) {
        const traced_local<just_too_large> made = heap.make<just_too_large>();
        holders.emplace_back(heap.make<holder>())->held.resize(100'000);
        heap.collect();
        old->held.push_back(traced_view<slot>(&made->back()));
        for (const traced_root<holder>& each : holders) each->held.back() = traced_view<slot>(&made->back());
    }
    old->held.clear();
    for (const traced_root<holder>& each : holders) {
        const traced_local<just_too_large> made = heap.make<just_too_large>();
        each->held.back() = traced_view<slot>(&made->back());
    }
    heap.collect_young();
    for (const traced_root<holder>& each : holders) {
        EXPECT_NE(traced_weak_ptr<slot>(each->held.back()).lock(), nullptr);
        EXPECT_FALSE(each->held.back()->target);
    }
}

TEST(traced_large_objects, those_that_die_young_leave_no_memory) {
    traced_heap heap;
    for (int i = 0; i < 100; ++i) static_cast<void>(heap.make<wide>());
    EXPECT_LE(heap.heap_bytes(), 3 * sizeof(wide));
}

// A destructor that makes a large object.
struct last_words {
    traced_root<object<10'000>>* kept;
    traced_heap* heap;
    ~last_words() {
        *kept = heap->make<object<10'000>>();
        (**kept)[9'999].target = traced_view<slot>(&(**kept)[0]);
    }
};

TEST(traced_large_objects, one_that_a_destructor_makes_is_not_swept_with_the_dead) {
    for (const bool full : {true, false}) {
        traced_heap heap;
        traced_root<object<10'000>> kept;
        for (int i = 0; i < 3; ++i) {
            static_cast<void>(heap.make_unrooted<last_words>(&kept, &heap));
            full ? heap.collect() : heap.collect_young();
            static_cast<void>(heap.make_unrooted<object<10'000>>());  // its memory may be reused
            ASSERT_EQ((*kept)[9'999].target.get(), &(*kept)[0]) << full;
        }
    }
}

TEST(traced_large_objects, small_objects_do_not_use_their_memory) {
    traced_heap heap;
    static_cast<void>(heap.make<wide>());
    heap.collect_young();
    const traced_local<slot> small = make_slot(heap);
    heap.collect();
    EXPECT_LE(heap.heap_bytes(), sizeof(wide));
}

TEST(traced_large_objects, heaps_keep_theirs_apart) {
    traced_heap one;
    traced_heap other;
    const traced_local<wide> in_one = one.make<wide>();
    const traced_local<wide> in_other = other.make<wide>();
    for (const std::size_t place : wide_places) {
        (*in_one)[place].target = make_slot(one);
        (*in_other)[place].target = make_slot(other);
    }
    one.collect();
    other.collect_young();
    for (const std::size_t place : wide_places) {
        EXPECT_FALSE((*in_one)[place].target->target);
        EXPECT_FALSE((*in_other)[place].target->target);
    }
}

namespace {

// A random program, checked against a model that knows what is reachable.
class program {
public:
    program(unsigned seed, const traced_heap_options& options) : random_(seed), heap_(options) {}

    void run(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
        heap_.collect();
        expect(true);
    }

private:
    struct place {
        int id;
        std::size_t offset;

        bool operator==(const place&) const = default;
    };

    struct made {
        slot* begin;
        std::size_t slots;
        traced_weak_ptr<slot> weak;  // of any place in it
        std::map<std::size_t, place> edges = {};
    };

    std::size_t any(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }

    template <std::size_t Slots>
    slot* make_object() {
        return heap_.make_unrooted<object<Slots>>()->data();
    }

    void step() {
        const std::set<int> alive = reachable();
        const std::size_t choice = any(100);
        if (alive.empty() || choice < 25) {
            make();
        } else if (choice < 70) {
            connect(any_of(alive), any_of(alive));
        } else if (choice < 80) {
            set_root(any(roots_.size()), any_of(alive));
        } else if (choice < 85) {
            const std::size_t cleared = any(roots_.size());
            roots_[cleared] = nullptr;
            root_places_.erase(cleared);
        } else if (choice < 95) {
            heap_.collect_young();
            expect(false);
        } else {
            heap_.collect();
            expect(true);
        }
    }

    void make() {
        slot* begin = nullptr;
        std::size_t slots = 0;
        const auto make = [&]<std::size_t Slots>(std::integral_constant<std::size_t, Slots>) {
            begin = make_object<Slots>();
            slots = Slots;
        };
        constexpr std::size_t most_in_chunk = slots_of_chunk / 64 * 62;
        switch (any(40)) {
            case 0: make(std::integral_constant<std::size_t, 16 * slots_of_chunk>()); break;
            case 1:
            case 2: make(std::integral_constant<std::size_t, 2 * slots_of_chunk + 1>()); break;
            case 3:
            case 4: make(std::integral_constant<std::size_t, slots_of_chunk>()); break;
            case 5:
            case 6: make(std::integral_constant<std::size_t, most_in_chunk + 1>()); break;
            case 7:
            case 8: make(std::integral_constant<std::size_t, most_in_chunk>()); break;
            case 9:
            case 10: make(std::integral_constant<std::size_t, 100'000>()); break;
            case 11:
            case 12: make(std::integral_constant<std::size_t, 2049>()); break;
            case 13:
            case 14: make(std::integral_constant<std::size_t, 2048>()); break;
            case 15:
            case 16: make(std::integral_constant<std::size_t, 333>()); break;
            case 17:
            case 18: make(std::integral_constant<std::size_t, 5>()); break;
            default: make(std::integral_constant<std::size_t, 1>()); break;
        }
        const int id = next_++;
        objects_.emplace(id, made{begin, slots, traced_view<slot>(begin + any(slots))});
        set_root(any(roots_.size()), id);
    }

    int any_of(const std::set<int>& ids) {
        return *std::next(ids.begin(), static_cast<std::ptrdiff_t>(any(ids.size())));
    }

    place any_in(int id) {
        const std::size_t slots = objects_.at(id).slots;
        // Near multiples of 4 MiB more often than elsewhere.
        const std::size_t offset = any(2) == 0 ? any(slots) : any(slots / slots_of_chunk + 1) * slots_of_chunk + any(3);
        return {id, std::min(offset, slots - 1)};
    }

    slot* address(const place& of) { return objects_.at(of.id).begin + of.offset; }

    void connect(int from, int to) {
        const place source = any_in(from);
        const place target = any_in(to);
        address(source)->target = traced_view<slot>(address(target));
        objects_.at(from).edges.insert_or_assign(source.offset, target);
    }

    void set_root(std::size_t index, int id) {
        const place rooted = any_in(id);
        roots_[index] = traced_view<slot>(address(rooted));
        root_places_.insert_or_assign(index, rooted);
    }

    std::set<int> reachable() const {
        std::set<int> found;
        std::vector<int> open;
        const auto reach = [&](const place& reached) {
            if (found.insert(reached.id).second) open.push_back(reached.id);
        };
        for (const auto& [index, rooted] : root_places_) reach(rooted);
        while (!open.empty()) {
            const int id = open.back();
            open.pop_back();
            for (const auto& [offset, target] : objects_.at(id).edges) reach(target);
        }
        return found;
    }

    // Effects: checks that all reachable objects are intact and, if `exactly`, that all others are gone. Forgets these.
    void expect(bool exactly) {
        const std::set<int> alive = reachable();
        for (auto each = objects_.begin(); each != objects_.end();) {
            auto& [id, object] = *each;
            if (!alive.contains(id)) {
                ASSERT_TRUE(object.weak.expired() || !exactly) << id;
                each = object.weak.expired() ? objects_.erase(each) : std::next(each);
                continue;
            }
            ASSERT_FALSE(object.weak.expired()) << id << " of " << object.slots;
            for (const auto& [offset, target] : object.edges) {
                ASSERT_EQ(object.begin[offset].target.get(), address(target)) << id << " of " << object.slots;
            }
            ++each;
        }
    }

    std::mt19937 random_;
    traced_heap heap_;
    std::vector<traced_root<slot>> roots_{6};
    std::map<std::size_t, place> root_places_;
    std::map<int, made> objects_;  // those that are not known to be gone
    int next_ = 0;
};

}  // namespace

TEST(traced_large_objects, random_programs_keep_exactly_what_is_reachable) {
    for (unsigned i = 0; i < support::programs(4, 1) && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        program(i, traced_heap_options()).run(400);
    }
}

TEST(traced_large_objects, random_programs_with_constant_young_collections) {
    traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = 1;
    for (unsigned i = 0; i < support::programs(2, 1) && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        program(i, options).run(400);
    }
}
