#pragma once
// marking_helper: the thread that marks for the heaps of a process which ask for it. It blocks all signals, and sleeps
// while there is nothing to mark. Heaps take turns, a slice each.
//
// There is one in a process, but modules that hide the variables of others have one each. A child that is forked has
// none: its heaps go on in steps. The thread ends with the last heap that asks for it, so a module may be unloaded
// then.
//
// Thread safety: any thread may call any function. Exceptions: none.

#include <atomic>
#include <cstdint>
#include <utility>

#include "../../core/event_count.hpp"
#include "../../core/platform/at_fork.hpp"
#include "../../core/platform/signals.hpp"
#include "../../core/platform/threads.hpp"
#include "../../core/static_mutex.hpp"
#include "../../core/threading.hpp"
#include "marking_handshake.hpp"

namespace freehold::inline v0_2::detail {

class marking_helper {
public:
    // What is to be marked for a heap.
    template <class Threading = process_threading>
    class work {
    public:
        // Effects: marks for a while, inside; no longer if handshake.is_wanted(). Returns: whether there is more.
        using function = bool (*)(work&) noexcept;

        explicit work(function mark) noexcept : mark_(mark) {}
        work(const work&) = delete;
        work& operator=(const work&) = delete;

        // Returns: whether a thread will mark it. False in a child that was forked after it was added.
        // relaxed: the child has one thread
        [[nodiscard]] bool is_helped() const noexcept { return is_helped_.load(std::memory_order_relaxed); }

        marking_handshake<Threading> handshake;

    protected:
        ~work() = default;

    private:
        friend marking_helper;

        function mark_;
        std::atomic<bool> is_helped_ = false;
        work* next_ = nullptr;
    };

    // Effects: the thread marks this, too. If the system has no thread, it is not helped.
    static void add(work<>& added) noexcept {
        detail::at_fork<&stop_for_fork, &go_on_after_fork, &begin_child>();
        mutex.lock();
        for (; is_ending; mutex.lock()) {
            mutex.unlock();
            detail::yield();
        }
        if (!is_running) {
            const signals_blocked blocked;
            is_running = thread.start(&marking_helper::run, nullptr);
        }
        if (is_running) {
            added.is_helped_.store(true, std::memory_order_relaxed);
            added.next_ = first;
            first = &added;
        }
        mutex.unlock();
    }

    // Effects: the thread knows it no more, and ends if there is nothing else. Requires: it is parked.
    static void remove(work<>& removed) noexcept {
        mutex.lock();
        work<>** place = &first;
        while (*place != nullptr && *place != &removed) place = &(*place)->next_;
        if (*place != nullptr) *place = removed.next_;
        const bool ends = is_running && !is_ending && first == nullptr;
        is_ending = is_ending || ends;
        mutex.unlock();
        if (!ends) return;
        wake();
        thread.join();
        const static_lock held(mutex);
        is_running = is_ending = false;
    }

    // Effects: the thread looks at all work again.
    static void wake() noexcept {
        calls.fetch_add(1, std::memory_order_relaxed);  // the notification orders
        called.notify_all();
    }

    // Returns: whether the process forks, so that whoever is inside is to leave.
    // relaxed: the mutex orders
    [[nodiscard]] static bool is_to_stop() noexcept { return is_forking.load(std::memory_order_relaxed); }

private:
    static void* run(void*) noexcept {
        detail::name_this_thread("freehold-marks");
        while (true) {
            // relaxed, here and below: only a number. What is to be marked comes with the handshake.
            const std::uint32_t seen = calls.load(std::memory_order_relaxed);
            bool is_more = false;
            mutex.lock();
            for (work<>* each = first; each != nullptr && !is_to_stop(); each = each->next_) {
                if (!each->handshake.enter()) continue;
                inside = each;
                mutex.unlock();
                is_more = each->mark_(*each) || is_more;
                mutex.lock();
                inside = nullptr;
                each->handshake.leave();  // with the mutex, as the work may be removed from now on
            }
            const bool ends = is_ending;
            mutex.unlock();
            if (ends) return nullptr;
            if (is_to_stop()) {
                detail::yield();
            } else if (!is_more) {
                called.wait([seen] { return calls.load(std::memory_order_relaxed) != seen; }, false);
            }
        }
    }

    static void stop_for_fork() noexcept {
        is_forking.store(true, std::memory_order_relaxed);
        for (mutex.lock_for_fork(); inside != nullptr; mutex.lock_for_fork()) {
            mutex.unlock_after_fork();
            detail::yield();
        }
    }

    static void go_on_after_fork() noexcept {
        is_forking.store(false, std::memory_order_relaxed);
        mutex.unlock_after_fork();
        wake();
    }

    static void begin_child() noexcept {
        is_forking.store(false, std::memory_order_relaxed);
        for (work<>* each = std::exchange(first, nullptr); each != nullptr; each = each->next_)
            each->is_helped_.store(false, std::memory_order_relaxed);
        is_running = is_ending = false;
        mutex.unlock_after_fork();
    }

    static inline constinit static_mutex mutex;
    static inline constinit work<>* first = nullptr;
    static inline constinit work<>* inside = nullptr;
    static inline constinit bool is_running = false;
    static inline constinit bool is_ending = false;  // a thread waits for that
    static inline constinit std::atomic<bool> is_forking = false;
    static inline constinit std::atomic<std::uint32_t> calls = 0;
    static inline constinit event_count<> called;
    static inline constinit native_thread thread;
};

}  // namespace freehold::detail
