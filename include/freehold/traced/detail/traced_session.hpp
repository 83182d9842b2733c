#pragma once
// The threads of a shared_traced_heap: each has a session, and a collection stops them all at their safepoints.
//
// A session that stops finds its own roots before it waits: nobody reads another thread's stack. (Coroutines whose
// frames are in the heap run in any session; where one runs, words on that stack lead to its frame.) A request closes
// its allocator, so the next make is a safepoint: it finds no run, and asks here why.

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <mutex>  // brings the clock, for a tenth of what <chrono> costs

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/threads.hpp"
#include "../../core/spinning_mutex.hpp"
#include "../../core/threading.hpp"
#include "../../tracing/safepoint.hpp"
#include "heap_checks.hpp"
#include "space_lock.hpp"
#include "traced_mutator.hpp"
#include "write_barrier.hpp"

namespace freehold::inline v0_2::detail {

struct traced_session : traced_mutator {
    traced_session(traced_collector& its_heap, cell_blocks& blocks, traced_space& space)
        : traced_mutator(its_heap, blocks, false), checked{&space.chunks, &space.watch, space.mutex} {}

    // That of the calling thread, which has at most one.
    FREEHOLD_STATIC_TLS static inline constinit thread_local traced_session* here = nullptr;

    remembered_set stores;
    attached_heap checked;
};

class traced_sessions {
public:
    explicit traced_sessions(traced_space& space) noexcept : space_(space) { space.share(mutex_); }

    // Effects: the calling thread has the session, and uses the heap. Waits while the others are stopped.
    void begin(traced_session& session) {
        safepoint_.enter();
        const space_lock held(&mutex_);
        session.next = first_;
        first_ = &session;
        take_thread(session);
    }

    // Effects: the session is over: what it made stays, and what it stored is remembered. Requires: it allocates no
    // more.
    void end(traced_session& session) noexcept {
        {
            const space_lock held(&mutex_);
            space_.stores.take(session.stores);
            traced_mutator** place = &first_;
            while (*place != &session) place = &(*place)->next;
            *place = session.next;
        }
        leave_thread(session);
        safepoint_.leave();
    }

    // Effects: until resume() the session counts as stopped.
    void pause(traced_session& session) noexcept {
        find_roots(session);
        leave_thread(session);
        safepoint_.leave();
    }

    void resume(traced_session& session) noexcept {
        safepoint_.enter();
        take_thread(session);
    }

    // Effects: waits while the sessions are stopped; then none can be stopped until leave().
    void enter() noexcept { safepoint_.enter(); }
    void leave() noexcept { safepoint_.leave(); }

    // Returns: whether the sessions are stopped, or are to stop.
    [[nodiscard]] bool is_stopped() const noexcept { return safepoint_.is_stopped(); }

    // Effects: waits while the sessions are stopped. Calls help() meanwhile, at each call_for_help() too.
    template <class Help>
    void come_to_safepoint(traced_mutator& here, Help help) noexcept {
        if (!is_stopped()) return;
        find_roots(here);
        safepoint_.wait(help);
    }

    // Effects: the sessions that wait help. Requires: the caller has stopped them.
    void call_for_help() noexcept { safepoint_.call_for_help(); }

    // Effects: calls begin() with the lock, stops all sessions and calls work(); if another session stops them at the
    // same time, waits until they run again, and helps. Returns: whether it called work().
    template <class Begin, class Work, class Help>
    bool stop(traced_mutator& here, Begin begin, Work work, Help help) noexcept {
        find_roots(here);
        const auto ask = [&begin, this] {
            {
                const space_lock held(&mutex_);
                begin();
                for (traced_mutator* each = first_; each != nullptr; each = each->next) each->cells.close();
            }
            if constexpr (heap_checks::is_on) report_if_blocked();
        };
        const bool has_stopped = safepoint_.stop(ask, help);
        if (!has_stopped) return false;
        work();
        safepoint_.resume();
        return true;
    }

    // Effects: the heap has what the sessions have stored. Requires: they are stopped. Destructors store, too.
    void take_stores() noexcept {
        for (traced_mutator* each = first_; each != nullptr; each = each->next) take_stores(*each);
    }

    // Effects: the heap has what the session has stored. Requires: the lock, or the sessions are stopped.
    void take_stores(traced_mutator& of) noexcept { space_.stores.take(static_cast<traced_session&>(of).stores); }

    // Effects: the session allocates without a call of the heap again, unless it is to stop. Requires: the lock.
    void open(traced_mutator& here) const noexcept { is_stopped() ? here.cells.close() : here.cells.open(); }

    [[nodiscard]] traced_mutator* first() const noexcept { return first_; }

private:
    // Effects: waits until the sessions have stopped, but no longer than two seconds; then reports it on stderr, once.
    void report_if_blocked() const noexcept {
        static constinit std::atomic<bool> is_reported = false;
        const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(2'000'000'000);
        while (safepoint_.running() != 0 && std::chrono::steady_clock::now() < end) detail::yield();
        const std::size_t running = safepoint_.running();
        // relaxed: nothing else is ordered by it
        if (running == 0 || is_reported.exchange(true, std::memory_order_relaxed)) return;
        std::fprintf(
            stderr,
            "freehold: a collection of a shared_traced_heap has waited for 2 s; sessions that have come to no "
            "safepoint: %zu\n"
            "    in loops that make no objects, call session.safepoint() or heap.collect_if_due(); pause while "
            "a thread waits for another\n",
            running);
    }

    // Effects: notes what the variables of the calling thread refer to, and which coroutines it runs.
    void find_roots(traced_mutator& here) const noexcept {
        here.stack.scan_locals();
        if (space_.frames.is_used()) here.stack.note_words();
    }

    // Effects: the calling thread uses the heap, until leave_thread().
    void take_thread(traced_session& session) const noexcept {
        traced_session::here = &session;
        remembered_set::of_session = &session.stores;
        wide_chunks::share(&space_.chunks.pieces());
        session.stack.frames().attach();
        heap_checks::attach(session.checked);
    }

    static void leave_thread(traced_session& session) noexcept {
        heap_checks::detach(session.checked);
        session.stack.frames().detach();
        wide_chunks::share(nullptr);
        remembered_set::of_session = nullptr;
        traced_session::here = nullptr;
    }

    traced_space& space_;
    spinning_mutex mutex_;
    safepoint<process_threading> safepoint_;
    traced_mutator* first_ = nullptr;
};

}  // namespace freehold::detail
