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

    explicit marking_team(std::size_t members) noexcept : members_(members) {}

    // Effects: gives half of the stack away if a member waits for work.
    void share(stack& own) noexcept {
        // relaxed: only a hint; what is given away is published by the mutex
        if (waiting_.load(std::memory_order_relaxed) == 0 || own.size() < 2 * least_shared) return;
        const std::lock_guard lock(mutex_);
        // The oldest objects lead to the most others.
        std::size_t given = 0;
        while (given < own.size() / 2 && pool_.push(own[given])) ++given;
        std::memmove(own.begin(), own.begin() + given, (own.size() - given) * sizeof(own[0]));
        own.truncate(own.size() - given);
        wake_all();
    }

    // Effects: fills the empty stack with work from others, and waits for it. Returns: false if all members wait, so
    // that all is marked.
    [[nodiscard]] bool take(stack& own) noexcept {
        std::unique_lock lock(mutex_);
        if (pool_.empty()) {
            // relaxed: written under the mutex only
            if (waiting_.fetch_add(1, std::memory_order_relaxed) + 1 == members_) wake_all();
            while (pool_.empty()) {
                if (waiting_.load(std::memory_order_relaxed) == members_) return false;
                const unsigned seen = changes_.load(std::memory_order_relaxed);  // relaxed: as above
                lock.unlock();
                changes_.wait(seen, std::memory_order_relaxed);  // relaxed: the mutex orders what is looked at next
                lock.lock();
            }
            waiting_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: as above
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

    // Effects: there is one member less. Requires: it has not taken work.
    void leave() noexcept {
        const std::lock_guard lock(mutex_);
        --members_;
        wake_all();
    }

private:
    static constexpr std::size_t least_shared = 32;

    void wake_all() noexcept {
        changes_.fetch_add(1, std::memory_order_relaxed);  // relaxed: the mutex orders what changed
        changes_.notify_all();
    }

    std::mutex mutex_;
    stack pool_;
    std::size_t members_;
    std::atomic<std::size_t> waiting_ = 0;
    std::atomic<unsigned> changes_ = 0;
};

}  // namespace freehold::detail
