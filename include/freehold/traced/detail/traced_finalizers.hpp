#pragma once
// The finalizers of a traced heap, which are called once their objects can no longer be reached: which of them wait,
// and which are due.

#include <cstddef>
#include <utility>
#include <vector>

#include "../../core/collected_generations.hpp"
#include "../traced_heap_options.hpp"
#include "local_roots.hpp"

namespace freehold::inline v0_2::detail {

class traced_finalizers {
public:
    // Effects: run(object) will be called once. Throws: std::bad_alloc; then nothing has changed.
    void add(const void* object, callback<const void*> run) {
        const std::size_t count = due_.size() + waiting_.size() + 1;
        if (due_.capacity() < count) due_.reserve(2 * count);
        waiting_.push_back({object, std::move(run), 0});
    }

    // Effects: the finalizers of objects that are not reached become due: of the young ones, or of `all`.
    template <class IsReached>
    void take_due(bool all, IsReached is_reached) noexcept {
        std::size_t kept = all ? 0 : first_young_;
        for (std::size_t i = kept; i < waiting_.size(); ++i) {
            if (is_reached(waiting_[i].object)) std::swap(waiting_[kept++], waiting_[i]);
        }
        for (; waiting_.size() > kept; waiting_.pop_back()) {
            due_.push_back(std::move(waiting_.back()));
            due_.back().generation = generation_ + (is_running_ ? 1 : 0);
        }
        first_young_ = kept;
    }

    [[nodiscard]] std::size_t due() const noexcept { return due_.size(); }

    // Effects: calls use(object) for each finalizer that is due, from the given index on.
    template <class Use>
    void each_due(std::size_t first, Use use) const {
        for (std::size_t i = first; i < due_.size(); ++i) use(due_[i].object);
    }

    // Effects: runs all that are due, and those that become due meanwhile. The object is a root while its finalizer
    // runs. Called by a finalizer, or while another thread is here, it leaves them to the call that runs that: they
    // would nest without end. After collected_generations::most generations it calls stop(object), and leaves the rest
    // to the next call. While it looks at its lists, it holds lock().
    template <class Lock, class Stop>
    void run_due(Lock lock, Stop stop) noexcept {
        if (!begin_to_run(lock)) return;
        finalizer next;
        local_root held(nullptr);
        while (take_next(next, held, lock, stop)) {
            next.run(next.object);
            next.run = nullptr;  // not under the lock: it may hold handles
            held.set(nullptr);
        }
    }

private:
    struct finalizer {
        const void* object = nullptr;
        callback<const void*> run = {};
        std::size_t generation = 0;  // one more than that of the finalizer that ran when it became due
    };

    template <class Lock>
    [[nodiscard]] bool begin_to_run(Lock lock) noexcept {
        const auto locked = lock();
        if (is_running_ || due_.empty()) return false;
        is_running_ = true;
        return true;
    }

    // Effects: takes the next one, whose object `held` keeps alive. Returns: false if there is none; then nobody runs
    // them.
    template <class Lock, class Stop>
    [[nodiscard]] bool take_next(finalizer& next, local_root& held, Lock lock, Stop stop) noexcept {
        const auto locked = lock();
        if (!due_.empty()) {
            generation_ = due_.back().generation;
            if (generation_ <= collected_generations::most) {
                next = std::move(due_.back());
                due_.pop_back();
                held.set(next.object);
                return true;
            }
            stop(due_.back().object);
        }
        for (finalizer& each : due_) each.generation = 0;
        generation_ = 0;
        is_running_ = false;
        return false;
    }

    std::vector<finalizer> waiting_;  // of old objects first
    std::vector<finalizer> due_;      // has capacity for the waiting ones
    std::size_t first_young_ = 0;
    std::size_t generation_ = 0;  // of the running finalizer
    bool is_running_ = false;
};

}  // namespace freehold::detail
