#pragma once
// Which objects of a heap that threads share are observed, and by what.

#include <mutex>
#include <unordered_map>

#include "../../counting/atomic_counting.hpp"
#include "counted_record.hpp"
#include "cyclic_header.hpp"
#include "shared_header.hpp"

namespace freehold::detail {

// Who makes an owner from an observer does so with the lock, and so does who finds that there is no owner: of the two
// the first decides whether the object ends.
template <class Threading>
struct shared_weak_record {
    explicit shared_weak_record(cyclic_header* object) noexcept : observed(object) {}

    typename Threading::mutex mutex;
    typename Threading::template atomic<cyclic_header*> observed;  // null when that has ended
};

template <class Threading>
class shared_weak_records {
    using shared_owners = basic_shared_owners<Threading::template atomic>;

public:
    using weak_record = shared_weak_record<Threading>;
    using record = counted_record<weak_record, atomic_counting>;

    // Returns: the record of the object, which is made if it has none. Requires: the object has an owner meanwhile.
    // Throws: std::bad_alloc; then nothing has changed.
    [[nodiscard]] record of(cyclic_header& header) {
        const std::lock_guard held(mutex_);
        const auto found = records_.find(&header);
        if (found != records_.end()) return found->second;
        auto made = record::make(&header);
        records_.emplace(&header, made);
        detail::owners_beside<Threading>(header).set(shared_owners::observed);
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
        detail::owners_beside<Threading>(header).clear(shared_owners::observed);
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

    typename Threading::mutex mutex_;
    std::unordered_map<cyclic_header*, record> records_;
};

}  // namespace freehold::detail
