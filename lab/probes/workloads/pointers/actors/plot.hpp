#pragma once
// actors: `x` threads send messages to each other. To answer one, a thread makes two: a reply, which is in a cycle with
// the message it replies to and stays until the next one, and the next message, which it posts to another thread.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>

#include "harness/histogram.hpp"
#include "harness/threads.hpp"
#include "registry/extents.hpp"
#include "workloads/pointers/operation_times.hpp"
#include "workloads/program.hpp"

namespace lab::actors {

constexpr int messages_of_an_actor = 100;
constexpr int most_hops = 1'000;

template <class Form>
concept stops_threads = requires { Form::stops(); };

// The program. A Form names message, which has number, hops, other and from; owner<T>, a variable that keeps a T; list,
// of owners of messages in a mailbox; make<T>(arguments...); and session, which a thread has while it uses objects,
// with lock(mutex) and idle(). Form::actor has `last`, its last reply.
template <class Form>
class office {
    using message = typename Form::message;
    using actor = typename Form::actor;
    using owner = typename Form::template owner<message>;
    using session = typename Form::session;

public:
    static std::uint64_t run(int threads) {
        left = threads * messages_of_an_actor;
        sum = 0;
        actors = threads;
        times.clear();
        run_in_threads(threads, act, 0);
        if constexpr (stops_threads<Form>) {
            operation_times::keep(threads, times, Form::stops());
        } else {
            operation_times::keep(threads, times, {});
        }
        return sum;
    }

private:
    struct alignas(64) mailbox {
        std::mutex mutex;
        typename Form::list messages;
    };

    static void act(int thread, long) {
        session own;
        office worker(own, thread);
        worker.work();
        const std::lock_guard held(result);
        times.add(worker.times_);
        sum += worker.sum_;
    }

    office(session& own, int thread) : session_(own), thread_(thread), actor_(Form::template make<actor>()) {}

    void work() {
        for (int number = 0; number < messages_of_an_actor; ++number) {
            post(number, 0);
        }
        while (left.load() != 0) {
            typename Form::list received;
            {
                const auto held = session_.lock(boxes[thread_].mutex);
                received.swap(boxes[thread_].messages);
            }
            if (received.empty()) {
                session_.idle();
            }
            for (const auto& each : received) {
                const auto started = std::chrono::steady_clock::now();
                answer(each);
                times_.add(static_cast<std::uint64_t>((std::chrono::steady_clock::now() - started).count()));
            }
        }
    }

    void answer(const owner& received) {
        const owner reply = Form::template make<message>(received->number, received->hops);
        reply->from = actor_;
        reply->other = received;
        received->other = reply;
        actor_->last = reply;
        sum_ += static_cast<std::uint64_t>(received->number) + static_cast<std::uint64_t>(received->hops);
        if (received->hops == most_hops) {
            --left;
        } else {
            post(received->number, received->hops + 1);
        }
    }

    void post(int number, int hops) {
        owner next = Form::template make<message>(number, hops);
        next->from = actor_;
        mailbox& box = boxes[(thread_ + number) % actors];
        const auto held = session_.lock(box.mutex);
        box.messages.push_back(std::move(next));
    }

    static inline mailbox boxes[most_threads];
    static inline std::mutex result;
    static inline histogram times;
    static inline std::uint64_t sum;
    static inline std::atomic<int> left;
    static inline int actors;

    session& session_;
    int thread_;
    typename Form::template owner<actor> actor_;
    histogram times_;
    std::uint64_t sum_ = 0;
};

// The threads work at once, so that the time that passes is measured.
template <class Program>
struct answered {
    static constexpr auto plot = [] {
        using times = with_operation_times<extents, Program, "messages", ", stop">;
        auto all = [] {
            if constexpr (stops_threads<Program>) {
                return times::plot;
            } else {
                return times::of_each;
            }
        }();
        all.front().measured_by = clock::wall;
        return all;
    }();

    static std::uint64_t checksum() { return program<extents, Program>::found; }
};

}  // namespace lab::actors
