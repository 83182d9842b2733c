#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/cached_snapshot.hpp>
#include <freehold/pointers/default_deleter.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>

#include <memory>

#include "support/precondition.hpp"

namespace {

struct object {
    int value = 0;
};

}  // namespace

TEST(shared_ptr_death, null_is_not_dereferenced) {
    const freehold::shared_ptr<object> p;
    const freehold::local_shared_ptr<object> q;
    const freehold::biased_shared_ptr<object> r;
    const freehold::sharded_shared_ptr<object> s;
    EXPECT_PRECONDITION(*p, "pointer_ != nullptr");
    EXPECT_PRECONDITION(p->value, "pointer_ != nullptr");
    EXPECT_PRECONDITION(*q, "pointer_ != nullptr");
    EXPECT_PRECONDITION(q->value, "pointer_ != nullptr");
    EXPECT_PRECONDITION(*r, "pointer_ != nullptr");
    EXPECT_PRECONDITION(r->value, "pointer_ != nullptr");
    EXPECT_PRECONDITION(*s, "pointer_ != nullptr");
    EXPECT_PRECONDITION(s->value, "pointer_ != nullptr");
}

TEST(shared_ptr_death, a_null_snapshot_is_not_dereferenced) {
    const freehold::atomic_shared_ptr<object> atomic;
    const auto read = atomic.snapshot();
    freehold::cached_snapshot cached(atomic);
    EXPECT_PRECONDITION(*read, "pointer_ != nullptr");
    EXPECT_PRECONDITION(read->value, "pointer_ != nullptr");
    EXPECT_PRECONDITION(*cached, "value != nullptr");
    EXPECT_PRECONDITION(cached->value, "value != nullptr");
}

TEST(shared_ptr_death, a_null_array_has_no_elements) {
    const freehold::shared_ptr<int[]> p;
    EXPECT_PRECONDITION(p[0], "pointer_ != nullptr");
}

TEST(shared_ptr_death, an_array_has_no_element_before_its_first) {
    const freehold::shared_ptr<int[]> p(new int[2]{});
    EXPECT_PRECONDITION(p[-1], "pointer_ != nullptr && i >= 0");
}

TEST(shared_ptr_death, an_array_of_known_bound_has_no_element_behind_its_last) {
    const freehold::shared_ptr<int[2]> p(new int[2]{});
    EXPECT_EQ(p[1], 0);
    EXPECT_PRECONDITION(p[2], "std::extent_v<T> == 0");
}

// What owns an object and deletes it is not reset to it: each of two owners would delete it.

namespace {

struct first {
    virtual ~first() = default;
    int value = 0;
};

struct second {
    virtual ~second() = default;
    int value = 0;
};

struct both : first, second {
    first part;
};

template <class T>
struct shared_ptr_reset_death : testing::Test {};

template <class Counting>
struct counted {
    template <class T>
    using pointer = freehold::shared_ptr<T, Counting>;
};

using counted_in_every_way = testing::Types<counted<freehold::atomic_counting>, counted<freehold::plain_counting>,
                                            counted<freehold::biased_counting>, counted<freehold::sharded_counting>>;

}  // namespace

TYPED_TEST_SUITE(shared_ptr_reset_death, counted_in_every_way);

TYPED_TEST(shared_ptr_reset_death, its_own_object) {
    using pointer = typename TypeParam::template pointer<object>;
    const std::allocator<object> allocator;
    pointer made_by_new(new object);
    EXPECT_PRECONDITION(made_by_new.reset(made_by_new.get()), "!handle_.deletes\\(object\\)");
    EXPECT_PRECONDITION(made_by_new.reset(made_by_new.get(), allocator), "!handle_.deletes\\(object\\)");
    EXPECT_PRECONDITION(made_by_new.reset(std::allocator_arg, allocator, made_by_new.get()),
                        "!handle_.deletes\\(object\\)");
    pointer shared = made_by_new;
    EXPECT_PRECONDITION(shared.reset(shared.get()), "!handle_.deletes\\(object\\)");
    pointer from_unique = std::make_unique<object>();
    EXPECT_PRECONDITION(from_unique.reset(from_unique.get()), "!handle_.deletes\\(object\\)");
    pointer with_allocator(new object, freehold::default_deleter(), allocator);
    EXPECT_PRECONDITION(with_allocator.reset(with_allocator.get()), "!handle_.deletes\\(object\\)");
}

TEST(shared_ptr_death, an_object_beside_its_count_is_not_reset_to_itself) {
    auto shared = freehold::make_shared<object>();
    EXPECT_PRECONDITION(shared.reset(shared.get()), "!handle_.deletes\\(object\\)");
    auto local = freehold::make_local_shared<object>();
    EXPECT_PRECONDITION(local.reset(local.get()), "!handle_.deletes\\(object\\)");
    auto sharded = freehold::make_sharded_shared<object>();
    EXPECT_PRECONDITION(sharded.reset(sharded.get()), "!handle_.deletes\\(object\\)");
    auto copy = sharded;
    EXPECT_PRECONDITION(copy.reset(copy.get()), "!handle_.deletes\\(object\\)");
    auto array = freehold::make_shared<int[]>(3);
    EXPECT_PRECONDITION(array.reset(array.get()), "!handle_.deletes\\(object\\)");
    EXPECT_PRECONDITION(array.reset(array.get() + 2), "!handle_.deletes\\(object\\)");
}

TYPED_TEST(shared_ptr_reset_death, its_own_object_with_a_deleter_that_deletes_it) {
    typename TypeParam::template pointer<object> p(new object);
    EXPECT_PRECONDITION(p.reset(p.get(), freehold::default_deleter()), "!handle_.deletes\\(object\\)");
    EXPECT_PRECONDITION(p.reset(p.get(), std::default_delete<object>()), "!handle_.deletes\\(object\\)");
    EXPECT_PRECONDITION(p.reset(p.get(), freehold::default_deleter(), std::allocator<object>()),
                        "!handle_.deletes\\(object\\)");
}

TYPED_TEST(shared_ptr_reset_death, its_own_object_by_another_name) {
    const typename TypeParam::template pointer<both> owner(new both);
    typename TypeParam::template pointer<second> base = owner;
    EXPECT_PRECONDITION(base.reset(base.get()), "!handle_.deletes\\(object\\)");
    EXPECT_PRECONDITION(base.reset(static_cast<both*>(base.get())), "!handle_.deletes\\(object\\)");
    typename TypeParam::template pointer<first> member(owner, &owner->part);
    EXPECT_PRECONDITION(member.reset(member.get()), "!handle_.deletes\\(object\\)");
    typename TypeParam::template pointer<const both> constant = owner;
    EXPECT_PRECONDITION(constant.reset(constant.get()), "!handle_.deletes\\(object\\)");
}

TYPED_TEST(shared_ptr_reset_death, its_own_array) {
    typename TypeParam::template pointer<int[]> made_by_new(new int[3]);
    EXPECT_PRECONDITION(made_by_new.reset(made_by_new.get()), "!handle_.deletes\\(object\\)");
    typename TypeParam::template pointer<int[]> from_unique = std::make_unique<int[]>(3);
    EXPECT_PRECONDITION(from_unique.reset(from_unique.get()), "!handle_.deletes\\(object\\)");
}

namespace {

struct self : freehold::enable_shared_from_this<self> {};

}  // namespace

TEST(shared_ptr_death, an_object_that_knows_its_owner_gets_no_other_first_one) {
    const freehold::shared_ptr<self> p(new self);
    EXPECT_PRECONDITION(freehold::shared_ptr<self>(p.get()),
                        "!\\(handle.deletes\\(object\\) && earlier.deletes\\(object\\)\\)");
    const auto q = freehold::make_shared<self>();
    EXPECT_PRECONDITION(freehold::shared_ptr<self>(q.get()),
                        "!\\(handle.deletes\\(object\\) && earlier.deletes\\(object\\)\\)");
}
