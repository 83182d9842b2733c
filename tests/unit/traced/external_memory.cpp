#include <gtest/gtest.h>
#include <freehold/traced/detail/external_memory.hpp>
#include <freehold/traced/shared_traced_heap.hpp>
#include <freehold/traced/traced_heap.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "support/heap_in_thread.hpp"
#include "support/heap_session.hpp"
#include "support/limited_address_space.hpp"
#include "support/sanitized.hpp"
#include "support/tracked.hpp"

using freehold::shared_traced_heap;
using freehold::traced_collection;
using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_root;
using freehold::detail::even_sample;
using freehold::detail::told_bytes;
using support::heap_in_thread;

namespace {

constexpr std::size_t MiB = std::size_t{1024} * 1024;

struct image {
    std::vector<char> pixels;
};

struct texture {
    int number;
    freehold::traced_ptr<texture> smaller;
};

struct counted_image {
    support::tracked counted;
    std::vector<char> pixels;
};

void fill(image& picture) { picture.pixels.assign(100'000, 'x'); }

template <class Heap>
class external_memory : public support::tracked_test {
protected:
    void SetUp() override {
        support::tracked_test::SetUp();
        if (support::sanitized) GTEST_SKIP() << "a sanitizer needs address space";
    }

    // Effects: expects that run(heap) needs at most 64 MiB, whether full collections are done in steps or not.
    template <class Run>
    static void with_each_budget(Run run) {
        for (const std::size_t budget : {std::size_t{1000}, SIZE_MAX}) {
            support::expect_0_in_limited_address_space(64 * MiB, [run, budget] {
                traced_heap_options options;
                options.pause_budget = budget;
                try {
                    heap_in_thread<Heap> used(options);
                    run(used.heap);
                } catch (const std::bad_alloc&) {
                    return 1;
                }
                return 0;
            });
        }
    }
};

template <class Heap>
class traced_external_bytes : public support::tracked_test {};

using traced_heaps = ::testing::Types<traced_heap, shared_traced_heap>;
TYPED_TEST_SUITE(external_memory, traced_heaps);
TYPED_TEST_SUITE(traced_external_bytes, traced_heaps);

class shared_external_bytes : public support::tracked_test {};

}  // namespace

TEST(even_sample, it_keeps_values_at_equal_distances) {
    even_sample<std::size_t, 4> sample;
    std::size_t next = 0;
    for (const std::size_t count : {1U, 2U, 3U, 50U, 1U, 1000U}) {
        sample.add(count, [&](std::size_t i) { return next + i; });
        next += count;
        ASSERT_GE(sample.size() * sample.weight(), next);
        ASSERT_LT((sample.size() - 1) * sample.weight(), next);
        std::size_t expected = 0;
        for (const std::size_t each : sample) {
            ASSERT_EQ(each, expected);
            expected += sample.weight();
        }
    }
    EXPECT_LE(sample.size(), 8U);
    sample.clear();
    EXPECT_EQ(sample.size(), 0U);
}

TEST(told_bytes, the_last_word_counts) {
    told_bytes told;
    const int objects[2] = {};
    EXPECT_EQ(told.of(&objects[0]), 0U);
    told.set(&objects[0], 10);
    told.set(&objects[1], 5);
    told.set(&objects[0], 20);
    EXPECT_EQ(told.of(&objects[0]), 20U);
    EXPECT_EQ(told.total(), 25U);
}

TEST(told_bytes, objects_leave_with_their_bytes) {
    told_bytes told;
    std::vector<int> objects(1000);
    const auto is_kept = [&](const void* object) { return *static_cast<const int*>(object) != 0; };
    for (std::size_t i = 0; i < objects.size(); ++i) {
        told.set(&objects[i], i);
        objects[i] = i % 3 == 0;
    }
    told.remove_unless(false, is_kept);
    for (std::size_t i = 0; i < objects.size(); ++i) ASSERT_EQ(told.of(&objects[i]), i % 3 == 0 ? i : 0);
    objects.assign(1000, 0);
    told.set(&objects[1], 7);
    objects[1] = 1;
    told.remove_unless(false, is_kept);
    EXPECT_EQ(told.of(&objects[999]), 999U) << "an old one";
    told.remove_unless(true, is_kept);
    EXPECT_EQ(told.total(), 7U);
}

TYPED_TEST(external_memory, images_that_are_made_in_a_loop_need_little_memory) {
    TestFixture::with_each_budget([](TypeParam& heap) {
        for (int i = 0; i < 1500; ++i) {
            const traced_local<image> one = heap.template make<image>(std::vector<char>(100'000, 'x'));
        }
    });
}

TYPED_TEST(external_memory, images_that_are_filled_later_need_little_memory) {
    TestFixture::with_each_budget([](TypeParam& heap) {
        traced_local<image> alive;
        for (int i = 0; i < 1500; ++i) {
            alive = heap.template make<image>();
            fill(*alive);
        }
    });
}

TYPED_TEST(external_memory, images_that_are_filled_much_later_need_little_memory) {
    TestFixture::with_each_budget([](TypeParam& heap) {
        for (int i = 0; i < 15; ++i) {
            std::vector<traced_root<image>> batch(100);
            for (auto& each : batch) each = heap.template make<image>();
            for (auto& each : batch) fill(*each);
        }
    });
}

TYPED_TEST(external_memory, images_that_are_filled_when_they_are_old_need_little_memory) {
    TestFixture::with_each_budget([](TypeParam& heap) {
        for (int i = 0; i < 15; ++i) {
            std::vector<traced_root<image>> batch(100);
            for (auto& each : batch) each = heap.template make<image>();
            heap.collect_young();
            for (auto& each : batch) fill(*each);
        }
    });
}

TYPED_TEST(external_memory, images_that_the_system_refuses_memory_for_find_that_of_dead_ones) {
    support::expect_0_in_limited_address_space(64 * MiB, [] {
        traced_heap_options options;
        options.nursery_bytes = options.max_nursery_bytes = options.min_full_bytes = 1024 * MiB;
        heap_in_thread<TypeParam> used(options);
        TypeParam& heap = used.heap;
        struct large {
            char text[1024 * 1024];
        };
        for (int i = 0; i < 200; ++i) static_cast<void>(heap.template make<large>());
        return 0;
    });
}

TYPED_TEST(traced_external_bytes, a_collection_counts_what_objects_own) {
    heap_in_thread<TypeParam> used;
    TypeParam& heap = used.heap;
    const traced_local<image> kept = heap.template make<image>();
    heap.collect();
    EXPECT_EQ(heap.external_bytes(), 0U);
    fill(*kept);
    heap.collect_young();
    EXPECT_EQ(heap.external_bytes(), 100'000U) << "of an old object";
    kept->pixels = std::vector<char>();
    heap.collect();
    EXPECT_EQ(heap.external_bytes(), 0U);
}

TYPED_TEST(traced_external_bytes, an_object_is_counted_once) {
    struct holder {
        std::vector<freehold::traced_ptr<texture>> textures;
        freehold::traced_ptr<texture> one;
    };
    heap_in_thread<TypeParam> used;
    TypeParam& heap = used.heap;
    const traced_local<holder> kept = heap.template make<holder>();
    kept->textures.reserve(1000);
    heap.collect();
    const std::size_t owned = heap.external_bytes();
    EXPECT_EQ(owned, 1000 * sizeof(void*));
    for (int i = 0; i < 5; ++i) {
        kept->one = heap.template make<texture>(1, nullptr);  // traces the old object again
        kept->textures.push_back(kept->one);
        heap.collect_young();
        ASSERT_EQ(heap.external_bytes(), owned);
    }
}

TYPED_TEST(traced_external_bytes, it_is_exact_after_a_full_collection) {
    for (const std::size_t budget : {std::size_t{16}, SIZE_MAX}) {
        traced_heap_options options;
        options.pause_budget = budget;
        options.nursery_bytes = 10'000;
        options.min_full_bytes = 100'000;
        heap_in_thread<TypeParam> used(options);
        TypeParam& heap = used.heap;
        std::vector<traced_root<image>> kept(100);
        unsigned state = 1;
        const auto random = [&](unsigned n) { return (state = state * 1664525 + 1013904223) >> 8 & (n - 1); };
        for (int i = 0; i < 20'000; ++i) {
            traced_root<image>& some = kept[random(128) % kept.size()];
            if (random(4) == 0) some = heap.template make<image>();
            if (some) some->pixels = std::vector<char>(random(1024));
            if (i % 1000 != 999) continue;
            heap.collect();
            std::size_t bytes = 0;
            for (const auto& each : kept) bytes += each ? each->pixels.capacity() : 0;
            ASSERT_EQ(heap.external_bytes(), bytes);
        }
    }
}

TYPED_TEST(traced_external_bytes, it_is_told_by_hand) {
    heap_in_thread<TypeParam> used;
    TypeParam& heap = used.heap;
    traced_local<texture> one = heap.template make<texture>(1, nullptr);
    const traced_local<texture> other = heap.template make<texture>(2, nullptr);
    heap.external_bytes(one, 1000);
    heap.external_bytes(other.get(), 10);
    EXPECT_EQ(heap.external_bytes(), 1010U);
    heap.external_bytes(other, 20);
    EXPECT_EQ(heap.external_bytes(), 1020U);
    heap.collect_young();
    EXPECT_EQ(heap.external_bytes(), 1020U);
    one = nullptr;
    heap.collect_young();
    EXPECT_EQ(heap.external_bytes(), 1020U) << "the object is old";
    heap.collect();
    EXPECT_EQ(heap.external_bytes(), 20U);
}

TYPED_TEST(traced_external_bytes, an_address_within_an_object_stands_for_it) {
    heap_in_thread<TypeParam> used;
    TypeParam& heap = used.heap;
    const traced_local<texture> one = heap.template make<texture>(1, nullptr);
    heap.external_bytes(one, 1000);
    heap.external_bytes(&one->smaller, 10);
    EXPECT_EQ(heap.external_bytes(), 10U);
}

TYPED_TEST(traced_external_bytes, much_that_is_told_by_hand_causes_collections) {
    std::size_t most = 0;
    int young = 0;
    traced_heap_options options;
    options.on_collection = [&](const traced_collection& done) { young += done.is_full ? 0 : 1; };
    heap_in_thread<TypeParam> used(options);
    TypeParam& heap = used.heap;
    for (int i = 0; i < 1000; ++i) {
        const traced_local<texture> one = heap.template make<texture>(i, nullptr);
        heap.external_bytes(one, MiB);
        most = std::max(most, heap.external_bytes());
    }
    EXPECT_LE(most, 32 * MiB);
    EXPECT_GE(young, 30);
}

TYPED_TEST(traced_external_bytes, on_collection_receives_it) {
    std::size_t seen = 0;
    traced_heap_options options;
    options.on_collection = [&](const traced_collection& done) { seen = done.external_bytes; };
    heap_in_thread<TypeParam> used(options);
    TypeParam& heap = used.heap;
    const traced_local<image> kept = heap.template make<image>();
    fill(*kept);
    const traced_local<texture> one = heap.template make<texture>(1, nullptr);
    heap.external_bytes(one, 5);
    heap.collect();
    EXPECT_EQ(seen, 100'005U);
}

TYPED_TEST(traced_external_bytes, old_objects_that_own_much_cause_a_full_collection) {
    traced_heap_options options;
    int full = 0;
    options.on_collection = [&](const traced_collection& done) { full += done.is_full ? 1 : 0; };
    heap_in_thread<TypeParam> used(options);
    TypeParam& heap = used.heap;
    for (int i = 0; i < 100; ++i) {
        std::vector<traced_root<counted_image>> some(10);
        for (auto& each : some) (each = heap.template make<counted_image>())->pixels.resize(100'000);
        heap.collect_young();
    }
    EXPECT_GE(full, 3);
    EXPECT_LE(support::tracked::alive(), 400);
}

TYPED_TEST(traced_external_bytes, a_heap_has_a_limit) {
    struct large {
        char text[1024 * 1024];
    };
    traced_heap_options options;
    options.limit_bytes = 32 * MiB;
    options.nursery_bytes = options.max_nursery_bytes = 1024 * MiB;
    heap_in_thread<TypeParam> used(options);
    TypeParam& heap = used.heap;
    for (int i = 0; i < 200; ++i) static_cast<void>(heap.template make<large>());
    EXPECT_LE(heap.heap_bytes(), 32 * MiB);
    std::vector<traced_root<large>> kept(100);
    std::size_t made = 0;
    EXPECT_THROW(
        for (auto& each : kept) {
            each = heap.template make<large>();
            ++made;
        },
        std::bad_alloc);
    EXPECT_GE(made, 20U);
    EXPECT_LE(heap.heap_bytes(), 32 * MiB);
    kept.clear();
    EXPECT_NO_THROW(static_cast<void>(heap.template make<large>()));
}

TYPED_TEST(traced_external_bytes, the_limit_includes_what_objects_own) {
    traced_heap_options options;
    options.limit_bytes = 16 * MiB;
    options.nursery_bytes = options.max_nursery_bytes = 1024 * MiB;
    heap_in_thread<TypeParam> used(options);
    TypeParam& heap = used.heap;
    for (int i = 0; i < 1000; ++i) fill(*heap.template make<image>());
    std::vector<traced_root<image>> kept(1000);
    std::size_t made = 0;
    EXPECT_THROW(
        for (auto& each : kept) {
            fill(*(each = heap.template make<image>()));
            ++made;
        },
        std::bad_alloc);
    EXPECT_GE(made, 100U);
    EXPECT_LE(made, 160U);
    kept.clear();
    EXPECT_NO_THROW(static_cast<void>(heap.template make<image>()));
}

TYPED_TEST(traced_external_bytes, new_objects_that_own_much_cause_collections) {
    std::size_t most = 0;
    int young = 0;
    traced_heap_options options;
    options.on_collection = [&](const traced_collection& done) { young += done.is_full ? 0 : 1; };
    heap_in_thread<TypeParam> used(options);
    for (int i = 0; i < 2000; ++i) {
        static_cast<void>(used.heap.template make<counted_image>(support::tracked(), std::vector<char>(MiB)));
        most = std::max(most, static_cast<std::size_t>(support::tracked::alive()));
    }
    EXPECT_LE(most, 40U);
    EXPECT_GE(young, 60);
}

TYPED_TEST(traced_external_bytes, new_objects_that_grow_cause_collections) {
    heap_in_thread<TypeParam> used;
    int most = 0;
    for (int i = 0; i < 100'000; ++i) {
        const traced_local<counted_image> one = used.heap.template make<counted_image>();
        if (i >= 50'000) one->pixels = std::vector<char>(10'000);
        if (i >= 60'000) most = std::max(most, support::tracked::alive());
    }
    EXPECT_LE(most, 4000);
}

// Only a stop finds that no other thread changes them.
TEST_F(shared_external_bytes, new_objects_of_all_sessions_cause_collections) {
    int collections = 0;
    traced_heap_options options;
    options.on_collection = [&](const traced_collection&) { ++collections; };
    heap_in_thread<shared_traced_heap> used(options);
    for (int i = 0; i < 50; ++i) {
        support::in_another_session(used.heap, used.session, [&](auto&) {
            for (int j = 0; j < 4; ++j) fill(*used.heap.make<image>());
        });
        for (int j = 0; j < 4; ++j) fill(*used.heap.make<image>());
    }
    EXPECT_GE(collections, 2) << "for 40 MB";
    EXPECT_LE(used.heap.external_bytes(), 17 * MiB);
}

TEST_F(shared_external_bytes, what_another_session_fills_is_counted) {
    int collections = 0;
    traced_heap_options options;
    options.on_collection = [&](const traced_collection&) { ++collections; };
    heap_in_thread<shared_traced_heap> used(options);
    std::vector<traced_root<image>> kept(200);
    for (auto& each : kept) {
        each = used.heap.make<image>();
        support::in_another_session(used.heap, used.session, [&](auto&) { fill(*each); });
    }
    EXPECT_GE(collections, 1) << "for 20 MB";
    EXPECT_GE(used.heap.external_bytes(), 19'000'000U);
}
