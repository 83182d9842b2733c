// What a build without NDEBUG tells of misuses of a traced_heap. docs/guide/traced-misuses.md lists them by these
// names.

#include <freehold/diagnosis/traced_snapshot.hpp>
#include <freehold/traced.hpp>

#include <coroutine>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support/precondition.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;

struct node {
    int value = 0;
    traced_ptr<node> next = {};
};

// Effects: collects, and makes other objects where the freed ones were.
void collect_and_reuse(traced_heap& heap) {
    heap.collect();
    for (int i = 0; i < 10'000; ++i) static_cast<void>(heap.make_unrooted<node>(i));
}

struct detaches {
    explicit detaches(traced_heap& heap) { heap.detach(); }
    void trace(auto& /*visit*/) const {}
};

// Two pointers, of which its trace names one.
class forgets_a_member {
public:
    forgets_a_member() {}
    void trace(auto& visit) const { visit(first_); }

private:
    traced_ptr<node> first_;
    traced_ptr<node> second_;
};

class forgets_an_array {
public:
    forgets_an_array() {}
    void trace(auto& visit) const { visit(first_); }

private:
    traced_ptr<node> first_;
    traced_ptr<node> more_[3];
};

class forgets_its_base : public forgets_an_array {
public:
    void trace(auto& visit) const { visit(own_); }

private:
    traced_ptr<node> own_;
};

struct holds_one_that_forgets {
    int number = 0;
    forgets_a_member part;
};

// Its container is empty while it is constructed.
class forgets_a_container {
public:
    forgets_a_container() {}
    void trace(auto& visit) const { visit(first_); }

    std::vector<traced_ptr<node>> all;

private:
    traced_ptr<node> first_;
};

class forgets_an_optional {
public:
    forgets_an_optional() {}
    void trace(auto& visit) const { visit(first_); }

    std::optional<traced_ptr<node>> maybe;

private:
    traced_ptr<node> first_;
};

// What the compiler cannot look into.
class opaque {
public:
    opaque() : hidden() {}
    opaque(const opaque&) = delete;
    opaque& operator=(const opaque&) = delete;
    ~opaque() = default;

    std::unique_ptr<traced_ptr<node>> hidden;
};

struct holds_an_opaque_object {
    std::shared_ptr<opaque> shared;
};

class stores_itself_and_throws {
public:
    stores_itself_and_throws(std::vector<traced_root<stores_itself_and_throws>>& registry) {
        registry.push_back(traced_view(this));
        throw std::runtime_error("not made");
    }
    void trace(auto& visit) const { visit(next); }

    traced_ptr<node> next;
};

struct dying;

struct hospital {
    traced_ptr<dying> last;
};

struct dying {
    freehold::untraced<hospital*> told_at_the_end;
    traced_ptr<node> friend_of_it = {};
    bool reads = false;

    dying(hospital* told, traced_ptr<node> first, bool reads_it)
        : told_at_the_end(told), friend_of_it(first), reads(reads_it) {}
    dying(const dying&) = delete;
    dying& operator=(const dying&) = delete;
    ~dying() {
        if (told_at_the_end.get() != nullptr) told_at_the_end->last = traced_view(this);
        if (reads) friend_of_it->value = 1;
    }
    void trace(auto& visit) const { visit(friend_of_it); }
};

// Stores its neighbor, which may die with it, in a vector.
struct testator {
    testator(std::vector<traced_ptr<node>>& given, traced_ptr<node> first) : heirs(&given), left(first) {}
    testator(const testator&) = delete;
    testator& operator=(const testator&) = delete;
    ~testator() { heirs->push_back(left); }
    void trace(auto& visit) const { visit(left); }

    freehold::untraced<std::vector<traced_ptr<node>>*> heirs;
    traced_ptr<node> left;
};

struct family {
    std::vector<traced_ptr<node>> heirs;
};

struct task {
    struct promise_type {
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };

    std::coroutine_handle<promise_type> handle;
};

task wait_with_a_pointer(traced_heap& heap) {
    const traced_ptr<node> kept = heap.make<node>(1);
    co_await std::suspend_always();
    static_cast<void>(kept->value);
}

struct generator {
    struct promise_type : freehold::traced_promise<promise_type> {
        generator get_return_object() { return {frame()}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };

    traced_local<freehold::traced_frame> frame;
};

generator hold(traced_heap& /*heap*/, traced_local<node> held) {
    co_await std::suspend_always();
    static_cast<void>(held->value);
}

generator hold_unseen(traced_heap& heap) {
    const traced_ptr<node> unseen = heap.make<node>(1);
    co_await std::suspend_always();
    static_cast<void>(unseen->value);
}

traced_ptr<node> static_pointer;
thread_local traced_ptr<node> thread_local_pointer;

}  // namespace

TEST(traced_misuses_death, a_member_that_trace_forgets) {
    traced_heap heap;
    EXPECT_PRECONDITION(heap.make<forgets_a_member>(), "trace_visits_every_member");
}

TEST(traced_misuses_death, an_array_that_trace_forgets) {
    traced_heap heap;
    EXPECT_PRECONDITION(heap.make<forgets_an_array>(), "trace_visits_every_member");
}

TEST(traced_misuses_death, a_base_that_trace_forgets) {
    traced_heap heap;
    EXPECT_PRECONDITION(heap.make<forgets_its_base>(), "trace_visits_every_member");
}

TEST(traced_misuses_death, a_part_whose_trace_forgets) {
    traced_heap heap;
    EXPECT_PRECONDITION(heap.make<holds_one_that_forgets>(), "trace_visits_every_member");
}

TEST(traced_misuses_death, a_container_that_trace_forgets) {
    const auto misuse = [] {
        traced_heap heap;
        const auto object = heap.make<forgets_a_container>();
        object->all.push_back(heap.make<node>(1));
        collect_and_reuse(heap);
        static_cast<void>(object->all.front()->value);
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_misuses_death, an_optional_that_trace_forgets) {
    const auto misuse = [] {
        traced_heap heap;
        const auto object = heap.make<forgets_an_optional>();
        object->maybe = heap.make<node>(1);
        heap.collect();
        static_cast<void>((*object->maybe)->value);
    };
    EXPECT_PRECONDITION(misuse(), "no_collection_freed_the_object");
}

TEST(traced_misuses_death, a_traced_ptr_in_an_opaque_object) {
    const auto misuse = [] {
        traced_heap heap;
        const auto object = heap.make<holds_an_opaque_object>(std::make_shared<opaque>());
        object->shared->hidden = std::make_unique<traced_ptr<node>>(heap.make<node>(1));
        collect_and_reuse(heap);
        static_cast<void>((*object->shared->hidden)->value);
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_misuses_death, a_traced_ptr_in_a_variable) {
    const auto misuse = [] {
        traced_heap heap;
        const traced_ptr<node> variable = heap.make<node>(1);
        collect_and_reuse(heap);
        static_cast<void>(variable->value);
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_misuses_death, a_traced_ptr_in_a_static) {
    const auto misuse = [] {
        traced_heap heap;
        static_pointer = heap.make<node>(1);
        collect_and_reuse(heap);
        static_cast<void>(static_pointer->value);
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_misuses_death, a_traced_ptr_in_a_thread_local) {
    const auto misuse = [] {
        traced_heap heap;
        thread_local_pointer = heap.make<node>(1);
        collect_and_reuse(heap);
        static_cast<void>(thread_local_pointer->value);
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_misuses_death, a_traced_ptr_in_a_coroutine) {
    const auto misuse = [] {
        traced_heap heap;
        const task waiting = wait_with_a_pointer(heap);
        collect_and_reuse(heap);
        waiting.handle.resume();
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_misuses_death, a_traced_ptr_in_a_function) {
    const auto misuse = [] {
        traced_heap heap;
        const std::function<int()> closure = [kept = traced_ptr<node>(heap.make<node>(1))] { return kept->value; };
        collect_and_reuse(heap);
        static_cast<void>(closure());
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_misuses_death, a_vector_of_traced_ptrs_on_the_stack) {
    const auto misuse = [] {
        traced_heap heap;
        std::vector<traced_ptr<node>> nodes;
        for (int i = 0; i < 100; ++i) nodes.push_back(heap.make<node>(i));
        collect_and_reuse(heap);
        static_cast<void>(nodes[50]->value);
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_misuses_death, a_traced_ptr_outside_is_copied) {
    const auto misuse = [] {
        traced_heap heap;
        std::vector<traced_ptr<node>> nodes = {heap.make<node>(1)};
        collect_and_reuse(heap);
        const traced_local<node> late = nodes.front();
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_misuses_death, a_view_is_used_after_a_collection) {
    const auto misuse = [] {
        traced_heap heap;
        const traced_view<node> view = heap.make_unrooted<node>(1);
        heap.collect();
        static_cast<void>(view->value);
    };
    EXPECT_PRECONDITION(misuse(), "no_collection_freed_the_object");
}

TEST(traced_misuses_death, a_view_is_rooted_after_a_collection) {
    const auto misuse = [] {
        traced_heap heap;
        const traced_view<node> view = heap.make_unrooted<node>(1);
        heap.collect();
        const traced_local<node> late = view;
        static_cast<void>(late->value);
    };
    EXPECT_PRECONDITION(misuse(), "no_collection_freed_the_object");
}

TEST(traced_misuses_death, a_handle_is_used_after_its_heap) {
    const auto misuse = [] {
        traced_heap other;
        auto heap = std::make_unique<traced_heap>();
        const traced_view<node> view = heap->make_unrooted<node>(1);
        heap.reset();
        static_cast<void>(view->value);
    };
    EXPECT_PRECONDITION(misuse(), "the_object_is_in_a_heap_of_this_thread");
}

TEST(traced_misuses_death, a_traced_ptr_to_an_object_of_another_heap) {
    const auto misuse = [] {
        traced_heap one;
        traced_heap other;
        const auto object = one.make<node>(1);
        object->next = other.make<node>(2);
    };
    EXPECT_PRECONDITION(misuse(), "both_are_in_one_heap");
}

TEST(traced_misuses_death, an_object_is_made_with_one_of_another_heap) {
    const auto misuse = [] {
        traced_heap one;
        traced_heap other;
        const auto object = other.make<node>(1);
        static_cast<void>(one.make<node>(2, object));
    };
    EXPECT_PRECONDITION(misuse(), "both_are_in_one_heap");
}

TEST(traced_misuses_death, a_root_is_used_in_another_thread) {
    const auto misuse = [] {
        traced_heap heap;
        const traced_root<node> root = heap.make<node>(1);
        std::thread([&root] { static_cast<void>(root->value); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_object_is_in_a_heap_of_this_thread");
}

TEST(traced_misuses_death, a_root_is_copied_in_another_thread) {
    const auto misuse = [] {
        traced_heap heap;
        const traced_root<node> root = heap.make<node>(1);
        std::thread([&root] { const traced_root<node> copy = root; }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_object_is_in_a_heap_of_this_thread");
}

TEST(traced_misuses_death, a_traced_ptr_is_assigned_in_another_thread) {
    const auto misuse = [] {
        traced_heap heap;
        const auto object = heap.make<node>(1);
        const traced_view<node> view = object;
        std::thread([view, raw = object.get()] { raw->next = view; }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_object_is_in_a_heap_of_this_thread");
}

TEST(traced_misuses_death, a_heap_is_used_while_it_is_detached) {
    traced_heap heap;
    static_cast<void>(heap.make<node>(1));  // the next one needs no more than an addition
    heap.detach();
    EXPECT_PRECONDITION(heap.make_unrooted<node>(2), "only.stack.is_attached_here\\(\\)");
    EXPECT_PRECONDITION(heap.make_array<int>(2), "only.stack.is_attached_here\\(\\)");
    EXPECT_PRECONDITION(heap.collect_young(), "only.stack.is_attached_here\\(\\)");
    EXPECT_PRECONDITION(heap.trim(), "only.stack.is_attached_here\\(\\)");
    EXPECT_PRECONDITION(traced_heap::deferral(heap), "only.stack.is_attached_here\\(\\)");
}

TEST(traced_misuses_death, a_snapshot_is_taken_of_a_detached_heap) {
    traced_heap heap;
    heap.detach();
    EXPECT_PRECONDITION(freehold::snapshot_of(heap), "only.stack.is_attached_here\\(\\)");
}

TEST(traced_misuses_death, a_heap_is_detached_twice) {
    traced_heap heap;
    heap.detach();
    EXPECT_PRECONDITION(heap.detach(), "only.stack.is_attached_here\\(\\)");
}

TEST(traced_misuses_death, a_heap_is_detached_in_another_thread) {
    const auto misuse = [] {
        traced_heap heap;
        std::thread([&heap] { heap.detach(); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "only.stack.is_attached_here\\(\\)");
}

TEST(traced_misuses_death, a_heap_is_attached_to_two_threads) {
    const auto misuse = [] {
        traced_heap heap;
        std::thread([&heap] { heap.attach(); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "only.stack.is_detached\\(\\)");
    traced_heap heap;
    EXPECT_PRECONDITION(heap.attach(), "only.stack.is_detached\\(\\)");
}

TEST(traced_misuses_death, a_heap_is_asked_while_another_thread_has_it) {
    const auto misuse = [] {
        const traced_heap heap;
        std::thread([&heap] { static_cast<void>(heap.live_bytes()); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "only.stack.is_detached\\(\\) \\|\\| only.stack.is_attached_here\\(\\)");
}

TEST(traced_misuses_death, a_heap_is_destroyed_while_another_thread_has_it) {
    const auto misuse = [] {
        auto heap = std::make_unique<traced_heap>();
        std::thread([&heap] { heap.reset(); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "only.stack.is_detached\\(\\) \\|\\| only.stack.is_attached_here\\(\\)");
}

TEST(traced_misuses_death, a_heap_is_detached_while_a_local_refers_to_it) {
    traced_heap heap;
    const traced_local<node> object = heap.make<node>(1);
    EXPECT_PRECONDITION(heap.detach(), "only.stack.has_no_locals\\(\\)");
}

TEST(traced_misuses_death, a_heap_is_detached_while_a_local_in_a_container_refers_to_it) {
    traced_heap heap;
    std::vector<traced_local<node>> objects;
    objects.emplace_back(heap.make<node>(1));
    EXPECT_PRECONDITION(heap.detach(), "only.stack.has_no_locals\\(\\)");
}

TEST(traced_misuses_death, a_heap_is_detached_by_a_constructor) {
    traced_heap heap;
    EXPECT_PRECONDITION(heap.make<detaches>(heap), "!is_in_a_call");
}

TEST(traced_misuses_death, a_heap_is_detached_by_a_finalizer) {
    traced_heap heap;
    heap.add_finalizer(heap.make<node>(1), [&heap](node&) { heap.detach(); });
    EXPECT_PRECONDITION(heap.collect(), "!is_in_a_call");
}

TEST(traced_misuses_death, a_heap_is_detached_during_a_deferral) {
    traced_heap heap;
    const traced_heap::deferral change(heap);
    EXPECT_PRECONDITION(heap.detach(), "!is_in_a_call");
}

TEST(traced_misuses_death, a_deferral_ends_in_another_thread) {
    traced_heap heap;
    std::optional<traced_heap::deferral> change(std::in_place, heap);
    EXPECT_PRECONDITION(std::thread([&change] { change.reset(); }).join(), "only.stack.is_attached_here\\(\\)");
}

TEST(traced_misuses_death, a_thread_ends_and_leaves_its_heap_attached) {
    traced_heap heap;
    heap.detach();
    EXPECT_PRECONDITION(std::thread([&heap] { heap.attach(); }).join(), "the_thread_has_no_heap");
}

TEST(traced_misuses_death, a_handle_is_used_while_its_heap_is_detached) {
    traced_heap heap;
    const traced_view<node> view = heap.make_unrooted<node>(1);
    heap.detach();
    EXPECT_PRECONDITION(view->value, "the_object_is_in_a_heap_of_this_thread");
}

TEST(traced_misuses_death, a_weak_pointer_is_locked_while_its_heap_is_detached) {
    traced_heap heap;
    const freehold::traced_weak_ptr<node> weak = heap.make_unrooted<node>(1);
    heap.detach();
    EXPECT_PRECONDITION(weak.lock(), "the_object_is_in_a_heap_of_this_thread");
    heap.attach();
}

TEST(traced_misuses_death, a_root_is_destroyed_while_its_heap_is_detached) {
    const auto misuse = [] {
        traced_heap heap;
        const traced_root<node> root = heap.make<node>(1);
        heap.detach();
    };
    EXPECT_PRECONDITION(misuse(), "the_handle_is_to_a_heap_of_this_thread");
}

TEST(traced_misuses_death, a_root_is_reset_in_another_thread) {
    const auto misuse = [] {
        traced_heap heap;
        traced_root<node> root = heap.make<node>(1);
        std::thread([&root] { root.reset(); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_handle_is_to_a_heap_of_this_thread");
}

TEST(traced_misuses_death, an_ephemeron_is_reset_in_another_thread) {
    const auto misuse = [] {
        traced_heap heap;
        const traced_local<node> object = heap.make<node>(1);
        freehold::ephemeron<node, node> pair(object, object);
        std::thread([&pair] { pair.reset(); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_handle_is_to_a_heap_of_this_thread");
}

TEST(traced_misuses_death, a_constructor_stores_this_and_throws) {
    const auto misuse = [] {
        traced_heap heap;
        std::vector<traced_root<stores_itself_and_throws>> registry;
        try {
            static_cast<void>(heap.make<stores_itself_and_throws>(registry));
        } catch (const std::runtime_error&) {
        }
        collect_and_reuse(heap);
        static_cast<void>(registry.front()->next);
    };
    EXPECT_PRECONDITION(misuse(), "the_constructor_did_not_throw");
}

TEST(traced_misuses_death, a_destructor_stores_this) {
    const auto misuse = [] {
        traced_heap heap;
        const auto kept = heap.make<hospital>();
        static_cast<void>(heap.make<dying>(kept.get(), nullptr, false));
        heap.collect();
    };
    EXPECT_PRECONDITION(misuse(), "no_live_object_points_to_a_dying_one");
}

TEST(traced_misuses_death, a_destructor_uses_an_object_that_dies_with_it) {
    const auto misuse = [] {
        traced_heap heap;
        static_cast<void>(heap.make<dying>(nullptr, heap.make<node>(1), true));
        heap.collect();
    };
    EXPECT_PRECONDITION(misuse(), "no_collection_freed_the_object");
}

TEST(traced_misuses_death, a_destructor_stores_a_neighbor_in_a_container) {
    traced_heap heap;
    const auto kept = heap.make<family>();
    const auto die = [&] {
        static_cast<void>(heap.make<testator>(kept->heirs, heap.make<node>(1)));
        heap.collect();
    };
    EXPECT_PRECONDITION((die(), kept->heirs.back()->value), "not_from_a_destructor_of_an_object_that_died_with_it");
    EXPECT_PRECONDITION((die(), heap.collect()), "not_from_a_destructor_of_an_object_that_died_with_it");
}

TEST(traced_misuses_death, a_traced_ptr_in_a_coroutine_in_the_heap) {
    const auto misuse = [] {
        traced_heap heap;
        const generator made = hold_unseen(heap);
        made.frame->resume();
        collect_and_reuse(heap);
        made.frame->resume();
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_misuses_death, a_coroutine_is_resumed_in_another_thread) {
    const auto misuse = [] {
        traced_heap heap;
        const traced_root<freehold::traced_frame> frame = hold(heap, nullptr).frame;
        std::thread([raw = frame.get()] { raw->resume(); }).join();
    };
    EXPECT_PRECONDITION(misuse(), "the_object_is_in_a_heap_of_this_thread");
}

TEST(traced_misuses_death, a_coroutine_is_resumed_while_its_heap_is_detached) {
    traced_heap heap;
    freehold::traced_frame* const frame = hold(heap, nullptr).frame.get();
    heap.detach();
    EXPECT_PRECONDITION(frame->resume(), "the_object_is_in_a_heap_of_this_thread");
}

TEST(traced_misuses_death, a_coroutine_is_resumed_that_is_done) {
    traced_heap heap;
    const generator made = hold(heap, heap.make<node>(1));
    made.frame->destroy();
    EXPECT_PRECONDITION(made.frame->resume(), "!done\\(\\)");
    EXPECT_PRECONDITION(made.frame->promise<generator::promise_type>(), "record_.coroutine != nullptr");
}

TEST(traced_misuses_death, a_traced_local_in_a_coroutine_is_to_an_object_of_another_heap) {
    traced_heap heap;
    traced_heap other;
    const generator made = hold(heap, other.make<node>(1));
    EXPECT_PRECONDITION(heap.collect(), "the_local_is_to_an_object_of_the_heap_of_the_frame");
}
