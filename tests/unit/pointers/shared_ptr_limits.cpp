// shared_ptr when a count is full: nothing dangles. One copy stands for many: see support/repeated_counting.hpp.

#include <gtest/gtest.h>
#include <freehold/counting/atomic_counting.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <limits>
#include <new>

#include "support/repeated_counting.hpp"
#include "support/tracked.hpp"

namespace {

using counting = support::repeated_counting<freehold::atomic_counting>;
using pointer = freehold::shared_ptr<support::tracked, counting>;
using weak = freehold::weak_ptr<support::tracked, counting>;

constexpr freehold::count_word too_many_owners = freehold::count_word{1} << 35;
constexpr freehold::count_word too_many_weak = freehold::count_word{1} << 27;

// Effects: makes so many copies that are never destroyed.
template <class Handle>
void leak_copies(const Handle& handle, freehold::count_word copies) {
    const support::repeat repeated(copies);
    alignas(Handle) unsigned char memory[sizeof(Handle)];
    ::new (memory) Handle(handle);
}

// The object and its block are meant to be leaked: they live in the test's own storage.
class shared_ptr_limits : public support::tracked_test {
protected:
    // What the deleter would do, but does not free.
    struct destroy_object {
        void operator()(support::tracked*) const { ++*destroyed; }
        int* destroyed;
    };

    template <class T>
    struct local_memory {
        using value_type = T;

        explicit local_memory(shared_ptr_limits& fixture) : test(&fixture) {}

        template <class U>
        local_memory(const local_memory<U>& other) : test(other.test) {}

        T* allocate(std::size_t) {
            static_assert(sizeof(T) <= sizeof(test->memory));
            return reinterpret_cast<T*>(test->memory);
        }

        void deallocate(T*, std::size_t) { ++test->freed; }

        template <class U>
        friend bool operator==(const local_memory& a, const local_memory<U>& b) {
            return a.test == b.test;
        }

        shared_ptr_limits* test;
    };

    pointer make() { return pointer(&object, destroy_object{&destroyed}, local_memory<support::tracked>(*this)); }

    void TearDown() override {}

    alignas(16) unsigned char memory[128] = {};
    support::tracked object;
    int destroyed = 0;
    int freed = 0;
};

}  // namespace

TEST_F(shared_ptr_limits, an_object_with_too_many_owners_outlives_them_all) {
    auto p = make();
    leak_copies(p, too_many_owners);
    const weak watch = p;
    for (int i = 0; i < 10; ++i) {
        const auto copy = p;
        EXPECT_EQ(copy.use_count(), std::numeric_limits<long>::max());
    }
    p.reset();
    EXPECT_EQ(destroyed, 0);
    EXPECT_EQ(watch.lock().get(), &object);
    EXPECT_FALSE(watch.expired());
}

TEST_F(shared_ptr_limits, an_object_with_too_many_weak_pointers_outlives_its_owners) {
    auto p = make();
    weak watch = p;
    leak_copies(watch, too_many_weak);
    p.reset();
    EXPECT_EQ(destroyed, 0);
    EXPECT_EQ(watch.lock().get(), &object);
    watch.reset();
    EXPECT_EQ(freed, 0);
}

TEST_F(shared_ptr_limits, an_expired_object_with_too_many_weak_pointers_stays_expired_and_keeps_its_memory) {
    auto p = make();
    weak watch = p;
    p.reset();
    EXPECT_EQ(destroyed, 1);
    leak_copies(watch, too_many_weak);
    EXPECT_TRUE(watch.expired());
    EXPECT_FALSE(watch.lock());
    EXPECT_THROW(pointer{watch}, std::bad_weak_ptr);
    watch.reset();
    EXPECT_EQ(freed, 0);
}
