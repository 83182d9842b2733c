#pragma once
// shared_traced_heap: a heap of objects that several threads share, and that live as long as they can be reached.
//
//     freehold::shared_traced_heap heap;
//     …in each thread that uses it:
//     freehold::shared_traced_heap::session session(heap);
//     freehold::traced_local<node> list = heap.make<node>(1, nullptr);
//
// It is a traced_heap (traced_heap.hpp) for threads: the same objects, handles, containers and rules. A thread uses it
// during a session. A collection stops all sessions; each stops at its next safepoint, which is one of
//   make and whatever else allocates in the heap, collect and the like; session::safepoint();
//   all of a shared_traced_heap::pause; the end of the session.
// A session without safepoints blocks collections, and so does one in a constructor that may throw, or in a deferral. A
// thread that waits for another one, for a mutex or otherwise, does so within a pause, as session::lock() does.
// Otherwise it may deadlock with the collection.
//
// What may be used by several threads. A traced_ptr is like any variable: threads that use it at once, of which one
// assigns, need a mutex, or it is an atomic_traced_ptr. If they have none, a value may be lost, but never an object or
// the heap. A handle of another kind is used by one thread at a time; it may be destroyed in any thread with a session.
//
// Destructors run in the session that collects, while the others are stopped: one that waits for another thread, as
// for a mutex that it holds, would wait for ever. Finalizers run in the same session after the others run again; they
// must not wait for others either.
//
// Thread safety: any thread with a session may use the heap. It is made before its sessions and destroyed after them.
// Exceptions: make throws std::bad_alloc, or what the constructor throws, with the strong guarantee.
// Complexity: as in a traced_heap, where all sessions together count as its thread.
// Cost: make takes two instructions more than in a traced_heap. Each session has blocks of 64 KiB of its own for each
// type. To ask new objects what they own outside of the heap, all sessions are stopped for a moment.

#include <cstddef>
#include <mutex>
#include <utility>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/unique_id.hpp"
#include "../tracing/safepoint.hpp"
#include "detail/heap_interface.hpp"
#include "detail/traced_collector.hpp"
#include "detail/traced_session.hpp"
#include "traced_heap_options.hpp"

namespace freehold::inline v0_2 {

namespace detail {
class frame_maker;
}  // namespace detail

class shared_traced_heap : public detail::heap_interface<shared_traced_heap> {
public:
    class pause;

    // Lets its thread use the heap, while it exists.
    class session {
    public:
        // Requires: the thread has no session, in this heap or in another one. Effects: waits while the heap is
        // stopped.
        explicit session(shared_traced_heap& heap)
            : sessions_(heap.sessions_), self_(heap.collector_, heap.collector_.blocks(), heap.collector_.space()) {
            FREEHOLD_EXPECTS(detail::traced_session::here == nullptr, "the thread has a session already",
                             "freehold::shared_traced_heap::session");
            FREEHOLD_EXPECTS(heap.made_in_ == &detail::module_ids,
                             "the heap was made by a library that keeps its symbols apart, and can be used only there",
                             "freehold::shared_traced_heap::session");
            sessions_.begin(self_);
        }
        session(const session&) = delete;
        session& operator=(const session&) = delete;

        // Requires: the same thread, of which no traced_local refers to an object; no constructor, destructor or
        // finalizer of an object is running, and there is no deferral.
        ~session() {
            expect_here();
            expect_no_call();
            FREEHOLD_EXPECTS(self_.stack.has_no_locals(),
                             "a session ends while a traced_local of its thread refers to an object; let its scope end "
                             "first, and hold a traced_root",
                             "freehold::shared_traced_heap::session");
            self_.heap.end(self_);
        }

        // Effects: waits while the heap is stopped. Cost: a load and a comparison if it is not.
        void safepoint() noexcept {
            expect_here();
            detail::traced_collector::expect_no_new_object(self_);
            if (sessions_.is_stopped()) self_.heap.come_to_safepoint(self_);
        }

        // Returns: a lock of the mutex. Effects: the session pauses while it waits. Requires: as pause.
        template <class Mutex>
        [[nodiscard]] std::unique_lock<Mutex> lock(Mutex& mutex) {
            expect_here();
            expect_no_call();
            return detail::lock_in_pause<pause>(*this, mutex);
        }

    private:
        friend pause;

        void expect_here() const noexcept {
            FREEHOLD_EXPECTS(detail::traced_session::here == &self_,
                             "a session is used in another thread, or in a pause",
                             "freehold::shared_traced_heap::session");
        }

        void expect_no_call() const noexcept {
            FREEHOLD_EXPECTS(
                !self_.heap.is_in_a_call(self_),
                "a session ends or pauses in a constructor, destructor or finalizer of an object, or during "
                "a deferral",
                "freehold::shared_traced_heap::session");
        }

        detail::traced_sessions& sessions_;
        detail::traced_session self_;
    };

    // During its lifetime the session counts as stopped: its thread may wait for others, and does not use the heap, its
    // objects or handles.
    class pause {
    public:
        // Requires: no constructor, destructor or finalizer of an object is running, and there is no deferral.
        explicit pause(session& paused) noexcept : session_(paused) {
            paused.expect_here();
            paused.expect_no_call();
            paused.sessions_.pause(paused.self_);
        }
        pause(const pause&) = delete;
        pause& operator=(const pause&) = delete;
        // Effects: waits while the heap is stopped.
        ~pause() { session_.sessions_.resume(session_.self_); }

    private:
        session& session_;
    };

    // As traced_heap::deferral, for the calling thread. No session collects meanwhile.
    class deferral {
    public:
        // Requires: the heap and the session outlive it.
        explicit deferral(shared_traced_heap& heap) noexcept : heap_(heap) { ++heap_.attached().constructing; }
        deferral(const deferral&) = delete;
        deferral& operator=(const deferral&) = delete;
        // Requires: it ends in the thread that it began in.
        ~deferral() { --heap_.attached().constructing; }

    private:
        shared_traced_heap& heap_;
    };

    // With a pause_budget there is a helper, too: threads that share a heap mark in no steps.
    // Requires: no conservative_stack.
    explicit shared_traced_heap(traced_heap_options options = {}) : collector_(with_helper(std::move(options))) {
        FREEHOLD_EXPECTS(!collector_.options().conservative_stack,
                         "a shared_traced_heap finds no raw pointers on stacks; hold traced_locals",
                         "freehold::shared_traced_heap");
        collector_.share(sessions_);
    }

    // Effects: as ~traced_heap(). Requires: it has no session, and the thread has none of another one.
    ~shared_traced_heap() {
        [[maybe_unused]] const bool the_heap_has_no_session = sessions_.first() == nullptr;
        FREEHOLD_EXPECTS(the_heap_has_no_session, "the heap is destroyed before its sessions",
                         "freehold::shared_traced_heap");
        FREEHOLD_EXPECTS(detail::traced_session::here == nullptr,
                         "the heap is destroyed in a thread with a session of another one",
                         "freehold::shared_traced_heap");
        detail::traced_session last(collector_, collector_.blocks(), collector_.space());
        sessions_.begin(last);
        collector_.destroy_all(last);
        collector_.end(last);
    }

private:
    friend detail::frame_maker;
    friend detail::heap_interface<shared_traced_heap>;
    friend detail::traced_inspector;

    static constexpr bool is_shared = true;

    [[nodiscard]] static traced_heap_options with_helper(traced_heap_options options) noexcept {
        options.helper = options.helper || options.pause_budget != traced_heap_options().pause_budget;
        return options;
    }

    // Requires: the calling thread has a session of this heap.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE detail::traced_session& attached() noexcept { return collector_.session(); }

    [[nodiscard]] const detail::traced_collector& readable() const noexcept { return collector_; }

    detail::traced_collector collector_;
    detail::traced_sessions sessions_{collector_.space()};
    const void* made_in_ = &detail::module_ids;  // differs between libraries that hide their symbols
};

}  // namespace freehold
