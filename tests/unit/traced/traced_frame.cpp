#include <gtest/gtest.h>
#include <freehold/traced.hpp>

#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <latch>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/heap_in_thread.hpp"
#include "support/heap_session.hpp"
#include "support/traced_numbers.hpp"

namespace {

using freehold::shared_traced_heap;
using freehold::traced_frame;
using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using support::heap_in_thread;
using support::traced_numbers;

struct node {
    int value = 0;
    traced_ptr<node> next = {};
    traced_ptr<traced_frame> frame = {};
};

// Counts those that exist.
struct witness {
    explicit witness(int& counted) : count(&counted) { ++*count; }
    witness(const witness& other) : count(other.count) { ++*count; }
    witness& operator=(const witness&) = delete;
    ~witness() { --*count; }
    int* count;
};

// Runs at once, to its end.
struct fire {
    struct promise_type : freehold::traced_promise<promise_type> {
        fire get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};

template <class Heap>
traced_numbers values_of(Heap& heap, traced_local<node> list, witness /*lives*/) {
    for (; list; list = list->next) {
        const traced_local<node> more = heap.template make<node>(1000 + list->value);
        co_yield list->value;
        co_yield more->value;
    }
}

// The node of the returned frame points back to it.
template <class Heap>
traced_numbers ring(Heap& heap, witness /*lives*/, traced_local<node>* made) {
    const traced_local<node> own = heap.template make<node>(1);
    if (made != nullptr) *made = own;
    co_yield 1;
    co_yield own->value + 1;
}

// The compiler must keep all of the text in the frame.
[[gnu::noinline]] int last_of(const unsigned char* text, std::size_t bytes) {
    asm volatile("" : "+r"(text) : : "memory");
    return text[bytes - 1];
}

template <std::size_t bytes, class Heap>
traced_numbers large(Heap& heap, witness /*lives*/) {
    std::array<unsigned char, bytes> text = {};
    traced_local<node> own = heap.template make<node>(7);
    text.fill(3);
    co_yield last_of(text.data(), bytes);
    own->frame = nullptr;
    co_yield own->value + last_of(text.data(), bytes);
}

template <class Heap>
void fill(Heap& heap) {
    for (int i = 0; i < 10'000; ++i) static_cast<void>(heap.template make_unrooted<node>(-1));
}

struct task {
    struct promise_type : freehold::traced_promise<promise_type> {
        struct resumes_caller {
            [[nodiscard]] bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept {
                const traced_view<traced_frame> caller = done.promise().caller;
                if (caller == nullptr) return std::noop_coroutine();
                return caller->handle();
            }
            void await_resume() noexcept {}
        };

        task get_return_object() { return {frame()}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        resumes_caller final_suspend() noexcept { return {}; }
        void return_value(int given) { value = given; }
        void unhandled_exception() { throw; }

        traced_local<traced_frame> caller;
        int value = 0;
    };

    [[nodiscard]] bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> caller) noexcept {
        frame->promise<promise_type>().caller = caller.promise().frame();
        return frame->handle();
    }
    int await_resume() noexcept { return frame->promise<promise_type>().value; }

    traced_local<traced_frame> frame;
};

template <class Heap>
traced_numbers throws_at_once(Heap& heap, witness lives, const witness& also) {
    const traced_local<node> own = heap.template make<node>(1);
    if (lives.count == also.count) throw std::runtime_error("thrown");
    co_yield own->value;
}

struct table {
    std::array<traced_ptr<node>, 5000> nodes;
};

// Takes nodes out of the table, and holds some of them while it is suspended.
template <class Heap>
traced_numbers shuffle(Heap& heap, traced_local<table> all) {
    std::array<traced_local<node>, 20> held;
    std::size_t next = 0;
    for (std::size_t step = 0;; ++step) {
        traced_local<node>& mine = held[step % held.size()];
        if (mine != nullptr) {
            const traced_local<node> same = heap.template make<node>(mine->value);
            all->nodes[static_cast<std::size_t>(mine->value)] = same;
        }
        next = (next * 13 + 7) % all->nodes.size();
        mine = all->nodes[next];
        all->nodes[next] = nullptr;
        if (mine != nullptr && static_cast<std::size_t>(mine->value) != next) co_yield -1;
        co_yield 1;
    }
}

template <class Heap>
traced_numbers throwing(Heap& heap, witness /*lives*/) {
    const traced_local<node> own = heap.template make<node>(1);
    co_yield own->value;
    throw std::runtime_error("thrown");
}

// Writes over what calls have left on the stack.
[[gnu::noinline]] void clear_stack() {
    std::array<char, 65536> cleared;
    volatile char* const begin = cleared.data();
    for (std::size_t i = 0; i < cleared.size(); ++i) begin[i] = 0;
}

template <class Function>
[[gnu::noinline]] void call(Function& function) {
    function();
}

// Calls it far below the caller's frame.
template <class Function>
[[gnu::noinline]] void call_below(Function& function) {
    std::array<char, 4096> distance;
    volatile char* const used = distance.data();
    *used = 0;
    call(function);
    *used = 1;
}

// Calls it, and leaves nothing of that on the stack.
template <class Function>
[[gnu::noinline]] void away(Function function) {
    call_below(function);
    clear_stack();
}

template <class Heap>
traced_local<node> list_of(Heap& heap, int size) {
    traced_local<node> list;
    for (int i = size; i > 0; --i) list = heap.template make<node>(i, list);
    return list;
}

// A test before has left words behind, which are addresses of frames if its chunk comes again.
class frames_on_a_clear_stack : public testing::Test {
protected:
    void SetUp() override { clear_stack(); }
};

template <class Heap>
class traced_frame_in : public frames_on_a_clear_stack {};

class frames_in_threads : public frames_on_a_clear_stack {};

using heaps_of_frames = testing::Types<traced_heap, shared_traced_heap>;
TYPED_TEST_SUITE(traced_frame_in, heaps_of_frames);

}  // namespace

TYPED_TEST(traced_frame_in, keeps_what_its_locals_lead_to) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    const traced_numbers values = values_of(heap, list_of(heap, 3), witness(lives));
    EXPECT_EQ(lives, 1);
    for (int i = 1; i <= 3; ++i) {
        heap.collect_young();
        fill(heap);
        EXPECT_EQ(values.next(), i);
        heap.collect();
        fill(heap);
        EXPECT_EQ(values.next(), 1000 + i);
        heap.collect_young();
        heap.collect_young();
        fill(heap);
    }
    EXPECT_FALSE(values.frame->done());
    values.frame->resume();
    EXPECT_TRUE(values.frame->done());
    EXPECT_EQ(lives, 1);  // its parameters live on until it is destroyed
}

TYPED_TEST(traced_frame_in, is_freed_when_nothing_reaches_it) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    away([&] {
        for (int i = 0; i < 10; ++i) {
            const traced_numbers values = values_of(heap, list_of(heap, 3), witness(lives));
            EXPECT_EQ(values.next(), 1);
        }
    });
    EXPECT_EQ(lives, 10);
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TYPED_TEST(traced_frame_in, is_freed_before_it_first_runs_and_after_its_end) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    away([&] {
        static_cast<void>(values_of(heap, nullptr, witness(lives)));
        values_of(heap, nullptr, witness(lives)).frame->resume();
    });
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TYPED_TEST(traced_frame_in, is_freed_with_objects_that_lead_back_to_it) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    away([&] {
        for (int i = 0; i < 10; ++i) {
            traced_local<node> inside;
            const traced_numbers values = ring(heap, witness(lives), &inside);
            EXPECT_EQ(values.next(), 1);
            inside->frame = values.frame;
        }
    });
    heap.collect_young();
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TYPED_TEST(traced_frame_in, lives_on_by_any_handle) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    traced_root<traced_frame> root;
    const traced_local<node> holder = heap.template make<node>();
    away([&] {
        root = ring(heap, witness(lives), nullptr).frame;
        holder->frame = ring(heap, witness(lives), nullptr).frame;
    });
    for (int i = 0; i < 3; ++i) heap.collect();
    EXPECT_EQ(lives, 2);
    away([&] {
        root->resume();
        heap.collect_young();
        fill(heap);
        root->resume();
        EXPECT_EQ(root->promise<traced_numbers::promise_type>().value, 2);
        root.reset();
    });
    away([&] { holder->frame->resume(); });
    heap.collect();
    EXPECT_EQ(lives, 1);
    away([&] { holder->frame->resume(); });
    holder->frame = nullptr;
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TYPED_TEST(traced_frame_in, that_runs_is_not_freed) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    const auto run = [&] {
        const auto body = [](TypeParam& in, witness /*lives*/, int& result) -> fire {
            const traced_local<node> own = in.template make<node>(5);
            for (int i = 0; i < 3; ++i) {
                in.collect();
                fill(in);
                result += own->value;
            }
            co_return;
        };
        int result = 0;
        body(heap, witness(lives), result);
        return result;
    };
    EXPECT_EQ(run(), 15);
    EXPECT_EQ(lives, 0);
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TYPED_TEST(traced_frame_in, may_be_large) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    away([&] {
        const traced_numbers some = large<20'000>(heap, witness(lives));
        const traced_numbers more = large<300'000>(heap, witness(lives));
        const traced_numbers most = large<6'000'000>(heap, witness(lives));
        for (const traced_numbers* each : {&some, &more, &most}) {
            EXPECT_EQ(each->next(), 3);
            heap.collect();
            fill(heap);
            EXPECT_EQ(each->next(), 10);
        }
        EXPECT_EQ(lives, 3);
    });
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TYPED_TEST(traced_frame_in, ends_with_an_exception) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    away([&] {
        const traced_numbers values = throwing(heap, witness(lives));
        EXPECT_EQ(values.next(), 1);
        EXPECT_THROW(values.frame->resume(), std::runtime_error);
        EXPECT_TRUE(values.frame->done());
    });
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TYPED_TEST(traced_frame_in, of_a_coroutine_is_resumed_by_one_that_it_awaits) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    traced_root<traced_frame> innermost;
    struct pause {
        traced_root<traced_frame>& kept;
        [[nodiscard]] bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<task::promise_type> waits) noexcept { kept = waits.promise().frame(); }
        void await_resume() noexcept {}
    };
    struct sums {
        static task of(TypeParam& in, int depth, traced_root<traced_frame>& kept, witness seen) {
            const traced_local<node> own = in.template make<node>(depth);
            if (depth == 0) {
                co_await pause{kept};
                kept.reset();
                in.collect();
                co_return own->value;
            }
            const int rest = co_await of(in, depth - 1, kept, seen);
            in.collect();
            fill(in);
            co_return rest + own->value;
        }
    };
    int result = 0;
    away([&] {
        const auto run = [](TypeParam& in, traced_root<traced_frame>& kept, int& out, witness seen) -> task {
            out = co_await sums::of(in, 5, kept, seen);
            co_return 0;
        };
        run(heap, innermost, result, witness(lives)).frame->resume();
    });
    heap.collect();
    fill(heap);
    away([&] { innermost->resume(); });
    EXPECT_EQ(result, 15);
    heap.collect();
    EXPECT_EQ(lives, 0);
    away([&] { sums::of(heap, 5, innermost, witness(lives)).frame->resume(); });
    EXPECT_NE(lives, 0);
    innermost.reset();
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TYPED_TEST(traced_frame_in, of_a_coroutine_that_throws_before_it_suspends_is_destroyed) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    const witness also(lives);
    away([&] { EXPECT_THROW(throws_at_once(heap, witness(lives), also).frame->resume(), std::runtime_error); });
    heap.collect();
    EXPECT_EQ(lives, 1);
}

TYPED_TEST(traced_frame_in, is_destroyed_with_its_heap) {
    int lives = 0;
    {
        heap_in_thread<TypeParam> own;
        TypeParam& heap = own.heap;
        traced_local<node> inside;
        const traced_numbers values = ring(heap, witness(lives), &inside);
        static_cast<void>(values.next());
        inside->frame = values.frame;
        EXPECT_EQ(lives, 1);
    }
    EXPECT_EQ(lives, 0);
}

TYPED_TEST(traced_frame_in, is_destroyed_on_request) {
    int lives = 0;
    heap_in_thread<TypeParam> own;
    TypeParam& heap = own.heap;
    const traced_numbers values = values_of(heap, list_of(heap, 3), witness(lives));
    static_cast<void>(values.next());
    values.frame->destroy();
    EXPECT_EQ(lives, 0);
    EXPECT_TRUE(values.frame->done());
    values.frame->destroy();
    heap.collect();
    EXPECT_TRUE(values.frame->done());
}

TEST_F(frames_in_threads, goes_with_its_heap_from_thread_to_thread) {
    int lives = 0;
    traced_heap heap;
    traced_root<traced_frame> root;
    away([&] {
        root = values_of(heap, list_of(heap, 3), witness(lives)).frame;
        root->resume();
    });
    heap.detach();
    std::thread([&] {
        const traced_heap::attachment here(heap);
        heap.collect();
        fill(heap);
        root->resume();
        EXPECT_EQ(root->promise<traced_numbers::promise_type>().value, 1001);
        root->resume();
        heap.collect();
    }).join();
    heap.attach();
    away([&] {
        fill(heap);
        EXPECT_EQ(root->promise<traced_numbers::promise_type>().value, 2);
        root->resume();
        EXPECT_EQ(root->promise<traced_numbers::promise_type>().value, 1002);
        root.reset();
    });
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TYPED_TEST(traced_frame_in, is_not_made_without_memory) {
    int lives = 0;
    freehold::traced_heap_options options;
    options.limit_bytes = 8'000'000;
    heap_in_thread<TypeParam> own(options);
    TypeParam& heap = own.heap;
    EXPECT_THROW(static_cast<void>(large<6'000'000>(heap, witness(lives))), std::bad_alloc);
    EXPECT_EQ(lives, 0);
    const traced_numbers values = values_of(heap, list_of(heap, 1), witness(lives));
    EXPECT_EQ(values.next(), 1);
}

TYPED_TEST(traced_frame_in, is_traced_in_steps) {
    freehold::traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = 16 * 1024;
    options.min_full_bytes = 64 * 1024;
    options.pause_budget = 64;
    int lives = 0;
    heap_in_thread<TypeParam> own(options);
    TypeParam& heap = own.heap;
    const traced_local<node> keeps = list_of(heap, 20'000);
    const traced_numbers values = values_of(heap, list_of(heap, 1000), witness(lives));
    for (int i = 1; i <= 1000; ++i) {
        EXPECT_EQ(values.next(), i);
        for (int k = 0; k < 100; ++k) static_cast<void>(heap.template make_unrooted<node>(k));
        EXPECT_EQ(values.next(), 1000 + i);
        static_cast<void>(heap.template make_unrooted<std::string>("x"));
    }
    EXPECT_EQ(keeps->value, 1);
    EXPECT_EQ(lives, 1);
}

TYPED_TEST(traced_frame_in, may_take_objects_from_others_between_steps) {
    freehold::traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = 4 * 1024;
    options.min_full_bytes = 16 * 1024;
    options.pause_budget = 32;
    heap_in_thread<TypeParam> own(options);
    TypeParam& heap = own.heap;
    const traced_local<table> all = heap.template make<table>();
    for (int i = 0; i < 5000; ++i) all->nodes[static_cast<std::size_t>(i)] = heap.template make<node>(i);
    const traced_numbers shuffled = shuffle(heap, all);
    for (int i = 0; i < 100'000; ++i) ASSERT_EQ(shuffled.next(), 1) << i;
}

TYPED_TEST(traced_frame_in, is_collected_at_every_allocation) {
    freehold::traced_heap_options options;
    options.collect_at_every_allocation = true;
    int lives = 0;
    heap_in_thread<TypeParam> own(options);
    TypeParam& heap = own.heap;
    away([&] {
        const traced_numbers values = values_of(heap, list_of(heap, 5), witness(lives));
        for (int i = 1; i <= 5; ++i) {
            EXPECT_EQ(values.next(), i);
            EXPECT_EQ(values.next(), 1000 + i);
        }
    });
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TEST_F(frames_in_threads, goes_from_session_to_session) {
    int lives = 0;
    shared_traced_heap heap;
    traced_root<traced_frame> root;
    support::in_a_session(heap, [&](auto&) {
        away([&] {
            root = values_of(heap, list_of(heap, 3), witness(lives)).frame;
            root->resume();
        });
    });
    support::in_a_session(heap, [&](auto&) {
        heap.collect();
        fill(heap);
        root->resume();
        EXPECT_EQ(root->promise<traced_numbers::promise_type>().value, 1001);
        root->resume();
        heap.collect_young();
    });
    const shared_traced_heap::session session(heap);
    away([&] {
        fill(heap);
        EXPECT_EQ(root->promise<traced_numbers::promise_type>().value, 2);
        root->resume();
        EXPECT_EQ(root->promise<traced_numbers::promise_type>().value, 1002);
        root.reset();
    });
    EXPECT_EQ(lives, 1);
    heap.collect();
    EXPECT_EQ(lives, 0);
}

TEST_F(frames_in_threads, is_destroyed_by_another_session_than_that_which_has_made_it) {
    int lives = 0;
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    away([&] {
        const traced_numbers first = values_of(heap, list_of(heap, 3), witness(lives));
        traced_root<traced_frame> second = values_of(heap, list_of(heap, 3), witness(lives)).frame;
        static_cast<void>(first.next());
        second->resume();
        support::in_another_session(heap, session, [&](auto&) {
            second->destroy();
            EXPECT_EQ(lives, 1);
            second.reset();
        });
    });
    support::in_another_session(heap, session, [&](auto&) { heap.collect(); });
    EXPECT_EQ(lives, 0);
}

TEST_F(frames_in_threads, that_runs_in_another_session_is_not_freed) {
    struct stages {
        std::latch runs{1};
        std::atomic<bool> has_collected = false;
        int result = 0;
    };
    const auto body = [](shared_traced_heap& in, shared_traced_heap::session& its, witness /*lives*/, bool pauses,
                         stages& at) -> fire {
        const traced_local<node> own = in.make<node>(5);
        at.runs.count_down();
        if (pauses) {
            const shared_traced_heap::pause waiting(its);
            at.has_collected.wait(false);
        }
        while (!at.has_collected) its.safepoint();
        at.result = own->value;
        co_return;
    };
    for (const bool pauses : {false, true}) {
        int lives = 0;
        stages at;
        shared_traced_heap heap;
        shared_traced_heap::session session(heap);
        std::thread other([&] {
            shared_traced_heap::session its(heap);
            body(heap, its, witness(lives), pauses, at);
        });
        {
            const shared_traced_heap::pause waiting(session);
            at.runs.wait();
        }
        for (int i = 0; i < 3; ++i) {
            heap.collect();
            fill(heap);
        }
        at.has_collected = true;
        at.has_collected.notify_all();
        {
            const shared_traced_heap::pause waiting(session);
            other.join();
        }
        EXPECT_EQ(at.result, 5);
        EXPECT_EQ(lives, 0);
    }
}

TEST_F(frames_in_threads, keeps_what_each_session_stores_in_it) {
    int lives = 0;
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    const traced_numbers values = values_of(heap, list_of(heap, 100), witness(lives));
    heap.collect();
    for (int i = 1; i <= 100; ++i) {
        support::in_another_session(heap, session, [&](auto&) {
            EXPECT_EQ(values.next(), i);
            fill(heap);
            heap.collect_young();
        });
        heap.collect_young();
        EXPECT_EQ(values.next(), 1000 + i);
    }
    EXPECT_EQ(lives, 1);
}
