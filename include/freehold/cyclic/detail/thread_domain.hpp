#pragma once
// thread_domain: collected objects that one thread makes, uses and ends.

#include <algorithm>
#include <cstddef>
#include <new>

#include "../../core/assert.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/static_tls.hpp"
#include "../../core/thread_end.hpp"
#include "../../core/type_name.hpp"
#include "../../core/unique_id.hpp"
#include "cell_free_list.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "trial_deletion.hpp"
#include "weak_records.hpp"

namespace freehold::detail {

// At a thread's end: collects, and gives back the blocks that hold no object. What somebody still owns stays as it is.
inline void end_cyclic_thread() noexcept {
    cyclic_thread& thread = this_cyclic_thread;
    constexpr int most_runs = 8;  // for destructors that leave more garbage
    for (int i = 0; i < most_runs && trial_deletion(thread).run(trial_deletion::no_limit) != 0; ++i) {
    }
    thread.ended = true;
    for (cyclic_header* const header : thread.candidates) header->set_place(0);
    thread.candidates.release();
    weak_records::trim();
    for (cell_free_list* free_list = thread.free_lists; free_list != nullptr; free_list = free_list->next())
        free_list->trim();
}

struct thread_domain {
    static constexpr std::size_t prefix = 0;

    // The name of its pointers is this and "cyclic_ptr".
    static constexpr literal pointer_prefix{""};

    // Returns: what the thread knows of its objects.
    [[nodiscard]] static cyclic_thread& here() noexcept { return this_cyclic_thread; }

    // Requires: the object may be used here.
    static void expect_use_of([[maybe_unused]] cyclic_header& header) noexcept {
        FREEHOLD_EXPECTS(cyclic_block::of(header).thread == this_cyclic_thread.id,
                         "a cyclic_ptr is used in a thread that did not make its object",
                         cyclic_block::of(header).type->name);
    }

    // Requires: pointers to the object may be followed and moved here.
    static void expect_access(const volatile void*) noexcept {}

    // Effects: counts one owner more.
    static void acquire(cyclic_header& header) noexcept { header.acquire(); }

    // Effects: counts one owner less. One that may be in a cycle becomes a candidate.
    // Returns: whether owners are left for certain; if not, has_ended() tells.
    template <bool may_be_in_cycle>
    [[nodiscard, gnu::always_inline]] static bool release(cyclic_header& header) noexcept {
        if (!header.release()) return false;
        if constexpr (may_be_in_cycle) {
            if (header.is_unsuspected()) this_cyclic_thread.suspect(header);
        }
        return true;
    }

    [[nodiscard]] static bool has_ended(cyclic_header& header) noexcept { return header.has_ended(); }

    [[nodiscard]] static long owners(cyclic_header& header) noexcept { return header.owners(); }

    // Effects: what is due before an object is made.
    template <bool may_be_in_cycle>
    static void prepare() noexcept {
        if constexpr (may_be_in_cycle) {
            if (--this_cyclic_thread.allocations_left == 0) [[unlikely]]
                collect_if_due();
        }
    }

    // Returns: a cell for a new T. Throws: std::bad_alloc.
    template <class T>
    [[nodiscard]] static linked_cell* allocate(const cyclic_type& type) {
        linked_cell* const cell = free_list<T>.pop();
        if (cell != nullptr) [[likely]]
            return cell;
        return find(free_list<T>, type);
    }

    template <class T, bool is_alone>
    static void free(cyclic_header& header, const cell_shape& shape) noexcept {
        if constexpr (is_alone) {
            free_list<T>.give_back(header, this_cyclic_thread);
        } else {
            free_list<T>.push(&header, shape);
        }
    }

    // Effects: readies the cell for an object that was made there. No bytes before the header need it.
    static void open(linked_cell*) noexcept {}

    template <class T>
    [[nodiscard]] static cell_free_list* free_list_of() noexcept {
        return &free_list<T>;
    }

    // What observers of an object share.
    using weak_record = detail::weak_record;
    using observer = weak_records::shared_record;

    // Throws: std::bad_alloc.
    [[nodiscard]] static observer observe(cyclic_header& header) { return weak_records::of(header); }

    // Returns: the object that is observed, with one owner more, or a null pointer.
    [[nodiscard]] static cyclic_header* lock(const weak_record& record) noexcept {
        if (record.observed != nullptr) record.observed->acquire();
        return record.observed;
    }

    [[nodiscard]] static bool has_expired(const weak_record& record) noexcept { return record.observed == nullptr; }

    [[nodiscard]] static long owners_of_observed(const weak_record& record) noexcept {
        return record.observed != nullptr ? record.observed->owners() : 0;
    }

    static void expire(cyclic_header& header) noexcept { weak_records::expire(header); }

private:
    [[nodiscard, gnu::noinline]] static linked_cell* find(cell_free_list& free_list, const cyclic_type& type) {
        if (this_cyclic_thread.id == 0) begin_thread();
        return free_list.find(type, this_cyclic_thread, nullptr);
    }

    // Throws: std::bad_alloc.
    static void begin_thread() {
        this_cyclic_thread.id = unique_id();
        if (this_cyclic_thread.id == 0) raise<std::bad_alloc>();
        static_cast<void>(thread_end<end_cyclic_thread>::arm());  // else what it leaves behind stays
    }

    // Effects: collects if that is worth its while now, and says when to look again.
    [[gnu::noinline]] static void collect_if_due() noexcept {
        cyclic_thread& thread = this_cyclic_thread;
        thread.allocations_left = cyclic_thread::least_allocations;
        if (!thread.is_run_due() || thread.is_ending() || thread.collecting) return;
        thread.wanted = false;
        trial_deletion run(thread);
        const std::size_t ended = run.run(trial_deletion::no_limit);
        thread.allocations_left = run.allocations_until_next(ended, thread.cells);
    }

    template <class T>
    FREEHOLD_STATIC_TLS static inline constinit thread_local cell_free_list free_list{};
};

}  // namespace freehold::detail
