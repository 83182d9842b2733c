#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>

#include <memory>
#include <optional>
#include <utility>

#include "support/precondition.hpp"

using freehold::concurrent_cyclic_ptr;
using freehold::concurrent_cyclic_weak_ptr;
using freehold::cyclic_heap;

namespace {

struct node {
    int value = 0;
    concurrent_cyclic_ptr<node> next;
};

struct pauses_at_its_end {
    ~pauses_at_its_end() { const cyclic_heap::pause waiting(*session); }

    cyclic_heap::session* session;
};

struct counts_at_its_end {
    ~counts_at_its_end() { static_cast<void>(heap->objects()); }

    cyclic_heap* heap;
};

// A heap with an owner, and a session as long as a test wants it.
struct cyclic_heap_death : testing::Test {
    void TearDown() override {
        if (!session) session.emplace(heap);
        owner.reset();
        session.reset();
    }

    cyclic_heap heap;
    std::optional<cyclic_heap::session> session{heap};
    concurrent_cyclic_ptr<node> owner = heap.make<node>();
};

}  // namespace

TEST_F(cyclic_heap_death, an_owner_is_not_used_without_a_session) {
    const concurrent_cyclic_weak_ptr<node> weak = owner;
    session.reset();
    EXPECT_PRECONDITION(concurrent_cyclic_ptr<node>(owner), ".*this_cyclic_session != nullptr");
    EXPECT_PRECONDITION(concurrent_cyclic_ptr<node>(std::move(owner)), ".*this_cyclic_session != nullptr");
    EXPECT_PRECONDITION(owner.reset(), ".*this_cyclic_session != nullptr");
    EXPECT_PRECONDITION(*owner, ".*this_cyclic_session != nullptr");
    EXPECT_PRECONDITION(owner->value, ".*this_cyclic_session != nullptr");
    EXPECT_PRECONDITION(weak.lock(), ".*this_cyclic_session != nullptr");
    EXPECT_PRECONDITION(weak.use_count(), ".*this_cyclic_session != nullptr");
    EXPECT_FALSE(weak.expired());
    EXPECT_PRECONDITION(std::make_unique<concurrent_cyclic_ptr<node>>(std::move(owner)),
                        ".*this_cyclic_session != nullptr");
}

TEST_F(cyclic_heap_death, an_owner_is_not_used_in_a_pause) {
    const cyclic_heap::pause waiting(*session);
    EXPECT_PRECONDITION(owner->value, ".*this_cyclic_session != nullptr");
}

TEST_F(cyclic_heap_death, an_owner_is_not_used_in_a_session_of_another_heap) {
    const concurrent_cyclic_weak_ptr<node> weak = owner;
    session.reset();
    cyclic_heap other;
    const cyclic_heap::session in_other(other);
    EXPECT_PRECONDITION(concurrent_cyclic_ptr<node>(owner), ".*registry == &.*registry");
    EXPECT_PRECONDITION(owner->value, ".*registry == &.*registry");
    EXPECT_PRECONDITION(weak.use_count(), ".*registry == &.*registry");
    EXPECT_PRECONDITION(heap.make<node>(), ".*registry == &registry_");
    EXPECT_PRECONDITION(heap.collect(), ".*registry == &registry_");
}

TEST_F(cyclic_heap_death, nothing_is_made_or_collected_without_a_session) {
    session.reset();
    EXPECT_PRECONDITION(heap.make<node>(), ".*this_cyclic_session != nullptr");
    EXPECT_PRECONDITION(heap.collect(), ".*this_cyclic_session != nullptr");
    EXPECT_PRECONDITION(heap.objects(), ".*this_cyclic_session != nullptr");
}

TEST_F(cyclic_heap_death, a_thread_has_one_session_at_a_time) {
    EXPECT_PRECONDITION(cyclic_heap::session(heap), ".*this_cyclic_session == nullptr");
}

TEST_F(cyclic_heap_death, a_heap_is_not_destroyed_before_its_sessions) {
    session.reset();
    EXPECT_PRECONDITION(
        [] {
            std::optional<cyclic_heap> ending(std::in_place);
            const cyclic_heap::session in_it(*ending);
            ending.reset();
        }(),
        ".*has_sessions.*");
}

TEST_F(cyclic_heap_death, a_heap_is_not_destroyed_before_the_owners_of_its_objects) {
    session.reset();
    EXPECT_PRECONDITION(
        [] {
            concurrent_cyclic_ptr<node> owner_outside;
            cyclic_heap ending;
            const cyclic_heap::session in_it(ending);
            owner_outside = ending.make<node>();
        }(),
        "everything_is_destroyed");
}

TEST_F(cyclic_heap_death, a_destructor_does_not_stop_the_heap) {
    EXPECT_PRECONDITION(heap.make<counts_at_its_end>(&heap).reset(), ".*is_destroying");
    EXPECT_PRECONDITION(heap.make<pauses_at_its_end>(&*session).reset(), ".*is_destroying");
}
