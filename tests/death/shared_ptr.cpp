#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/cached_snapshot.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>

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
