// The count before a collected object, where it is full: what would take 2^31 copies is written into it.

#include <gtest/gtest.h>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/detail/cyclic_header.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

#include <freehold/cyclic/cycle_collector.hpp>

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::make_cyclic;
using freehold::detail::cyclic_header;

namespace {

struct node {
    cyclic_ptr<node> next;
    std::vector<int> part;
};

constexpr std::int32_t most = INT32_MAX;

// Effects: sets the number of owners less one; most of these owners do not exist.
void set_owners_less_one(const void* object, std::int32_t value) {
    std::memcpy(reinterpret_cast<char*>(&cyclic_header::of(object)) + sizeof(std::uint32_t), &value, sizeof(value));
}

}  // namespace

TEST(cyclic_header, a_full_count_makes_the_object_immortal) {
    auto p = make_cyclic<node>();
    node* const object = p.get();
    set_owners_less_one(object, most - 1);
    auto last_that_counts = p;
    EXPECT_EQ(p.use_count(), static_cast<long>(std::int64_t{most} + 1));  // long may have 32 bits
    auto one_too_many = p;
    last_that_counts.reset();
    one_too_many.reset();
    for (int i = 0; i < 100; ++i) auto copy = p;
    p.reset();
    EXPECT_EQ(object->part.size(), 0U) << "alive";
    EXPECT_EQ(cycle_collector::collect(), 0U);
    set_owners_less_one(object, -1);
    cyclic_header::of(object).acquire();
}

TEST(cyclic_header, an_immortal_object_keeps_what_it_owns_and_is_left_alone_by_collections) {
    auto p = make_cyclic<node>();
    node* const object = p.get();
    p->next = p;
    set_owners_less_one(object, most);
    {
        auto copy = p;
        auto another = p;
    }
    p.reset();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(cycle_collector::collect(), 0U);
    EXPECT_EQ(object->next.get(), object);
    EXPECT_GT(object->next.use_count(), most / 2);
}

TEST(cyclic_header, edges_and_owners_do_not_touch_the_flags) {
    cyclic_header header(true);
    header.set(cyclic_header::has_weak);
    header.set_edges(cyclic_header::max_edges - 1);
    header.add_found_edge();
    header.add_found_edge();
    EXPECT_EQ(header.edges(), cyclic_header::max_edges);
    EXPECT_FALSE(header.has_lost_an_owner());
    EXPECT_TRUE(header.is(cyclic_header::live));
    EXPECT_TRUE(header.is(cyclic_header::has_weak));
    EXPECT_FALSE(header.is(cyclic_header::suspected));
    EXPECT_TRUE(header.may_become_candidate());
    header.set_edges(0);
    EXPECT_EQ(header.edges(), 0U);
    EXPECT_TRUE(header.is(cyclic_header::has_weak));
}

TEST(cyclic_header, only_the_loss_of_an_owner_is_noticed) {
    cyclic_header header(true);
    header.acquire();
    EXPECT_FALSE(header.has_lost_an_owner()) << "the number was not known";
    header.note_owners();
    header.acquire();
    EXPECT_TRUE(header.release());
    EXPECT_FALSE(header.has_lost_an_owner());
    EXPECT_TRUE(header.release());
    EXPECT_TRUE(header.has_lost_an_owner());
    header.note_owners();
    EXPECT_FALSE(header.has_lost_an_owner());
    for (int i = 0; i < 20; ++i) header.acquire();
    header.note_owners();
    EXPECT_TRUE(header.release());
    EXPECT_FALSE(header.has_lost_an_owner()) << "many are all the same";
}

TEST(cyclic_header, the_first_number_of_owners_is_noted_once) {
    cyclic_header header(true);
    EXPECT_TRUE(header.is_new());
    header.acquire();
    header.note_first_owners();
    EXPECT_FALSE(header.is_new());
    EXPECT_TRUE(header.release());
    header.note_first_owners();
    EXPECT_TRUE(header.has_lost_an_owner());
}

TEST(cyclic_header, an_untouched_object_waits_for_a_search_with_its_owner_noted) {
    cyclic_header header(true);
    EXPECT_TRUE(header.is_untouched_with_one_owner());
    header.acquire();
    EXPECT_FALSE(header.is_untouched_with_one_owner());
    EXPECT_TRUE(header.release());
    header.postpone_untouched();
    EXPECT_FALSE(header.is_untouched_with_one_owner());
    EXPECT_FALSE(header.is_new());
    EXPECT_TRUE(header.is(cyclic_header::live));
    EXPECT_TRUE(header.is(cyclic_header::postponed));
    EXPECT_TRUE(header.may_become_candidate());
}
