#pragma once
// actors: `x` threads send messages to each other. To answer one, a thread makes two: a reply, which is in a cycle with
// the message it replies to and stays until the next one, and the next message, which it posts to another thread.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "harness/threads.hpp"
#include "registry/extents.hpp"
#include "workloads/pointers/timed_threads.hpp"

namespace lab::actors {

constexpr int messages_of_an_actor = 100;
constexpr int most_hops = 1'000;

// The program. A Form names message, which has number, hops, other and from; owner<T>, a variable that keeps a T; list,
// of owners of messages in a mailbox; make<T>(arguments...); and session, which a thread has while it uses objects,
// with lock(mutex) and idle(). Form::actor has `last`, its last reply.
template <class Form>
class office : timed_worker<Form> {
    using message = typename Form::message;
    using actor = typename Form::actor;
    using owner = typename Form::template owner<message>;
    using session = typename Form::session;
    friend timed_worker<Form>;

public:
    static std::uint64_t run(int threads) {
        left = threads * messages_of_an_actor;
        actors = threads;
        return office::template run_all<office>(threads);
    }

private:
    struct alignas(64) mailbox {
        std::mutex mutex;
        typename Form::list messages;
    };

    office(session& own, int thread) : timed_worker<Form>(own, thread), actor_(Form::template make<actor>()) {}

    void work() {
        for (int number = 0; number < messages_of_an_actor; ++number) {
            post(number, 0);
        }
        while (left.load() != 0) {
            typename Form::list received;
            {
                const auto held = this->session_.lock(boxes[this->thread_].mutex);
                received.swap(boxes[this->thread_].messages);
            }
            if (received.empty()) {
                this->session_.idle();
            }
            for (const auto& each : received) {
                this->time([&] { answer(each); });
            }
        }
    }

    void answer(const owner& received) {
        const owner reply = Form::template make<message>(received->number, received->hops);
        reply->from = actor_;
        reply->other = received;
        received->other = reply;
        actor_->last = reply;
        this->sum_ += static_cast<std::uint64_t>(received->number) + static_cast<std::uint64_t>(received->hops);
        if (received->hops == most_hops) {
            --left;
        } else {
            post(received->number, received->hops + 1);
        }
    }

    void post(int number, int hops) {
        owner next = Form::template make<message>(number, hops);
        next->from = actor_;
        mailbox& box = boxes[(this->thread_ + number) % actors];
        const auto held = this->session_.lock(box.mutex);
        box.messages.push_back(std::move(next));
    }

    static inline mailbox boxes[most_threads];
    static inline std::atomic<int> left;
    static inline int actors;

    typename Form::template owner<actor> actor_;
};

template <class Program>
using answered = timed_threads<extents, Program, "messages">;

}  // namespace lab::actors
