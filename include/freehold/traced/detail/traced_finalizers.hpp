#pragma once
// The finalizers of a traced heap, which are called once their objects can no longer be reached: which of them wait,
// and which are due.

#include <cstddef>
#include <new>
#include <utility>

#include "../../core/collected_generations.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/growing_buffer.hpp"
#include "../traced_heap_options.hpp"
#include "local_roots.hpp"

namespace freehold::inline v0_2::detail {

class traced_finalizers {
public:
    traced_finalizers() = default;
    traced_finalizers(const traced_finalizers&) = delete;
    traced_finalizers& operator=(const traced_finalizers&) = delete;
    ~traced_finalizers() {
        for (const finalizer* const each : due_) delete each;
        for (const finalizer* const each : waiting_) delete each;
    }

    // Effects: run(object) will be called once. Throws: std::bad_alloc; then nothing has changed.
    void add(const void* object, callback<const void*> run) {
        if (!due_.reserve_more(waiting_.size() + 1) || !waiting_.reserve_more(1)) raise<std::bad_alloc>();
        waiting_.add(new finalizer{object, std::move(run), 0});
    }

    // Effects: the finalizers of objects that are not reached become due: of the young ones, or of `all`.
    template <class IsReached>
    void take_due(bool all, IsReached is_reached) noexcept {
        std::size_t kept = all ? 0 : first_young_;
        for (std::size_t i = kept; i < waiting_.size(); ++i) {
            if (is_reached(waiting_[i]->object)) std::swap(waiting_[kept++], waiting_[i]);
        }
        while (waiting_.size() > kept) {
            due_.add(waiting_.pop());
            due_.back()->generation = generation_ + (is_running_ ? 1 : 0);
        }
        first_young_ = kept;
    }

    [[nodiscard]] std::size_t due() const noexcept { return due_.size(); }

    // Effects: calls use(object) for each finalizer that is due, from the given index on.
    template <class Use>
    void each_due(std::size_t first, Use use) const {
        for (std::size_t i = first; i < due_.size(); ++i) use(due_[i]->object);
    }

    // Effects: runs all that are due, and those that become due meanwhile. The object is a root while its finalizer
    // runs. Called by a finalizer, or while another thread is here, it leaves them to the call that runs that: they
    // would nest without end. After collected_generations::most generations it calls stop(object), and leaves the rest
    // to the next call. While it looks at its lists, it holds lock().
    template <class Lock, class Stop>
    void run_due(Lock lock, Stop stop) noexcept {
        if (!begin_to_run(lock)) return;
        local_root held(nullptr);
        while (const finalizer* const next = take_next(held, lock, stop)) {
            next->run(next->object);
            delete next;  // not under the lock: it may hold handles
            held.set(nullptr);
        }
    }

private:
    struct finalizer {
        const void* object = nullptr;
        callback<const void*> run;
        std::size_t generation = 0;  // one more than that of the finalizer that ran when it became due
    };

    template <class Lock>
    [[nodiscard]] bool begin_to_run(Lock lock) noexcept {
        const auto locked = lock();
        if (is_running_ || due_.empty()) return false;
        is_running_ = true;
        return true;
    }

    // Returns: the next one, which is taken, and whose object `held` keeps alive; null if there is none. Then nobody
    // runs them.
    template <class Lock, class Stop>
    [[nodiscard]] const finalizer* take_next(local_root& held, Lock lock, Stop stop) noexcept {
        const auto locked = lock();
        if (!due_.empty()) {
            generation_ = due_.back()->generation;
            if (generation_ <= collected_generations::most) {
                const finalizer* const next = due_.pop();
                held.set(next->object);
                return next;
            }
            stop(due_.back()->object);
        }
        for (finalizer* const each : due_) each->generation = 0;
        generation_ = 0;
        is_running_ = false;
        return nullptr;
    }

    // They own the finalizers.
    growing_list<finalizer*> waiting_;  // of old objects first
    growing_list<finalizer*> due_;      // has capacity for the waiting ones
    std::size_t first_young_ = 0;
    std::size_t generation_ = 0;  // of the running finalizer
    bool is_running_ = false;
};

}  // namespace freehold::detail
