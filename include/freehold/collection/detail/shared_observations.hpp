#pragma once
// Which objects of a heap that threads share are observed, and by what.

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "../../pointers/thin_ptr.hpp"
#include "cyclic_header.hpp"
#include "shared_header.hpp"

namespace freehold::detail {

// Who makes an owner from an observer does so with the lock, and so does who finds that there is no owner: of the two
// the first decides whether the object ends.
struct shared_observation {
    explicit shared_observation(cyclic_header* object) noexcept : observed(object) {}

    std::mutex mutex;
    std::atomic<cyclic_header*> observed;  // null when that has ended
};

class shared_observations {
public:
    using record = thin_ptr<shared_observation>;

    // Returns: the record of the object, which is made if it has none. Requires: the object has an owner meanwhile.
    // Throws: std::bad_alloc; then nothing has changed.
    [[nodiscard]] record of(cyclic_header& header) {
        const std::lock_guard held(mutex_);
        const auto found = records_.find(&header);
        if (found != records_.end()) return found->second;
        auto made = make_thin<shared_observation>(&header);
        records_.emplace(&header, made);
        owners_beside(header).set(shared_owners::observed);
        return made;
    }

    // Effects: nobody observes the object any more, if has_ended() says so, which is asked while no observer can make
    // an owner. Returns: what it said. Requires: the object is observed, and only the caller may end it.
    template <class HasEnded>
    bool expire(cyclic_header& header, HasEnded has_ended) noexcept {
        const record expiring = find(header);
        {
            const std::lock_guard held(expiring->mutex);
            if (!has_ended()) return false;
            // release: who sees it expired without the lock sees what led to that
            expiring->observed.store(nullptr, std::memory_order_release);
        }
        owners_beside(header).clear(shared_owners::observed);
        header.clear(cyclic_header::observed);
        const std::lock_guard held(mutex_);
        records_.erase(&header);
        return true;
    }

private:
    [[nodiscard]] record find(cyclic_header& header) {
        const std::lock_guard held(mutex_);
        return records_.find(&header)->second;
    }

    std::mutex mutex_;
    std::unordered_map<cyclic_header*, record> records_;
};

}  // namespace freehold::detail
