#pragma once
// cyclic_heap: objects that several threads share and that may own each other in circles.
//
//     freehold::cyclic_heap heap;
//     …in each thread that uses it:
//     freehold::cyclic_heap::session session(heap);
//     freehold::concurrent_cyclic_ptr<node> p = heap.make<node>();
//
// What is in no cycle ends promptly: at once where the session that made it drops the last owner, and else when that
// session comes to its next safepoint. Cycles that nobody owns are found as cycle_collector does it, by a thread that
// stops the sessions of this heap, and no others: each stands still when it next comes to a safepoint:
//   make(), collect() and the other functions of the heap that stop it; session::safepoint(); the end of the session;
//   all of a cyclic_heap::pause.
// So a session that does neither for long holds up those who collect. A thread that waits for another one, by a mutex
// or otherwise, does so within a pause, as session::lock() does: else the two, and the collection, may wait for ever.
//
// An object is destroyed once, by the thread of the session that made it; by another one, which drops the last owner or
// collects, if that session has ended. finalize() is called there too, or by the thread that collects.
//
// Heaps are independent of each other: objects of one own none of another.
//
// Thread safety: a heap may be used by any threads; it is made before their sessions and ends after them.
// Exceptions: none but those of make() and roots(). Complexity: see each function.
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
#include "concurrent_cyclic_ptr.hpp"
#include "cycle_collector.hpp"
#include "detail/cell_free_list.hpp"
#include "detail/cyclic_block.hpp"
#include "detail/cyclic_session.hpp"
#include "detail/heap_domain.hpp"
#include "detail/mutator_registry.hpp"
#include "detail/shared_deletion.hpp"

namespace freehold {

// Threading: what its sessions synchronize with.
template <class Threading>
class basic_cyclic_heap {
    using domain = detail::basic_heap_domain<Threading>;
    using session_state = detail::cyclic_session<Threading>;

public:
    template <class T>
    using pointer = cyclic_ptr<T, domain>;

    // As long as it lives, its thread may use pointers of the heap.
    class session {
    public:
        // Requires: the thread has no session, in this heap or in another one.
        // Effects: waits while the heap is stopped.
        explicit session(basic_cyclic_heap& heap) noexcept : self_(heap.registry_) {
            FREEHOLD_EXPECTS(session_state::this_cyclic_session == nullptr, "the thread has a session already",
                             "freehold::cyclic_heap::session");
            FREEHOLD_EXPECTS(heap.made_in_ == &detail::module_ids,
                             "the heap was made by a library that keeps its symbols apart, and can be used only there",
                             "freehold::cyclic_heap::session");
            self_.registry.begin(self_);
            session_state::this_cyclic_session = &self_;
        }

        session(const session&) = delete;
        session& operator=(const session&) = delete;

        // Effects: a safepoint. The objects of the session are everybody's from now on: who drops the last owner ends
        // them. Requires: the same thread. Complexity: linear in the objects of the session.
        ~session() {
            self_.registry.end(self_);
            session_state::this_cyclic_session = nullptr;
        }

        // Effects: waits while somebody collects, and ends objects of the session that have lost their last owner
        // elsewhere. Requires: as make(). Cost: two loads if there is nothing to do.
        void safepoint() noexcept {
            // relaxed: the heap's lock orders what is asked for
            if (self_.is_asked.load(std::memory_order_relaxed)) self_.registry.stand_still(self_);
        }

        // Returns: a lock of the mutex, for which the session pauses if it has to wait.
        template <class Mutex>
        [[nodiscard]] std::unique_lock<Mutex> lock(Mutex& mutex);

    private:
        friend class basic_cyclic_heap;

        session_state self_;
    };

    // As long as it lives, its session counts as standing still: for what may block. The thread uses no pointer of the
    // heap meanwhile. What it would destroy is destroyed after that.
    class pause {
    public:
        // Requires: as make().
        explicit pause(session& paused) noexcept : session_(paused.self_) {
            session_.registry.pause(session_);
            session_state::this_cyclic_session = nullptr;
        }

        pause(const pause&) = delete;
        pause& operator=(const pause&) = delete;

        // Effects: waits while somebody collects.
        ~pause() {
            session_state::this_cyclic_session = &session_;
            session_.registry.resume(session_);
        }

    private:
        session_state& session_;
    };

    basic_cyclic_heap() = default;
    basic_cyclic_heap(const basic_cyclic_heap&) = delete;
    basic_cyclic_heap& operator=(const basic_cyclic_heap&) = delete;

    // Effects: collects. Requires: there is no session in this heap, and no pointer that is not empty is left outside
    // of it. With NDEBUG, what such a pointer owns stays where it is for ever.
    ~basic_cyclic_heap() {
        FREEHOLD_EXPECTS(!registry_.has_sessions(), "the heap is destroyed while a thread has a session in it",
                         "freehold::cyclic_heap");
        session_state* const in_another = std::exchange(session_state::this_cyclic_session, nullptr);
        {
            const session last(*this);
            constexpr int most_runs = 8;  // for destructors that leave more garbage
            for (int i = 0; i < most_runs && collect() != 0; ++i) {
            }
        }
        session_state::this_cyclic_session = in_another;
        [[maybe_unused]] const bool everything_has_ended = !registry_.has_abandoned();
        FREEHOLD_EXPECTS(everything_has_ended, "the heap is destroyed while a pointer outside of it owns an object",
                         "freehold::cyclic_heap");
    }

    // Returns: the first owner of a new T(arguments...).
    // Effects: a safepoint, and may collect.
    // Requires: the thread has a session in this heap; and as make_cyclic: no container of a collected object is
    // destroying elements. In a destructor or finalize() of a collected object it is no safepoint.
    // Throws: std::bad_alloc, or what the constructor throws; then nothing is left behind.
    template <class T, class... Arguments>
    [[nodiscard]] pointer<T> make(Arguments&&... arguments) {
        expect_session();
        return pointer<T>::make(std::forward<Arguments>(arguments)...);
    }

    // Effects: ends all cycles of the heap that nobody outside owns, with all that only they own: those of this session
    // at once, those of others as they run again. Called from a destructor or finalize() of a collected object, has no
    // effect but that a later make() does it. Requires: as make().
    // Returns: the number of objects that end in cycles.
    // Complexity: linear in the objects that candidates lead to, and in the blocks of the heap; and in the objects of
    // those blocks in which other sessions than their own have counted.
    std::size_t collect() noexcept {
        expect_session();
        return domain::collect(*session_state::this_cyclic_session);
    }

    // Effects: make() collects by itself from now on, or no more.
    void set_automatic(bool automatic) noexcept {
        registry_.is_automatic.store(automatic, std::memory_order_relaxed);  // it orders nothing
    }

    // Returns: how often the heap was collected.
    [[nodiscard]] std::size_t runs() const noexcept {
        return registry_.runs.load(std::memory_order_relaxed);  // it orders nothing
    }

    // The functions that follow stop the heap. Requires: as make(), and no destructor or finalize() is running here.

    // Returns: the number of objects. What a collection has found to be garbage is none of them any more, although it
    // may still wait for its session; what others have dropped and its session has not looked at is.
    // Complexity: linear in the cells that there are.
    [[nodiscard]] std::size_t objects() noexcept {
        std::size_t found = 0;
        each_free_list([&found](session_state&, detail::cell_free_list& free_list) {
            free_list.each([&found](detail::cyclic_header&) { ++found; });
        });
        return found;
    }

    // Effects: gives back memory that holds no object. Complexity: linear in the free cells.
    void trim() noexcept {
        each_free_list(
            [](session_state& owner, detail::cell_free_list& free_list) { owner.cells -= free_list.trim(); });
    }

    // Returns: those objects that may be in a cycle and are owned from outside; see cycle_collector::roots.
    // Throws: std::bad_alloc. Complexity: linear in the cells that there are and all that the objects hold.
    [[nodiscard]] std::vector<cycle_collector::root> roots() {
        std::vector<cycle_collector::root> found;
        found.reserve(objects());
        bool is_complete = false;
        stop([&](session_state& own) {
            detail::shared_deletion<Threading> run(registry_, own);
            is_complete = run.is_complete();
            if (!is_complete) return;
            run.each_owned_from_outside([&](detail::cyclic_header& header) {
                // No more than there is room for: others may have made some meanwhile.
                if (found.size() == found.capacity()) return;
                found.push_back({header.object(), detail::cyclic_block::of(header).type->name, header.owners()});
            });
        });
        if (!is_complete) detail::raise<std::bad_alloc>();
        return found;
    }

private:
    void expect_session() noexcept {
        FREEHOLD_EXPECTS(session_state::this_cyclic_session != nullptr,
                         "the heap is used in a thread without a session", "freehold::cyclic_heap");
        FREEHOLD_EXPECTS(&session_state::this_cyclic_session->registry == &registry_,
                         "the thread's session is of another heap", "freehold::cyclic_heap");
    }

    template <class Work>
    void stop(Work work) {
        expect_session();
        session_state& own = *session_state::this_cyclic_session;
        FREEHOLD_EXPECTS(!own.is_ending(), "the heap is asked in a destructor or finalize() of a collected object",
                         "freehold::cyclic_heap");
        registry_.stop(own, [&] { work(own); });
    }

    template <class Use>
    void each_free_list(Use use) noexcept {
        stop([&](session_state& own) {
            static_cast<void>(registry_.adopt(own));
            registry_.each_session([&use](session_state& each) {
                for (auto* free_list = each.free_lists; free_list != nullptr; free_list = free_list->next())
                    use(each, *free_list);
            });
        });
    }

    detail::mutator_registry<Threading> registry_;
    const void* made_in_ = &detail::module_ids;  // tells libraries apart
};

using cyclic_heap = basic_cyclic_heap<detail::standard_threading>;

template <class Threading>
template <class Mutex>
std::unique_lock<Mutex> basic_cyclic_heap<Threading>::session::lock(Mutex& mutex) {
    std::unique_lock<Mutex> held(mutex, std::try_to_lock);
    if (!held.owns_lock()) {
        const pause waiting(*this);
        held.lock();
    }
    return held;
}

}  // namespace freehold
