#pragma once
// The weak records of a heap that threads share.

#include <mutex>

#include "../../counting/atomic_counting.hpp"
#include "../../counting/reference_count.hpp"
#include "cyclic_header.hpp"
#include "shared_owners.hpp"
#include "weak_records.hpp"

namespace freehold::detail {

// Both the session that makes an owner from a weak pointer and the one that finds no owner hold the mutex: the first of
// the two decides whether the object is destroyed.
template <class Threading>
struct shared_weak_record {
    explicit shared_weak_record(cyclic_header& header) noexcept : object(&header), key_(header) {}

    [[nodiscard]] cyclic_header& header() const noexcept { return key_; }

    reference_count<atomic_counting> owners;  // weak pointers, and the table
    typename Threading::mutex mutex;
    typename Threading::template atomic<cyclic_header*> object;  // null when it has expired; written with the mutex
    shared_weak_record* next = nullptr;                          // in the table, under its lock

private:
    cyclic_header& key_;  // still in the table when it has expired
};

template <class Threading>
class shared_weak_records {
    using shared_owners = basic_shared_owners<Threading::template atomic>;
    using weak_record = shared_weak_record<Threading>;

public:
    using handle = weak_handle<weak_record>;

    shared_weak_records() = default;
    shared_weak_records(const shared_weak_records&) = delete;
    shared_weak_records& operator=(const shared_weak_records&) = delete;
    ~shared_weak_records() { records_.clear(); }

    // Returns: the record of the object, which is made if it has none. Requires: the object has an owner meanwhile.
    // Throws: std::bad_alloc; then nothing has changed.
    [[nodiscard]] handle of(cyclic_header& header) {
        const std::lock_guard held(mutex_);
        if (handle found = records_.find(header)) return found;
        const handle made(new weak_record(header));
        records_.add(*made);
        detail::owners_beside<Threading>(header).set(shared_owners::has_weak);
        return made;
    }

    // Effects: the weak pointers to the object expire, if is_unowned() holds. It is asked while no weak pointer can
    // become an owner.
    // Returns: its answer. Requires: the object has weak pointers, and only the caller may destroy it.
    template <class IsUnowned>
    bool expire(cyclic_header& header, IsUnowned is_unowned) noexcept {
        const handle expiring = find(header);
        {
            const std::lock_guard held(expiring->mutex);
            if (!is_unowned()) return false;
            // release: a thread that sees it expired without the lock sees what led to that
            expiring->object.store(nullptr, std::memory_order_release);
        }
        detail::owners_beside<Threading>(header).clear(shared_owners::has_weak);
        header.clear(cyclic_header::has_weak);
        const std::lock_guard held(mutex_);
        records_.remove(header);
        return true;
    }

private:
    [[nodiscard]] handle find(cyclic_header& header) {
        const std::lock_guard held(mutex_);
        return records_.find(header);
    }

    typename Threading::mutex mutex_;
    weak_table<weak_record> records_;
};

}  // namespace freehold::detail
