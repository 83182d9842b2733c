// The contract of the shared_ptr family: allocators, and objects that are housed beside their count.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "shared_family.hpp"

namespace contracts {

namespace {

// A minimal allocator, which can't be derived from.
template <class T>
struct minimal_allocator final {
    using value_type = T;

    explicit minimal_allocator(int) {}

    template <class U>
    minimal_allocator(const minimal_allocator<U>&) {}

    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{alignof(T)})); }

    void deallocate(T* memory, std::size_t) { ::operator delete(memory, std::align_val_t{alignof(T)}); }

    template <class U>
    friend bool operator==(const minimal_allocator&, const minimal_allocator<U>&) {
        return true;
    }
};

// Only std::addressof takes its address.
struct secretive : support::tracked {
    explicit secretive(int initial) : value(initial) {}
    void operator&() const = delete;

    int value;
};

// Overloads every operator that the library could apply to it.
struct jealous : support::tracked {
    template <class Other>
    void operator,(Other&&) const = delete;
    template <class Other>
    friend void operator,(Other&&, const jealous&) = delete;
    void operator&() const = delete;
};

struct jealous_deleter final {
    void operator()(const jealous* object) const { delete object; }
    template <class Other>
    void operator,(Other&&) const = delete;
    void operator&() const = delete;
};

struct arguments_kept {
    arguments_kept(int& reference, int&& moved, const int& constant)
        : by_reference(&reference), by_move(&moved), by_constant(&constant) {}

    int* by_reference;
    int* by_move;
    const int* by_constant;
};

}  // namespace

CONTRACT(shared_family, the_control_block_of_a_pointer_comes_from_the_allocator_in_one_piece) {
    support::ledger ledger;
    {
        const auto p = TestFixture::own(new object, [](const object* q) { delete q; }, TestFixture::recording(ledger));
        EXPECT_EQ(ledger.allocations, 1);
        EXPECT_EQ(ledger.live.size(), 1U);
    }
    EXPECT_TRUE(ledger.live.empty());
}

CONTRACT(shared_family, the_control_block_of_a_null_pointer_comes_from_the_allocator) {
    support::ledger ledger;
    int calls = 0;
    {
        const typename TestFixture::template pointer<object> p(
            nullptr, [&](std::nullptr_t) { ++calls; }, TestFixture::recording(ledger));
        EXPECT_EQ(ledger.live.size(), 1U);
    }
    EXPECT_EQ(calls, 1);
}

CONTRACT(shared_family, reset_takes_the_new_control_block_from_the_allocator) {
    support::ledger ledger;
    auto p = TestFixture::make();
    p.reset(new object(2), [](const object* q) { delete q; }, TestFixture::recording(ledger));
    EXPECT_EQ(ledger.live.size(), 1U);
    p.reset();
    EXPECT_TRUE(ledger.live.empty());
}

CONTRACT(shared_family, an_allocated_object_and_its_count_are_one_allocation) {
    support::ledger ledger;
    {
        const auto p = TestFixture::allocate(TestFixture::recording(ledger), 7);
        EXPECT_EQ(p->value, 7);
        EXPECT_EQ(p.use_count(), 1);
        ASSERT_EQ(ledger.live.size(), 1U);
        const auto& [begin, block] = *ledger.live.begin();
        const auto offset = reinterpret_cast<std::uintptr_t>(p.get()) - reinterpret_cast<std::uintptr_t>(begin);
        EXPECT_LE(offset + sizeof(object), block.bytes);
    }
    EXPECT_TRUE(ledger.live.empty());
    EXPECT_EQ(ledger.allocations, 1);
}

CONTRACT(shared_family, an_allocated_object_is_constructed_and_destroyed_through_the_allocator) {
    support::ledger ledger;
    {
        const auto p = TestFixture::allocate(TestFixture::recording(ledger));
        EXPECT_EQ(ledger.constructed, 1);
        EXPECT_EQ(ledger.destroyed, 0);
    }
    EXPECT_EQ(ledger.constructed, 1);
    EXPECT_EQ(ledger.destroyed, 1);
}

CONTRACT(shared_family, an_object_is_destroyed_with_its_last_owner_and_its_memory_freed_with_its_last_weak_pointer) {
    support::ledger ledger;
    auto p = TestFixture::allocate(TestFixture::recording(ledger));
    auto weak = TestFixture::weak_to(p);
    auto second_weak = weak;
    p.reset();
    EXPECT_EQ(TestFixture::destroyed(), 1);
    EXPECT_EQ(ledger.live.size(), 1U);
    weak.reset();
    EXPECT_EQ(ledger.live.size(), 1U);
    second_weak.reset();
    EXPECT_TRUE(ledger.live.empty());
}

CONTRACT(shared_family, memory_is_freed_with_the_last_owner_after_all_weak_pointers) {
    support::ledger ledger;
    auto p = TestFixture::allocate(TestFixture::recording(ledger));
    {
        const auto weak = TestFixture::weak_to(p);
    }
    EXPECT_EQ(ledger.live.size(), 1U);
    p.reset();
    EXPECT_TRUE(ledger.live.empty());
}

CONTRACT(shared_family, a_minimal_allocator_is_enough) {
    const minimal_allocator<char> allocator(0);
    {
        const auto p = TestFixture::allocate(allocator, 7);
    }
    EXPECT_EQ(TestFixture::destroyed(), 1);
    {
        const auto p = TestFixture::own(new object, [](object* q) { delete q; }, allocator);
    }
    EXPECT_EQ(TestFixture::destroyed(), 2);
}

CONTRACT(shared_family, an_over_aligned_object_is_aligned) {
    EXPECT_TRUE(is_aligned(TestFixture::template make<over_aligned>().get(), 256));
    const minimal_allocator<char> allocator(0);
    EXPECT_TRUE(is_aligned(TestFixture::template allocate<over_aligned>(allocator).get(), 256));
}

CONTRACT(shared_family, an_object_may_overload_the_address_operator) {
    const auto p = TestFixture::template make<secretive>(7);
    EXPECT_EQ(p->value, 7);
    const auto q = TestFixture::own(new secretive(8));
    EXPECT_EQ(q->value, 8);
}

CONTRACT(shared_family, an_object_and_its_deleter_may_overload_comma_and_address) {
    {
        const auto housed = TestFixture::template make<jealous>();
        const auto owned = TestFixture::own(new jealous, jealous_deleter(), minimal_allocator<jealous>(0));
        const auto array = TestFixture::template make<jealous[]>(3);
        EXPECT_NE(freehold::get_deleter<jealous_deleter>(owned), nullptr);
    }
    EXPECT_EQ(TestFixture::destroyed(), 5);
}

CONTRACT(shared_family, memory_goes_back_to_the_allocator_it_came_from) {
    support::ledger first;
    support::ledger second;
    auto p = TestFixture::allocate(TestFixture::recording(first), 1);
    auto q = TestFixture::allocate(TestFixture::recording(second), 2);
    swap(p, q);
    EXPECT_EQ(p->value, 2);
    p = q;
    EXPECT_TRUE(second.live.empty());
    EXPECT_EQ(first.live.size(), 1U);
    p.reset();
    q.reset();
    EXPECT_TRUE(first.live.empty());
}

CONTRACT(shared_family, a_constant_object_can_be_made) {
    const auto p = TestFixture::template make<const object>(7);
    EXPECT_EQ(p->value, 7);
    const auto q = TestFixture::template make<const volatile int>(8);
    EXPECT_EQ(*q, 8);
}

CONTRACT(shared_family, arguments_reach_the_constructor_as_they_were_given) {
    int reference = 1;
    int moved = 2;
    const int constant = 3;
    const auto p = TestFixture::template make<arguments_kept>(reference, std::move(moved), constant);
    EXPECT_EQ(p->by_reference, &reference);
    EXPECT_EQ(p->by_move, &moved);
    EXPECT_EQ(p->by_constant, &constant);
}

CONTRACT(shared_family, an_object_is_value_initialized) {
    for (int i = 0; i < 100; ++i) {
        auto p = TestFixture::template make<long>();
        EXPECT_EQ(*p, 0);
        *p = -1;
    }
}

}  // namespace contracts
