#pragma once
// cyclic_heap: objects that several threads share and that may own each other in cycles.
//
//     freehold::cyclic_heap heap;
//     …in each thread that uses it:
//     freehold::cyclic_heap::session session(heap);
//     freehold::concurrent_cyclic_ptr<node> p = heap.make<node>();
//
// An object in no cycle is destroyed promptly: at once if the session that made it releases the last owner, else at
// that session's next safepoint. make() collects unowned cycles when the objects of all sessions have grown, with what
// they own outside: see cycle_collector. It does so in steps, and stops all sessions of this heap for each step;
// between two of them they run. A step visits about 32,768 objects. Each session stops at its next safepoint, which is
// one of
//   make(), collect() and the other functions that stop the heap; session::safepoint(); the end of the session;
//   all of a cyclic_heap::pause.
// A session without safepoints blocks collection. A thread that waits for another one, for a mutex or otherwise, does
// so within a pause, as session::lock() does. Otherwise it may deadlock with the collection.
//
// The thread of the session that made an object destroys it. After that session has ended, the thread that releases the
// last owner or collects does. The same thread calls finalize(), except in a cycle, where the collecting thread does.
//
// Heaps are independent of each other: objects of one own none of another.
//
// Thread safety: any thread may use a heap. The heap is made before its sessions and destroyed after them.
// Exceptions: only make() and roots() throw. Complexity: see each function.
// Cost: blocks of 64 KiB for each session and type of object; see concurrent_cyclic_ptr.

#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "../core/unique_id.hpp"
#include "../memory/page_cache.hpp"
#include "../tracing/safepoint.hpp"
#include "concurrent_cyclic_ptr.hpp"
#include "cycle_collector.hpp"
#include "detail/cyclic_session.hpp"
#include "detail/heap_domain.hpp"
#include "detail/mutator_registry.hpp"
#include "detail/shared_deletion.hpp"
#include "detail/stopped_heap.hpp"
#include "detail/trial_deletion.hpp"

namespace freehold::inline v0_2 {

// Threading: how its sessions synchronize (core/threading.hpp).
template <class Threading>
class basic_cyclic_heap {
    using domain = basic_heap_domain<Threading>;
    using session_state = detail::cyclic_session<Threading>;

public:
    template <class T>
    using pointer = cyclic_ptr<T, domain>;

    // Lets its thread use pointers of the heap, while it exists.
    class session {
    public:
        // Requires: the thread has no session, in this heap or in another one.
        // Effects: waits while the heap is stopped.
        explicit session(basic_cyclic_heap& heap) noexcept : self_(heap.registry_, heap.registry_.blocks) {
            FREEHOLD_EXPECTS(session_state::this_cyclic_session == nullptr, "the thread has a session already",
                             "freehold::cyclic_heap::session");
            FREEHOLD_EXPECTS(heap.made_in_ == &detail::module_ids,
                             "the heap was made by a library that keeps its symbols apart, and can be used only there",
                             "freehold::cyclic_heap::session");
            self_.registry.begin(self_);
            session_state::this_cyclic_session = &self_;
            detail::after_thread<end_forgotten>::arm();
        }

        // Effects: a safepoint. From now on, any session that releases the last owner of one of the objects destroys
        // it. Requires: the same thread. If that has ended, its end has had these effects, and this has none.
        // Complexity: linear in the objects of the session.
        ~session() {
            if (self_.has_ended) return;
            FREEHOLD_EXPECTS(session_state::this_cyclic_session == &self_, "a session ends in another thread",
                             "freehold::cyclic_heap::session");
            end();
        }

        // Effects: waits for a running collection, and destroys objects of the session that have lost their last owner
        // in another one. Requires: as make(). Cost: a load and a comparison if there is nothing to do.
        void safepoint() noexcept {
            // relaxed: the heap's lock orders what the session finds at its safepoint
            if (self_.stop_requested.load(std::memory_order_relaxed)) self_.registry.wait_at_safepoint(self_);
        }

        // Returns: a lock of the mutex. Effects: the session pauses while it waits.
        template <class Mutex>
        [[nodiscard]] std::unique_lock<Mutex> lock(Mutex& mutex) {
            return detail::lock_in_pause<pause>(*this, mutex);
        }

    private:
        friend class basic_cyclic_heap;

        static void end() noexcept {
            session_state& ending = *session_state::this_cyclic_session;
            ending.registry.end(ending);
            ending.has_ended = true;
            session_state::this_cyclic_session = nullptr;
        }

        // Effects: ends the session of a thread that has forgotten it, and would block collection for ever.
        static void end_forgotten() noexcept {
            if (session_state::this_cyclic_session != nullptr) end();
        }

        session_state self_;
    };

    // Its session counts as stopped while it exists. For calls that may block. The thread uses no pointer of the heap
    // meanwhile. Destructions that are due are deferred to its end.
    class pause {
    public:
        // Requires: as make().
        explicit pause(session& paused) noexcept : session_(paused.self_) {
            session_.registry.pause(session_);
            session_state::this_cyclic_session = nullptr;
        }

        pause(const pause&) = delete;
        pause& operator=(const pause&) = delete;

        // Effects: waits for a running collection.
        ~pause() {
            session_state::this_cyclic_session = &session_;
            session_.registry.resume(session_);
        }

    private:
        session_state& session_;
    };

    // Effects: collects until nothing is garbage, but no more than 1,000 generations of objects that destructors and
    // finalizers make: the last one leaks, and a message on stderr names a type of it. Requires: no session is left in
    // this heap, and all pointers outside of it are empty. With NDEBUG, objects that such a pointer owns are never
    // destroyed.
    ~basic_cyclic_heap() {
        FREEHOLD_EXPECTS(!registry_.has_sessions(), "the heap is destroyed while a thread has a session in it",
                         "freehold::cyclic_heap");
        detail::collected_generations generations;
        session_state* const in_another = std::exchange(session_state::this_cyclic_session, nullptr);
        {
            const session last(*this);
            while (collect(detail::cycle_search::no_limit, generations) != 0 && !generations.are_over()) {
            }
        }
        session_state::this_cyclic_session = in_another;
        [[maybe_unused]] const bool everything_is_destroyed = !registry_.has_abandoned() || generations.are_over();
        FREEHOLD_EXPECTS(everything_is_destroyed, "the heap is destroyed while a pointer outside of it owns an object",
                         "freehold::cyclic_heap");
    }

    // Returns: the first owner of a new T(arguments...).
    // Effects: a safepoint; may collect. In a destructor or finalize() of a collected object it is no safepoint.
    // Requires: the thread has a session in this heap; and as make_cyclic: no container of a collected object is
    // destroying elements.
    // Throws: std::bad_alloc, if there is no memory, or no more is allowed, after a collection; or what the constructor
    // throws. Then nothing is left behind.
    template <class T, class... Arguments>
    [[nodiscard]] pointer<T> make(Arguments&&... arguments) {
        expect_session();
        return pointer<T>::make(std::forward<Arguments>(arguments)...);
    }

    // Effects: destroys all cycles of the heap without an owner outside, and the objects that only they own: objects of
    // this session at once, those of others when their sessions run again. If this session thereby releases objects
    // that still have owners, it begins again in a stop of its own, until it finds no garbage; see
    // cycle_collector::collect() for what destructors make. What other sessions release is left to a later call. In a
    // destructor or finalize() of a collected object it only makes a later make() collect. Requires: as make().
    // Returns: the number of objects in such cycles.
    // Complexity: in each stop, linear in the objects that candidates lead to, in the blocks of the heap, and in the
    // objects of those blocks in which other sessions have counted since the last collection.
    std::size_t collect() noexcept { return collect(detail::cycle_search::no_limit); }

    // Effects: a step, in a stop of its own: scans new candidates, then continues the search in progress or begins
    // one, with about `budget` visits. The next call continues. A part that is proved to be garbage is destroyed whole,
    // whatever the budget. Returns: the number of objects in cycles that are destroyed in this step.
    std::size_t collect(std::size_t budget) noexcept {
        detail::collected_generations generations;
        return collect(budget, generations);
    }

    // Effects: sets whether make() collects by itself.
    void set_automatic(bool automatic) noexcept {
        registry_.is_automatic.store(automatic, std::memory_order_relaxed);  // it orders nothing
    }

    // Effects: as cycle_collector::external_bytes. Requires: as make().
    template <class T>
    void external_bytes(const pointer<T>& object, std::size_t bytes) noexcept {
        expect_session();
        if (object) session_state::this_cyclic_session->count_owned(bytes);
    }

    // Effects: sets how many bytes the blocks of the heap may have; it keeps those that it has. What objects own
    // outside is not counted. A make() that needs more collects first, and gives back the memory without objects of all
    // sessions. Garbage of another session is destroyed later, so that this make() may throw std::bad_alloc in spite of
    // it.
    void set_limit(std::size_t bytes) noexcept { registry_.blocks.set_limit(bytes); }

    // Effects: sets a function that the collecting thread calls at the end of each collection, while the others are
    // stopped; null for none. `pause` is the time from the request until then, and `stopping` the part of it until the
    // last session had stopped. Requires: it throws nothing and uses no pointers of the heap; as make().
    void on_collection(void (*callback)(const cyclic_collection&)) noexcept {
        stop([&](session_state&) {
            // relaxed: the others are stopped
            registry_.on_collection.store(callback, std::memory_order_relaxed);
            registry_.observed_collection.store(callback != nullptr ? observed_collection : nullptr,
                                                std::memory_order_relaxed);
        });
    }

    // Returns: the number of collections of the heap.
    [[nodiscard]] std::size_t runs() const noexcept {
        return registry_.runs.load(std::memory_order_relaxed);  // it orders nothing
    }

    // The functions that follow stop the heap. Requires: as make(); this thread runs no destructor or finalize().

    // Returns: the number of objects. It excludes garbage of a collection that its session has not destroyed yet, and
    // includes objects that other sessions have released and their own session has not handled yet.
    // Complexity: linear in the cells that there are.
    [[nodiscard]] std::size_t objects() noexcept {
        std::size_t found = 0;
        each_session(
            [&found](session_state& each) { each.each_object([&found](detail::cyclic_header&) { ++found; }); });
        return found;
    }

    // Returns, Complexity: as cycle_collector::statistics().
    [[nodiscard]] pool_statistics statistics() noexcept {
        pool_statistics found;
        each_session([&found](session_state& each) { each.tally(found); });
        return found;
    }

    // Effects, Complexity: as cycle_collector::trim(), for all sessions.
    void trim() noexcept {
        stop([this](session_state& own) {
            static_cast<void>(registry_.adopt(own));
            registry_.trim();
        });
        page_cache::shared().trim();
    }

    // Returns: the objects that may be in a cycle and have an owner outside; see cycle_collector::roots.
    // Throws: std::bad_alloc. Complexity: linear in the cells that there are and all that the objects hold.
    [[nodiscard]] std::vector<cycle_collector::root> roots() {
        std::vector<cycle_collector::root> found;
        found.reserve(objects());
        bool is_complete = false;
        stop([&](session_state& own) {
            detail::stopped_heap<Threading> heap(registry_, own);
            is_complete = heap.is_complete();
            if (!is_complete) return;
            detail::trial_deletion(heap).each_owned_from_outside([&](detail::cyclic_header& header) {
                // No more than are reserved: other sessions may have made some since.
                if (found.size() == found.capacity()) return;
                found.push_back({header.object(), detail::cyclic_block::of(header).type->name, header.owners()});
            });
        });
        if (!is_complete) detail::raise<std::bad_alloc>();
        return found;
    }

private:
    friend detail::cyclic_inspector;

    void expect_session() noexcept {
        FREEHOLD_EXPECTS(session_state::this_cyclic_session != nullptr,
                         "the heap is used in a thread without a session", "freehold::cyclic_heap");
        FREEHOLD_EXPECTS(&session_state::this_cyclic_session->registry == &registry_,
                         "the thread's session is of another heap", "freehold::cyclic_heap");
    }

    std::size_t collect(std::size_t budget, detail::collected_generations& generations) noexcept {
        expect_session();
        return domain::collect(*session_state::this_cyclic_session, budget, generations);
    }

    static bool observed_collection(session_state& session, std::size_t budget,
                                    detail::collected_generations& generations, std::size_t& found) {
        std::chrono::steady_clock::time_point started;
        return session.registry.try_stop(
            session, [&started] { started = std::chrono::steady_clock::now(); },
            [&] {
                const auto stopping = std::chrono::steady_clock::now() - started;
                detail::shared_deletion<Threading> run(session.registry, session);
                found = run.collect(budget, generations);
                if (generations.levels > 1 && run.visits() == 0) return;  // nothing was released
                const auto callback = session.registry.on_collection.load(std::memory_order_relaxed);
                callback({started, std::chrono::steady_clock::now() - started, run.visits(), found, stopping});
            });
    }

    template <class Work>
    void stop(Work work) {
        expect_session();
        session_state& own = *session_state::this_cyclic_session;
        FREEHOLD_EXPECTS(!own.is_destroying(), "the heap is asked in a destructor or finalize() of a collected object",
                         "freehold::cyclic_heap");
        registry_.stop(own, [&] { work(own); });
    }

    template <class Use>
    void each_session(Use use) noexcept {
        stop([&](session_state& own) {
            static_cast<void>(registry_.adopt(own));
            registry_.each_session(use);
        });
    }

    detail::mutator_registry<Threading> registry_;
    const void* made_in_ = &detail::module_ids;  // differs between libraries that hide their symbols
};

}  // namespace freehold
