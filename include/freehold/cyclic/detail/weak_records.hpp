#pragma once
// Which objects of a thread are observed, and by what: a record for each, which its observers share.

#include <new>
#include <unordered_map>
#include <utility>

#include "../../counting/plain_counting.hpp"
#include "counted_record.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"

namespace freehold::detail {

struct weak_record {
    cyclic_header* observed;  // null when that has ended
};

// A table beside the objects and not a word in each: few are observed.
class weak_records {
public:
    using shared_record = counted_record<weak_record, plain_counting>;

    // Returns: the record of the object, which is made if it has none.
    // Throws: std::bad_alloc; then nothing has changed.
    [[nodiscard]] static shared_record of(cyclic_header& header) {
        cyclic_thread& thread = this_cyclic_thread;
        if (thread.weak_records == nullptr) thread.weak_records = new weak_records();
        auto& records = thread.weak_records->records_;
        if (header.is(cyclic_header::observed)) return records.find(&header)->second;
        auto record = shared_record::make(&header);
        records.emplace(&header, record);
        header.set(cyclic_header::observed);
        return record;
    }

    // Effects: nobody observes the object any more. Requires: it is observed.
    [[gnu::noinline]] static void expire(cyclic_header& header) noexcept {
        auto& records = this_cyclic_thread.weak_records->records_;
        const auto found = records.find(&header);
        found->second->observed = nullptr;
        records.erase(found);
        header.clear(cyclic_header::observed);
        if (this_cyclic_thread.ended) trim();
    }

    // Effects: gives the table's memory back, where it is empty.
    static void trim() noexcept {
        cyclic_thread& thread = this_cyclic_thread;
        if (thread.weak_records == nullptr || !thread.weak_records->records_.empty()) return;
        delete std::exchange(thread.weak_records, nullptr);
    }

private:
    std::unordered_map<cyclic_header*, shared_record> records_;
};

}  // namespace freehold::detail
