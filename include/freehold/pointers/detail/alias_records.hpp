#pragma once
// alias_records: memory for the pairs of pointer and owner that do not fit into one word (shared_word.hpp).
//
// Thread safety: any thread may call any function. Complexity: constant, but for a new segment. Cost: 32 bytes a
// record; take() and give_back() are a locked operation each.

#include <cstdint>

#include "../../core/record_table.hpp"
#include "../../core/threading.hpp"

namespace freehold::inline v0_2::detail {

struct atomic_pointer_process;

// The Process (reader_domain.hpp) of the atomic pointers whose threads synchronize so, as `type`. A test specializes
// it.
template <class Threading>
struct process_of;

template <>
struct process_of<process_threading> {
    using type = atomic_pointer_process;
};

template <class Threading>
class basic_alias_records;

// Threading: core/threading.hpp, here and below.
template <class Threading>
struct alignas(32) basic_alias_record : table_entry<Threading> {
    std::uintptr_t object = 0;
    std::uintptr_t handle = 0;
    basic_alias_records<Threading>* home = nullptr;  // of the module that made the atomic pointer
};

template <class Threading>
class basic_alias_records {
public:
    using alias_record = basic_alias_record<Threading>;

    constexpr basic_alias_records() noexcept = default;

    // Returns: a record for the caller alone, or null if there is no memory, which cannot happen for the first 64.
    [[nodiscard]] alias_record* take() noexcept {
        alias_record* const taken = records_.acquire();
        if (taken != nullptr) [[likely]]
            taken->home = this;
        return taken;
    }

    // Effects: another take() may return the record. Requires: take() returned it.
    static void give_back(alias_record& record) noexcept { record.home->records_.release(record); }

private:
    struct limits : process_of<Threading>::type {
        static constexpr std::uint32_t records_in_group = 64;
        static constexpr bool is_first_group_in_place = true;
    };

    record_table<Threading, alias_record, limits, false> records_;
};

using alias_record = basic_alias_record<process_threading>;
using alias_records = basic_alias_records<process_threading>;

}  // namespace freehold::detail
