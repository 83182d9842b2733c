#pragma once
// thread_domain: the policy of a cyclic_ptr whose objects belong to the thread that makes them. The default.
//
// heap_domain has the same functions.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/first_base.hpp"
#include "../../core/thread_end.hpp"
#include "../../core/type_name.hpp"
#include "../../core/unique_id.hpp"
#include "../../tracing/owned_bytes.hpp"
#include "../may_be_in_cycle.hpp"
#include "cycle_search.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "heap_view.hpp"
#include "weak_records.hpp"

namespace freehold::inline v0_2 {
namespace detail {

// Effects: at the exit of a thread, collects and gives back the blocks without objects. Owned objects stay.
inline void exit_cyclic_thread() noexcept {
    cyclic_thread& thread = this_cyclic_thread;
    {
        thread_view objects(thread);
        cycle_search last(objects);
        while (last.run({}) != 0 && !last.has_stopped()) {
        }
    }
    thread.has_exited = true;
    thread.candidates.close();
    thread.postponed.close();
    thread.weak_records.trim();
    thread.trim();
}

class thread_domain {
public:
    using weak_handle = weak_records<one_thread>::handle;

    // Bytes for the second count of an object.
    static constexpr std::size_t shared_bytes = 0;

    // What precedes "cyclic_ptr" in the name of its pointers.
    static constexpr literal pointer_prefix{""};

    // Returns: the state of the calling thread's objects.
    [[nodiscard]] static cyclic_thread& here() noexcept { return this_cyclic_thread; }

    // Requires: this thread may count owners of the object.
    static void expect_use_of([[maybe_unused]] cyclic_header& header) noexcept {
        FREEHOLD_EXPECTS(
            cyclic_block::of(header).thread<one_thread>().load(std::memory_order_relaxed) == this_cyclic_thread.id,
            "a cyclic_ptr is used in a thread that did not make its object", cyclic_block::of(header).type->name);
    }

    // Requires: this thread may follow and move pointers to the object.
    static void expect_access(const volatile void*) noexcept {}

    // Effects: adds an owner.
    static void acquire(cyclic_header& header) noexcept { header.acquire(); }

    // Effects: removes an owner. An object that may be in a cycle becomes a candidate.
    // Returns: true if there is another owner for certain; else is_unowned() decides.
    template <bool may_be_in_cycle, class T>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static bool release(cyclic_header& header) noexcept {
        if (!header.release()) return false;
        if constexpr (may_be_in_cycle) {
            if (header.may_become_candidate()) add_candidate<T>(header);
        }
        return true;
    }

    // What a new candidate owns outside counts as growth: an object of 24 bytes may own a megabyte. Out of line:
    // inlined, it would make each release save more registers.
    template <class T>
    FREEHOLD_NOINLINE static void add_candidate(cyclic_header& header) noexcept {
        cyclic_thread& thread = this_cyclic_thread;
        if constexpr (is_owned_exactly<T> && may_own_memory<T>) {
            if (header.is_new()) thread.count_owned(freehold::owned_bytes(*static_cast<T*>(header.object())));
        }
        thread.add_released(header);
    }

    // Returns: whether the object has no owner, so that the caller disposes of it. Requires: release() returned false.
    [[nodiscard]] static bool is_unowned(cyclic_header& header) noexcept { return header.is_unowned(); }

    [[nodiscard]] static long owners(cyclic_header& header) noexcept { return header.owners(); }

    // Effects: collects if that is due. Called before an object of `bytes` bytes is made.
    template <bool may_be_in_cycle, std::size_t bytes>
    static void prepare() noexcept {
        if constexpr (may_be_in_cycle) {
            this_cyclic_thread.growth_left -= static_cast<std::int64_t>(bytes);
            if (this_cyclic_thread.growth_left < 0) [[unlikely]]
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
        if constexpr (may_be_in_cycle<T>) this_cyclic_thread.freed += static_cast<std::int64_t>(shape.bytes);
        if constexpr (is_alone) {
            free_list<T>.give_back(header, this_cyclic_thread);
        } else {
            free_list<T>.push(&header, shape);
        }
    }

    template <class T>
    [[nodiscard]] static cell_free_list* free_list_of() noexcept {
        return &free_list<T>;
    }

    template <class T>
    [[nodiscard]] static constexpr usual_bytes* usual_bytes_of() noexcept {
        return nullptr;
    }

    // Returns: the weak record of the object, which is made if it has none.
    // Throws: std::bad_alloc; then nothing has changed.
    [[nodiscard]] static weak_handle acquire_weak(cyclic_header& header) {
        return here().weak_records.of(header, [&header] { header.set(cyclic_header::has_weak); });
    }

    // Effects: the weak pointers to the object expire. Requires: it has some.
    FREEHOLD_NOINLINE static void expire(cyclic_header& header) noexcept {
        auto& records = here().weak_records;
        records.expire(header, [] { return true; });
        header.clear(cyclic_header::has_weak);
        if (here().has_exited) records.trim();
    }

    [[nodiscard]] FREEHOLD_NOINLINE static linked_cell* find(cell_free_list& free_list, const cyclic_type& type) {
        if (this_cyclic_thread.id == 0) begin_thread();
        linked_cell* const cell = free_list.find(type, this_cyclic_thread, nullptr);
        if (cell == nullptr) detail::raise<std::bad_alloc>();
        return cell;
    }

    // Effects: collects and gives back memory, as there is no more, unless a destructor of a cyclic object is running.
    static void reclaim() noexcept {
        cyclic_thread& thread = this_cyclic_thread;
        if (thread.is_destroying() || thread.collecting) return;
        thread_view objects(thread);
        cycle_search(objects).run({});
        thread.trim();
    }

    // Throws: std::bad_alloc.
    static void begin_thread() {
        this_cyclic_thread.reclaim = reclaim;
        this_cyclic_thread.id = detail::unique_id();
        if (this_cyclic_thread.id == 0) detail::raise<std::bad_alloc>();
        static_cast<void>(detail::thread_end<exit_cyclic_thread>::arm());  // else its memory is never given back
    }

    // Effects: collects if that is due, and sets the growth until the next call.
    FREEHOLD_NOINLINE static void collect_if_due() noexcept {
        cyclic_thread& thread = this_cyclic_thread;
        thread.count_growth();
        if (!thread.is_run_due() || thread.is_destroying() || thread.collecting) return;
        thread_view objects(thread);
        cycle_search search(objects);
        if (thread.requested || thread.lost_candidates) {
            thread.requested = false;
            search.run({});
        } else {
            search.run_if_due();
        }
    }

    template <class T>
    FREEHOLD_STATIC_TLS static inline constinit thread_local cell_free_list free_list{};
};

}  // namespace detail
}  // namespace freehold
