#pragma once
// Threads that mark together, while the program waits: each has a marker with a stack of its own, and gives half of it
// away when another one has nothing left to do.

#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "../../core/alignment.hpp"
#include "../../core/growing_buffer.hpp"

namespace freehold::inline v0_2::detail {

class marking_team {
public:
    using stack = growing_list<const std::byte*>;

    // Effects: there is something to mark. The caller is a member, and others may join it, until all is marked.
    // Requires: it has no members.
    void begin() noexcept {
        const std::lock_guard lock(mutex_);
        members_ = 1;
        is_done_ = has_overflowed_ = false;
        waiting_.store(0, std::memory_order_relaxed);  // relaxed: written under the mutex only
        traced_ = 0;
    }

    // Returns: whether there is something to mark. Effects: then the caller is a member.
    [[nodiscard]] bool join() noexcept {
        const std::lock_guard lock(mutex_);
        if (is_done_) return false;
        ++members_;
        return true;
    }

    // Returns: whether a member waits for work.
    // relaxed: only a hint; what is given away is published by the mutex
    [[nodiscard]] bool has_waiting() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }

    // Effects: gives half of the stack away if a member waits for work.
    void share(stack& own) noexcept {
        if (!has_waiting() || own.size() < 2 * least_shared) return;
        const std::lock_guard lock(mutex_);
        // The oldest objects lead to the most others.
        std::size_t given = 0;
        while (given < own.size() / 2 && pool_.push(own[given])) ++given;
        std::memmove(own.begin(), own.begin() + given, (own.size() - given) * sizeof(own[0]));
        own.truncate(own.size() - given);
        wake_all();
    }

    // Effects: fills the empty stack with work from others, and waits for it. Returns: false if all is marked.
    [[nodiscard]] bool take(stack& own) noexcept {
        std::unique_lock lock(mutex_);
        if (pool_.empty()) {
            waiting_.fetch_add(1, std::memory_order_relaxed);  // relaxed: written under the mutex only
            end_if_all_wait();
            wait(lock, [this] { return !pool_.empty() || is_done_; });
            waiting_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: as above
            if (is_done_) return false;
        }
        const std::size_t share = detail::larger(pool_.size() / members_, detail::smaller(pool_.size(), least_shared));
        while (own.size() < share && own.push(pool_[pool_.size() - 1])) pool_.truncate(pool_.size() - 1);
        return true;
    }

    // Effects: calls use() while no other member's is called.
    template <class Use>
    void one_at_a_time(Use use) noexcept {
        const std::lock_guard lock(mutex_);
        use();
    }

    // Effects: there is one member less. It has traced as many objects, and not all if it `overflowed`.
    void leave(std::size_t traced, bool overflowed) noexcept {
        const std::lock_guard lock(mutex_);
        --members_;
        traced_ += traced;
        has_overflowed_ = has_overflowed_ || overflowed;
        end_if_all_wait();
        wake_all();
    }

    // Effects: waits until all members have left. Returns: the number of objects that they have traced.
    [[nodiscard]] std::size_t end() noexcept {
        std::unique_lock lock(mutex_);
        wait(lock, [this] { return members_ == 0; });
        return traced_;
    }

    // Returns: whether a member had no memory for its stack.
    [[nodiscard]] bool has_overflowed() const noexcept { return has_overflowed_; }

private:
    static constexpr std::size_t least_shared = 32;

    // Effects: if nobody has anything to do, all is marked. Requires: the mutex is locked; so below.
    void end_if_all_wait() noexcept {
        if (!pool_.empty() || waiting_.load(std::memory_order_relaxed) != members_) return;  // relaxed: as above
        is_done_ = true;
        wake_all();
    }

    template <class Condition>
    void wait(std::unique_lock<std::mutex>& lock, Condition condition) noexcept {
        while (!condition()) {
            const unsigned seen = changes_.load(std::memory_order_relaxed);  // relaxed: the mutex orders
            lock.unlock();
            changes_.wait(seen, std::memory_order_relaxed);  // relaxed: as above
            lock.lock();
        }
    }

    void wake_all() noexcept {
        changes_.fetch_add(1, std::memory_order_relaxed);  // relaxed: the mutex orders what changed
        changes_.notify_all();
    }

    std::mutex mutex_;
    stack pool_;
    std::size_t members_ = 0;
    std::size_t traced_ = 0;
    bool is_done_ = true;  // all is marked
    bool has_overflowed_ = false;
    std::atomic<std::size_t> waiting_ = 0;
    std::atomic<unsigned> changes_ = 0;
};

}  // namespace freehold::detail
