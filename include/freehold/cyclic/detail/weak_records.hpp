#pragma once
// Weak records: what the weak pointers to one object share, and where an object's record is found.
//
// A table beside the objects and not a word in each: few objects have weak pointers. The objects of one thread and
// those that threads share have the same records; one thread locks nothing.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/config.hpp"
#include "../../core/threading.hpp"
#include "../../counting/plain_counting.hpp"
#include "../../counting/reference_count.hpp"
#include "cyclic_header.hpp"

namespace freehold::inline v0_2::detail {

// As std::lock_guard, without <mutex>.
template <class Mutex>
class mutex_lock {
public:
    explicit mutex_lock(Mutex& mutex) : mutex_(mutex) { mutex.lock(); }
    mutex_lock(const mutex_lock&) = delete;
    mutex_lock& operator=(const mutex_lock&) = delete;
    ~mutex_lock() { mutex_.unlock(); }

private:
    Mutex& mutex_;
};

// Both the session that makes an owner from a weak pointer and the one that finds no owner hold the mutex: the first of
// the two decides whether the object is destroyed.
template <class Threading>
struct weak_record {
    explicit weak_record(cyclic_header& header) noexcept : object(&header) {}

    // Returns: whether the object is gone.
    [[nodiscard]] bool has_expired() const noexcept {
        // acquire: pairs with the release of weak_records::expire
        return object.load(std::memory_order_acquire) == nullptr;
    }

    // Effects: calls use(header) if the object is not gone. It is not destroyed meanwhile.
    template <class Use>
    void with_object(Use use) {
        const mutex_lock held(mutex);
        cyclic_header* const header = object.load(std::memory_order_relaxed);  // relaxed: the mutex orders
        if (header != nullptr) use(*header);
    }

    // Its place in the table.
    [[nodiscard]] const void* key() const noexcept {
        return object.load(std::memory_order_relaxed);  // relaxed: the table's mutex orders
    }

    reference_count<typename Threading::counting> owners;  // weak pointers, and the table
    [[no_unique_address]] typename Threading::mutex mutex;
    // Null when it has expired, which is after it has left the table. Written with the mutex.
    typename Threading::template atomic<cyclic_header*> object;
    weak_record* next = nullptr;  // in the table, under its lock
};

// An owner of a record.
template <class Record>
class weak_handle {
public:
    constexpr weak_handle() noexcept = default;
    explicit weak_handle(Record* record) noexcept : record_(record) {
        if (record_ != nullptr) record_->owners.acquire();
    }

    weak_handle(const weak_handle& other) noexcept : weak_handle(other.record_) {}
    weak_handle(weak_handle&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}

    weak_handle& operator=(weak_handle other) noexcept {
        swap(other);
        return *this;
    }

    ~weak_handle() {
        if (record_ != nullptr) record_->owners.release([this]() noexcept { delete record_; });
    }

    void reset() noexcept { *this = weak_handle(); }
    void swap(weak_handle& other) noexcept { std::swap(record_, other.record_); }

    [[nodiscard]] explicit operator bool() const noexcept { return record_ != nullptr; }

    // Requires: it is not empty.
    [[nodiscard]] Record& operator*() const noexcept { return *record_; }
    [[nodiscard]] Record* operator->() const noexcept { return record_; }

private:
    Record* record_ = nullptr;
};

// A hash table, chained through the records, which it co-owns. Their keys are addresses. Adding never fails: without
// memory for more buckets the chains grow. Trivially destructible and constant-initialized, as part of a thread's
// static data.
template <class Record>
class weak_table {
public:
    using handle = weak_handle<Record>;

    // Returns: the record with the key, or an empty handle.
    [[nodiscard]] handle find(const void* key) const noexcept {
        Record* record = bucket_of(key);
        while (record != nullptr && record->key() != key) record = record->next;
        return handle(record);
    }

    // Requires: no record in the table has its key.
    void add(Record& record) noexcept {
        if (size_ > bucket_mask_) grow();
        ++size_;
        record.owners.acquire();
        link(record);
    }

    // Effects: removes the record with the key. Requires: there is one.
    void remove(const void* key) noexcept {
        Record** place = &bucket_of(key);
        while ((*place)->key() != key) place = &(*place)->next;
        Record* const removed = std::exchange(*place, (*place)->next);
        --size_;
        removed->owners.release([removed]() noexcept { delete removed; });
    }

    // Effects: releases all records, which belong to the weak pointers alone afterwards.
    void clear() noexcept {
        for (std::size_t i = 0; i <= bucket_mask_; ++i) {
            Record** const bucket = buckets_ != nullptr ? buckets_ + i : &first_bucket_;
            while (*bucket != nullptr) remove((*bucket)->key());
        }
        trim();
    }

    // Effects: gives back the memory of the buckets, if the table is empty.
    void trim() noexcept {
        if (size_ == 0) ::operator delete(std::exchange(buckets_, nullptr));
        if (size_ == 0) bucket_mask_ = 0;
    }

private:
    [[nodiscard]] Record*& bucket_of(const void* key) noexcept {
        if (buckets_ == nullptr) return first_bucket_;
        // Fibonacci hashing: keys lie at equal distances, and the upper half of the product depends on every bit.
        const std::uint64_t product = reinterpret_cast<std::uintptr_t>(key) * std::uint64_t{0x9E3779B97F4A7C15};
        return buckets_[static_cast<std::size_t>(product >> 32) & bucket_mask_];
    }

    [[nodiscard]] Record* bucket_of(const void* key) const noexcept {
        return const_cast<weak_table&>(*this).bucket_of(key);
    }

    void link(Record& record) noexcept {
        Record*& bucket = bucket_of(record.key());
        record.next = std::exchange(bucket, &record);
    }

    void grow() noexcept {
        const std::size_t count = bucket_mask_ == 0 ? 16 : 2 * (bucket_mask_ + 1);
        void* const memory = ::operator new(count * sizeof(Record*), std::nothrow);
        if (memory == nullptr) return;
        Record** const before = buckets_ != nullptr ? buckets_ : &first_bucket_;
        const std::size_t count_before = bucket_mask_ + 1;
        buckets_ = static_cast<Record**>(memory);
        bucket_mask_ = count - 1;
        for (std::size_t i = 0; i < count; ++i) ::new (static_cast<void*>(buckets_ + i)) Record*(nullptr);
        for (std::size_t i = 0; i < count_before; ++i) {
            for (Record* record = std::exchange(before[i], nullptr); record != nullptr;) {
                link(*std::exchange(record, record->next));
            }
        }
        if (before != &first_bucket_) ::operator delete(before);
    }

    Record* first_bucket_ = nullptr;  // the only one until there are more
    Record** buckets_ = nullptr;
    std::size_t bucket_mask_ = 0;
    std::size_t size_ = 0;
};

// The records of all objects of a thread, or of a heap that threads share.
template <class Threading>
class weak_records {
public:
    using handle = weak_handle<weak_record<Threading>>;

    // Returns: the record of the object, which is made if it has none; then mark() notes that it has one.
    // Requires: the object has an owner meanwhile. Throws: std::bad_alloc; then nothing has changed.
    template <class Mark>
    [[nodiscard]] handle of(cyclic_header& header, Mark mark) {
        const mutex_lock held(mutex_);
        if (handle found = table_.find(&header)) return found;
        handle made(new weak_record<Threading>(header));
        table_.add(*made);
        mark();
        return made;
    }

    // Effects: the weak pointers to the object expire, if is_unowned() holds. It is asked while no weak pointer can
    // become an owner.
    // Returns: its answer. Requires: the object has weak pointers, and only the caller may destroy it.
    template <class IsUnowned>
    bool expire(const cyclic_header& header, IsUnowned is_unowned) noexcept {
        const handle expiring = find(header);
        if (!expiring) FREEHOLD_UNREACHABLE();  // else g++ warns of a store into nothing
        const mutex_lock held(expiring->mutex);
        if (!is_unowned()) return false;
        remove(header);
        // release: a thread that sees it expired without the lock sees what led to that
        expiring->object.store(nullptr, std::memory_order_release);
        return true;
    }

    // Effects: releases all records, which belong to the weak pointers alone afterwards.
    void clear() noexcept { table_.clear(); }

    // Effects: gives back the memory of the table, if it is empty.
    void trim() noexcept { table_.trim(); }

private:
    [[nodiscard]] handle find(const cyclic_header& header) noexcept {
        const mutex_lock held(mutex_);
        return table_.find(&header);
    }

    // The mutex of a record may be held, too; no thread takes them in the other order.
    void remove(const cyclic_header& header) noexcept {
        const mutex_lock held(mutex_);
        table_.remove(&header);
    }

    [[no_unique_address]] typename Threading::mutex mutex_;
    weak_table<weak_record<Threading>> table_;
};

}  // namespace freehold::detail
