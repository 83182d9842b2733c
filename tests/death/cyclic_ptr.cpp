#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>

#include <thread>

#include "support/precondition.hpp"

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::make_cyclic;

namespace {

struct node {
    int value = 0;
    cyclic_ptr<node> next;
};

struct forgets_a_member {
    void trace(auto& visit) const { visit(first); }

    cyclic_ptr<node> first;
    cyclic_ptr<node> second;
};

struct visits_twice {
    void trace(auto& visit) const { visit(next, next); }

    cyclic_ptr<visits_twice> next;
};

struct looks_for_roots {
    ~looks_for_roots() { static_cast<void>(cycle_collector::roots()); }
    cyclic_ptr<node> next;
};

}  // namespace

TEST(cyclic_ptr_death, null_is_not_dereferenced) {
    const cyclic_ptr<node> p;
    EXPECT_PRECONDITION(*p, "pointer_ != nullptr");
    EXPECT_PRECONDITION(p->value, "pointer_ != nullptr");
}

TEST(cyclic_ptr_death, another_thread_does_not_copy) {
    const auto p = make_cyclic<node>();
    EXPECT_PRECONDITION(std::thread([&p] { const auto copy = p; }).join(), ".*this_cyclic_thread.id");
}

TEST(cyclic_ptr_death, a_member_that_is_not_traced_is_noticed) {
    EXPECT_PRECONDITION(make_cyclic<forgets_a_member>(), "trace_visits_every_member");
}

TEST(cyclic_ptr_death, a_member_that_is_visited_twice_is_noticed) {
    EXPECT_PRECONDITION(
        [] {
            auto p = make_cyclic<visits_twice>();
            p->next = p;
            p.reset();
            cycle_collector::collect();
        }(),
        "owners_less_one_ != no_owner");
}

TEST(cyclic_ptr_death, roots_are_not_asked_for_in_a_destructor) {
    EXPECT_PRECONDITION(make_cyclic<looks_for_roots>().reset(), ".*is_destroying.*");
}
