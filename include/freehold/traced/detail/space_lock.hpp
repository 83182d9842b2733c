#pragma once
// space_lock: locks what the threads of a shared_traced_heap change at once. A heap of one thread has no such mutex.

#include "../../core/spinning_mutex.hpp"

namespace freehold::inline v0_2::detail {

class [[nodiscard]] space_lock {
public:
    explicit space_lock(spinning_mutex* mutex) : mutex_(mutex) {
        if (mutex_ != nullptr) mutex_->lock();
    }
    space_lock(const space_lock&) = delete;
    space_lock& operator=(const space_lock&) = delete;
    ~space_lock() {
        if (mutex_ != nullptr) mutex_->unlock();
    }

private:
    spinning_mutex* mutex_;
};

}  // namespace freehold::detail
