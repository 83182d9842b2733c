#include <gtest/gtest.h>
#include <freehold/cyclic/cyclic_cast.hpp>

#include <type_traits>
#include <utility>

#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>

#include "support/tracked.hpp"

using freehold::cyclic_from_this;
using freehold::cyclic_ptr;
using freehold::make_cyclic;

namespace {

struct shape {
    virtual ~shape() = default;
    [[nodiscard]] cyclic_ptr<shape> self() { return cyclic_from_this(this); }

    cyclic_ptr<shape> next;
    support::tracked part;

    void trace(auto& visit) const { visit(next); }
};

struct circle : shape {
    int radius = 3;

    void trace(auto& visit) const { shape::trace(visit); }
};

struct square : shape {
    void trace(auto& visit) const { shape::trace(visit); }
};

class cyclic_cast_test : public support::tracked_test {};

template <class T, class U>
concept casts = requires(const cyclic_ptr<U>& owner) { freehold::static_pointer_cast<T>(owner); };

}  // namespace

TEST_F(cyclic_cast_test, a_cast_by_copy_adds_an_owner) {
    const cyclic_ptr<shape> p = make_cyclic<circle>();
    const cyclic_ptr<circle> q = freehold::static_pointer_cast<circle>(p);
    EXPECT_EQ(q->radius, 3);
    EXPECT_EQ(q.use_count(), 2);
}

TEST_F(cyclic_cast_test, a_cast_by_move_takes_the_owner) {
    cyclic_ptr<shape> p = make_cyclic<circle>();
    const cyclic_ptr<circle> q = freehold::static_pointer_cast<circle>(std::move(p));
    EXPECT_EQ(p.get(), nullptr);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(q.use_count(), 1);
}

TEST_F(cyclic_cast_test, a_dynamic_cast_asks_for_the_type) {
    cyclic_ptr<shape> p = make_cyclic<circle>();
    EXPECT_EQ(freehold::dynamic_pointer_cast<square>(p), nullptr);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(freehold::dynamic_pointer_cast<square>(std::move(p)), nullptr);
    ASSERT_NE(p, nullptr);  // NOLINT(bugprone-use-after-move)
    const auto q = freehold::dynamic_pointer_cast<circle>(std::move(p));
    EXPECT_EQ(p, nullptr);
    EXPECT_EQ(q.use_count(), 1);
    EXPECT_EQ(freehold::dynamic_pointer_cast<circle>(cyclic_ptr<shape>()), nullptr);
}

TEST_F(cyclic_cast_test, const_is_cast_away) {
    const cyclic_ptr<const circle> p = make_cyclic<circle>();
    freehold::const_pointer_cast<circle>(p)->radius = 4;
    EXPECT_EQ(p->radius, 4);
    EXPECT_EQ(p.use_count(), 1);
}

TEST_F(cyclic_cast_test, only_classes_at_the_same_address_are_cast) {
    struct second {
        virtual ~second() = default;
    };
    struct both : shape, second {};
    static_assert(casts<both, shape>);
    static_assert(!casts<both, second>);
    static_assert(!casts<int, shape>);
}

TEST_F(cyclic_cast_test, an_object_makes_an_owner_of_itself) {
    auto p = make_cyclic<circle>();
    cyclic_ptr<shape> q = p->self();
    EXPECT_EQ(p.use_count(), 2);
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 0);
    q.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(cyclic_cast_test, an_object_of_a_heap_makes_an_owner_of_itself) {
    freehold::cyclic_heap heap;
    const freehold::cyclic_heap::session session(heap);
    const auto p = heap.make<int>(7);
    const freehold::concurrent_cyclic_ptr<int> q = cyclic_from_this<freehold::heap_domain>(p.get());
    EXPECT_EQ(q.use_count(), 2);
    EXPECT_EQ(freehold::static_pointer_cast<int>(q), p);
}
