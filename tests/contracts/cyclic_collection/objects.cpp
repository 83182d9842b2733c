// What the owners of collected objects promise, beyond what all owning pointers do.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <freehold/interop/shared_root.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/managed_ptr.hpp>

#include "families.hpp"
#include "support/effort.hpp"
#include "support/small_stack.hpp"
#include "support/tracked.hpp"

namespace contracts {
namespace {

// Of chains and cycles. A tenth overflows the stack many times.
const int any_length = support::sanitized ? 1'000'000 : support::full_effort(10'000'000, 1'000'000);

template <class Family>
struct plain_node_in {
    using family = Family;

    pointer<plain_node_in> next;
    support::tracked part;

    void trace(auto& visit) const { visit(next); }
};

template <class Family>
struct leaf_in {
    using family = Family;

    support::tracked part;
    int value = 7;
};

template <class Family>
struct shape_in : support::tracked {
    using family = Family;

    shape_in() = default;
    shape_in(const shape_in&) = delete;
    shape_in& operator=(const shape_in&) = delete;
    virtual ~shape_in() = default;
    virtual int corners() const = 0;

    pointer<shape_in> neighbor;
};

template <class Family>
struct triangle_in : shape_in<Family> {
    int corners() const override { return 3; }
    void trace(auto& visit) const { visit(this->neighbor, others); }

    std::vector<pointer<shape_in<Family>>> others;
};

template <class Family>
struct holder_in {
    using family = Family;

    pointer<holder_in> self;
    freehold::shared_ptr<leaf_in<Family>> shared = freehold::make_shared<leaf_in<Family>>();
    freehold::managed_ptr<leaf_in<Family>> managed = freehold::managed_ptr<leaf_in<Family>>(new leaf_in<Family>);
    std::unique_ptr<leaf_in<Family>> unique = std::make_unique<leaf_in<Family>>();
};

template <class Family, std::size_t Bytes, std::size_t Alignment = alignof(void*)>
struct alignas(Alignment) sized_in : support::tracked {
    using family = Family;

    void trace(auto& visit) const { visit(next); }

    pointer<sized_in> next;
    std::array<std::byte, Bytes> bytes{};
};

template <class Family>
struct refusing_in : support::tracked {
    using family = Family;

    explicit refusing_in(bool refuse) {
        if (refuse) throw 7;
    }
    std::string text = "constructed";
    void trace(auto&) const {}
};

// Effects: expects that objects are aligned, do not overlap, and end promptly and in cycles.
template <class Family, class T>
void expect_objects_of_any_size() {
    std::vector<pointer<T>> owners;
    for (int i = 0; i < 20; ++i) owners.push_back(make<T>());
    for (const auto& owner : owners) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(owner.get()) % alignof(T), 0U);
        owner->bytes.fill(std::byte(&owner - owners.data()));
        owner->next = owners[static_cast<std::size_t>(&owner - owners.data()) / 2];
    }
    for (const auto& owner : owners) {
        const auto& bytes = owner->bytes;
        EXPECT_EQ(bytes.front(), std::byte(&owner - owners.data()));
        EXPECT_EQ(std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1), 0) << "all bytes are the first one";
    }
    EXPECT_EQ(owners[0].use_count(), 3) << "owned by its variable, itself and the next";
    owners.clear();
    EXPECT_EQ(support::tracked::alive(), 1) << "the first owns itself";
    EXPECT_EQ(Family::collect(), 1U);
    EXPECT_EQ(support::tracked::alive(), 0);
}

CONTRACT(cyclic_objects, an_object_in_no_cycle_is_destroyed_promptly) {
    using node = plain_node_in<TypeParam>;
    auto last = make<node>();
    auto first = make<node>();
    first->next = last;
    last.reset();
    EXPECT_EQ(support::tracked::destroyed(), 0);
    first.reset();
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

CONTRACT(cyclic_objects, a_pointer_to_a_base_destroys_the_whole_object) {
    using shape = shape_in<TypeParam>;
    using triangle = triangle_in<TypeParam>;
    pointer<shape> base = make<triangle>();
    EXPECT_EQ(base->corners(), 3);
    EXPECT_EQ(base.use_count(), 1);
    auto other = base;
    base.reset();
    EXPECT_EQ(support::tracked::destroyed(), 0);
    other.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

CONTRACT(cyclic_objects, cycles_through_pointers_to_a_base_are_found) {
    using triangle = triangle_in<TypeParam>;
    auto p = make<triangle>();
    auto q = make<triangle>();
    p->neighbor = q;
    q->others.push_back(p);
    p.reset();
    q.reset();
    EXPECT_EQ(TypeParam::collect(), 2U);
}

CONTRACT(cyclic_objects, a_conversion_from_an_rvalue_takes_over) {
    using shape = shape_in<TypeParam>;
    using triangle = triangle_in<TypeParam>;
    auto p = make<triangle>();
    const pointer<shape> base = std::move(p);
    EXPECT_FALSE(p);
    EXPECT_EQ(base.use_count(), 1);
}

CONTRACT(cyclic_objects, a_constant_object_can_be_made) {
    using leaf = leaf_in<TypeParam>;
    const auto p = make<const leaf>();
    EXPECT_EQ(p->value, 7);
}

CONTRACT(cyclic_objects, objects_of_any_size_and_alignment_work) {
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 1>>();
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 24, 16>>();
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 300, 256>>();
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 5000>>();
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 20'000>>();
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 40'000>>();
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 200'000>>();
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 100, 32'768>>();
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 100, 65'536>>();
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 100, 131'072>>();
    expect_objects_of_any_size<TypeParam, sized_in<TypeParam, 5'000'000>>();
}

CONTRACT(cyclic_objects, statistics_tell_the_bytes_of_objects_and_of_free_cells) {
    using small = sized_in<TypeParam, 100>;
    using large = sized_in<TypeParam, 200'000>;
    TypeParam::trim();
    const freehold::pool_statistics before = TypeParam::statistics();
    std::vector<pointer<small>> objects;
    for (int i = 0; i < 2000; ++i) objects.push_back(make<small>());
    const auto one = make<large>();
    const freehold::pool_statistics all = TypeParam::statistics();
    EXPECT_TRUE(all.is_counted);
    EXPECT_GE(all.live - before.live, 2000 * sizeof(small) + sizeof(large));
    EXPECT_LE(all.live - before.live, 2000 * (sizeof(small) + 32) + sizeof(large) + 32);
    EXPECT_LE(all.live + all.cached, all.mapped);
    objects.resize(10);
    const freehold::pool_statistics few = TypeParam::statistics();
    EXPECT_LE(few.live - before.live, 10 * (sizeof(small) + 32) + sizeof(large) + 32);
    EXPECT_EQ(few.mapped, all.mapped);
    EXPECT_EQ(few.live + few.cached, all.live + all.cached);
    TypeParam::trim();
    EXPECT_LT(TypeParam::statistics().mapped, all.mapped);
}

CONTRACT(cyclic_objects, a_constructor_that_throws_leaves_nothing_behind) {
    using refusing = refusing_in<TypeParam>;
    const std::size_t before = TypeParam::objects();
    const auto first = make<refusing>(false);
    EXPECT_THROW(static_cast<void>(make<refusing>(true)), int);
    EXPECT_EQ(TypeParam::objects(), before + 1);
    EXPECT_EQ(support::tracked::alive(), 1);
    const auto next = make<refusing>(false);
    EXPECT_EQ(next->text, "constructed");
}

CONTRACT(cyclic_objects, chains_of_any_length_are_destroyed_in_little_stack) {
    using node = plain_node_in<TypeParam>;
    support::with_small_stack([] {
        [[maybe_unused]] const typename TypeParam::scope scope;
        pointer<node> first;
        for (int i = 0; i < any_length; ++i) {
            auto added = make<node>();
            added->next = std::move(first);
            first = std::move(added);
        }
        first.reset();
        EXPECT_EQ(support::tracked::destroyed(), any_length);
    });
}

CONTRACT(cyclic_objects, cycles_of_any_length_are_collected_in_little_stack) {
    using node = plain_node_in<TypeParam>;
    support::with_small_stack([] {
        [[maybe_unused]] const typename TypeParam::scope scope;
        auto last = make<node>();
        auto first = last;
        for (int i = 1; i < any_length; ++i) {
            auto added = make<node>();
            added->next = std::move(first);
            first = std::move(added);
        }
        last->next = std::move(first);
        last.reset();
        EXPECT_EQ(TypeParam::collect(), static_cast<std::size_t>(any_length));
        EXPECT_EQ(support::tracked::destroyed(), any_length);
    });
}

CONTRACT(cyclic_objects, a_shared_ptr_can_keep_a_root) {
    using node = plain_node_in<TypeParam>;
    auto p = make<node>();
    p->next = make<node>();
    p->next->next = p;
    freehold::shared_ptr<node> root = freehold::shared_root(p);
    EXPECT_EQ(root.get(), p.get());
    p.reset();
    EXPECT_EQ(TypeParam::collect(), 0U);
    EXPECT_EQ(support::tracked::destroyed(), 0);
    root.reset();
    EXPECT_EQ(TypeParam::collect(), 2U);
    EXPECT_FALSE(freehold::shared_root(pointer<node>()));
}

CONTRACT(cyclic_objects, a_cyclic_object_may_hold_other_owners) {
    using holder = holder_in<TypeParam>;
    auto p = make<holder>();
    p->self = p;
    EXPECT_EQ(support::tracked::alive(), 3);
    p.reset();
    EXPECT_EQ(TypeParam::collect(), 1U);
    EXPECT_EQ(support::tracked::destroyed(), 3);
}

}  // namespace
}  // namespace contracts
