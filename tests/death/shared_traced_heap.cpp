#include <freehold/traced/shared_traced_heap.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <freehold/traced/traced_root.hpp>

#include "support/precondition.hpp"

namespace {

using freehold::shared_traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;

struct shared_object {
    traced_ptr<shared_object> next;
};

// Calls a function when it is made, or when it is destroyed.
struct caller {
    caller(std::function<void()> at_first, std::function<void()> at_last) : last(std::move(at_last)) { at_first(); }
    caller(const caller&) = delete;
    caller& operator=(const caller&) = delete;
    ~caller() { last(); }
    void trace(auto&) const {}
    std::function<void()> last;
};

struct stops_in_silence {
    explicit stops_in_silence(shared_traced_heap::session& its) noexcept { its.safepoint(); }
    void trace(auto&) const {}
};

}  // namespace

TEST(shared_traced_heap_death, a_thread_without_a_session_does_not_use_the_heap) {
    shared_traced_heap heap;
    EXPECT_PRECONDITION(heap.make<shared_object>(), "the_thread_has_a_session_of_this_heap");
    EXPECT_PRECONDITION(heap.make_array<int>(3), "the_thread_has_a_session_of_this_heap");
    EXPECT_PRECONDITION(heap.collect(), "the_thread_has_a_session_of_this_heap");
    EXPECT_PRECONDITION(heap.trim(), "the_thread_has_a_session_of_this_heap");
    EXPECT_PRECONDITION(shared_traced_heap::deferral(heap), "the_thread_has_a_session_of_this_heap");
}

TEST(shared_traced_heap_death, a_session_is_of_one_heap) {
    shared_traced_heap heap;
    shared_traced_heap other;
    const shared_traced_heap::session session(other);
    EXPECT_PRECONDITION(heap.make<shared_object>(), "the_thread_has_a_session_of_this_heap");
}

TEST(shared_traced_heap_death, a_thread_has_one_session_at_a_time) {
    shared_traced_heap heap;
    shared_traced_heap other;
    const shared_traced_heap::session session(heap);
    EXPECT_PRECONDITION(shared_traced_heap::session(heap), "detail::traced_session::here == nullptr");
    EXPECT_PRECONDITION(shared_traced_heap::session(other), "detail::traced_session::here == nullptr");
}

TEST(shared_traced_heap_death, a_session_ends_in_its_thread) {
    shared_traced_heap heap;
    auto session = std::make_unique<shared_traced_heap::session>(heap);
    EXPECT_PRECONDITION(std::thread([&] { session.reset(); }).join(), "detail::traced_session::here == &self_");
}

TEST(shared_traced_heap_death, a_session_ends_without_locals) {
    shared_traced_heap heap;
    const auto misuse = [&] {
        traced_local<shared_object> left;
        const shared_traced_heap::session session(heap);
        left = heap.make<shared_object>();
    };
    EXPECT_PRECONDITION(misuse(), "self_.stack.has_no_locals\\(\\)");
}

TEST(shared_traced_heap_death, a_session_does_not_end_or_pause_in_a_deferral) {
    shared_traced_heap heap;
    auto session = std::make_unique<shared_traced_heap::session>(heap);
    const shared_traced_heap::deferral change(heap);
    EXPECT_PRECONDITION(session.reset(), "!self_.heap.is_in_a_call");
    EXPECT_PRECONDITION(shared_traced_heap::pause(*session), "!self_.heap.is_in_a_call");
}

TEST(shared_traced_heap_death, a_session_does_not_pause_in_a_call_of_the_heap) {
    bool pauses = true;  // the heap has an object that asks it at last
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    const auto pause = [&] {
        if (pauses) const shared_traced_heap::pause waiting(session);
    };
    EXPECT_PRECONDITION(heap.make<caller>(pause, [] {}), "!self_.heap.is_in_a_call");
    static_cast<void>(heap.make<caller>([] {}, pause));
    EXPECT_PRECONDITION(heap.collect(), "!self_.heap.is_in_a_call");
    const auto finalize = [&] {
        heap.add_finalizer(heap.make<shared_object>(), [&](shared_object&) { pause(); });
        heap.collect();
    };
    EXPECT_PRECONDITION(finalize(), "!self_.heap.is_in_a_call");
    pauses = false;
}

TEST(shared_traced_heap_death, a_session_pauses_once_in_its_thread) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    EXPECT_PRECONDITION(std::thread([&] { const shared_traced_heap::pause waiting(session); }).join(),
                        "detail::traced_session::here == &self_");
    const shared_traced_heap::pause waiting(session);
    EXPECT_PRECONDITION(shared_traced_heap::pause(session), "detail::traced_session::here == &self_");
}

TEST(shared_traced_heap_death, a_pausing_session_locks_nothing) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    std::mutex mutex;
    const shared_traced_heap::pause waiting(session);
    EXPECT_PRECONDITION(session.lock(mutex), "detail::traced_session::here == &self_");
}

TEST(shared_traced_heap_death, a_noexcept_constructor_has_no_safepoint) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    EXPECT_PRECONDITION(heap.make<stops_in_silence>(session), "constructing_without_exceptions == 0");
}

TEST(shared_traced_heap_death, a_pausing_thread_does_not_use_the_heap) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    const traced_local<shared_object> kept = heap.make<shared_object>();
    const shared_traced_heap::pause waiting(session);
    EXPECT_PRECONDITION(heap.make<shared_object>(), "the_thread_has_a_session_of_this_heap");
    EXPECT_PRECONDITION(session.safepoint(), "detail::traced_session::here == &self_");
    EXPECT_PRECONDITION(kept->next, "the_thread_has_a_session_of_the_heap");
    EXPECT_PRECONDITION(traced_root<shared_object>(kept), "the_thread_has_a_session_of_the_heap");
}

TEST(shared_traced_heap_death, a_heap_is_destroyed_after_its_sessions) {
    auto heap = std::make_unique<shared_traced_heap>();
    const shared_traced_heap::session session(*heap);
    EXPECT_PRECONDITION(heap.reset(), "the_heap_has_no_session");
}

TEST(shared_traced_heap_death, a_heap_is_destroyed_without_a_session_of_another) {
    shared_traced_heap other;
    auto heap = std::make_unique<shared_traced_heap>();
    const shared_traced_heap::session session(other);
    EXPECT_PRECONDITION(heap.reset(), "detail::traced_session::here == nullptr");
}

TEST(shared_traced_heap_death, no_stack_is_conservative) {
    EXPECT_PRECONDITION(shared_traced_heap({.conservative_stack = true}), "!collector_.options\\(\\)");
}

TEST(shared_traced_heap_death, a_root_is_destroyed_in_a_thread_with_a_session) {
    shared_traced_heap heap;
    traced_root<shared_object> root;
    {
        const shared_traced_heap::session session(heap);
        root = heap.make<shared_object>();
    }
    EXPECT_PRECONDITION(root.reset(), "the_thread_has_a_session_of_the_heap");
    const shared_traced_heap::session session(heap);
    root.reset();
}

TEST(shared_traced_heap_death, a_thread_ends_without_a_session) {
    shared_traced_heap heap;
    const auto misuse = [&] {
        std::unique_ptr<shared_traced_heap::session> session;
        std::thread([&] { session = std::make_unique<shared_traced_heap::session>(heap); }).join();
        static_cast<void>(session.release());  // NOLINT(bugprone-unused-return-value)
    };
    EXPECT_PRECONDITION(misuse(), "the_thread_has_no_session");
}
