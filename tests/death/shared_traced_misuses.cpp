// Objects of a heap that threads share are used in a thread without a session.

#include <freehold/diagnosis/traced_snapshot.hpp>
#include <freehold/traced/atomic_traced_ptr.hpp>
#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/shared_traced_heap.hpp>
#include <freehold/traced/traced_frame.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_root.hpp>
#include <freehold/traced/traced_vector.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include <coroutine>
#include <functional>
#include <optional>
#include <thread>

#include "support/precondition.hpp"

namespace {

using freehold::atomic_traced_ptr;
using freehold::shared_traced_heap;
using freehold::traced_frame;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_vector;

struct node {
    int value = 0;
    traced_ptr<node> next = {};
};

struct place {
    atomic_traced_ptr<node> held;
};

// A session that a test ends when it wants.
struct used_heap {
    shared_traced_heap heap;
    std::optional<shared_traced_heap::session> session{std::in_place, heap};
};

struct suspended {
    struct promise_type : freehold::traced_promise<promise_type> {
        suspended get_return_object() { return {frame()}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };

    traced_local<traced_frame> frame;
};

suspended suspend_with(shared_traced_heap& /*heap*/, traced_local<node> held) {
    co_await std::suspend_always();
    held->value = 1;
}

// Calls a function when it is made.
struct calls_at_first {
    explicit calls_at_first(const std::function<void()>& at_first) { at_first(); }
};

}  // namespace

TEST(shared_traced_misuses_death, a_handle_is_used_without_a_session) {
    const auto misuse = [] {
        used_heap used;
        const traced_root<node> root = used.heap.make<node>();
        std::thread([&root] { static_cast<void>(root->value); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_thread_has_a_session_of_the_heap");
}

TEST(shared_traced_misuses_death, a_local_is_used_after_its_session) {
    used_heap used;
    traced_root<node> root = used.heap.make<node>();
    used.session.reset();
    EXPECT_PRECONDITION(traced_local<node>(root)->value, "the_thread_has_a_session_of_the_heap");
    used.session.emplace(used.heap);
    root.reset();
}

TEST(shared_traced_misuses_death, a_handle_outlives_the_session_that_set_it) {
    static traced_root<node> root;
    static freehold::traced_weak_ptr<node> weak;
    static freehold::ephemeron<node, node> both;
    used_heap used;
    root = used.heap.make<node>();
    weak = root;
    both = freehold::ephemeron<node, node>(root, root);
    used.session.reset();
    EXPECT_PRECONDITION(root.reset(), "the_thread_has_a_session_of_the_heap");
    EXPECT_PRECONDITION(weak.reset(), "the_thread_has_a_session_of_the_heap");
    EXPECT_PRECONDITION(both.reset(), "the_thread_has_a_session_of_the_heap");
    EXPECT_PRECONDITION(weak.lock(), "the_thread_has_a_session_of_the_heap");
    EXPECT_PRECONDITION(both.key(), "the_thread_has_a_session_of_the_heap");
    EXPECT_PRECONDITION(traced_root<node>(root), "the_thread_has_a_session_of_the_heap");
}

TEST(shared_traced_misuses_death, a_handle_of_another_heap_needs_an_attachment) {
    const used_heap used;
    const auto misuse = [] {
        freehold::traced_heap heap;
        const traced_root<node> root = heap.make<node>();
        std::thread([&root] { static_cast<void>(root->value); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_object_is_in_a_heap_of_this_thread");
}

TEST(shared_traced_misuses_death, a_pointer_is_assigned_without_a_session) {
    const auto misuse = [] {
        used_heap used;
        const traced_local<node> one = used.heap.make<node>();
        const traced_local<node> other = used.heap.make<node>();
        std::thread([from = one.get(), to = &other] { from->next = *to; }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_thread_has_a_session_of_the_heap");
}

TEST(shared_traced_misuses_death, an_atomic_pointer_is_followed_without_a_session) {
    const auto misuse = [] {
        used_heap used;
        const traced_local<place> one = used.heap.make<place>();
        one->held = used.heap.make<node>();
        std::thread([from = one.get()] { from->held.load()->value = 1; }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_thread_has_a_session_of_the_heap");
}

TEST(shared_traced_misuses_death, an_atomic_pointer_is_emptied_without_a_session) {
    const auto misuse = [] {
        used_heap used;
        const traced_local<place> one = used.heap.make<place>();
        std::thread([from = one.get()] { from->held.store(nullptr); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_thread_has_a_session_of_the_heap");
}

TEST(shared_traced_misuses_death, an_atomic_pointer_in_a_variable) {
    const auto misuse = [] {
        used_heap used;
        atomic_traced_ptr<node> variable;
        variable.store(used.heap.make<node>());
        used.heap.collect();
        static_cast<void>(variable.load());
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(shared_traced_misuses_death, a_deferral_ends_in_another_thread) {
    const auto misuse = [] {
        used_heap used;
        std::optional<shared_traced_heap::deferral> change(std::in_place, used.heap);
        std::thread([&change] { change.reset(); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_thread_has_a_session_of_this_heap");
}

TEST(shared_traced_misuses_death, a_container_grows_without_a_session) {
    const auto misuse = [] {
        used_heap used;
        const traced_local<traced_vector<int>> numbers = used.heap.make<traced_vector<int>>();
        std::thread([grows = numbers.get()] { grows->push_back(1); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_thread_has_a_session_of_the_heap");
}

TEST(shared_traced_misuses_death, a_coroutine_is_called_without_a_session) {
    shared_traced_heap heap;
    EXPECT_PRECONDITION(suspend_with(heap, nullptr), "the_thread_has_a_session_of_this_heap");
}

TEST(shared_traced_misuses_death, a_coroutine_is_resumed_without_a_session) {
    const auto misuse = [] {
        used_heap used;
        const suspended made = suspend_with(used.heap, used.heap.make<node>());
        std::thread([frame = made.frame.get()] { frame->resume(); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_thread_has_a_session_of_the_heap");
}

TEST(shared_traced_misuses_death, a_snapshot_is_taken_without_a_session) {
    shared_traced_heap heap;
    EXPECT_PRECONDITION(freehold::snapshot_of(heap), "the_thread_has_a_session_of_this_heap");
}

TEST(shared_traced_misuses_death, a_snapshot_is_taken_while_an_object_is_made) {
    used_heap used;
    const auto misuse = [&] {
        static_cast<void>(used.heap.make<calls_at_first>([&] { static_cast<void>(freehold::snapshot_of(used.heap)); }));
    };
    EXPECT_PRECONDITION(misuse(), "no_object_is_being_made_or_destroyed");
}
