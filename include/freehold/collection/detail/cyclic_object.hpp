#pragma once
// cyclic_object<T>: how objects of exactly the type T are made, released and ended.

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/annotate.hpp"
#include "../../core/assert.hpp"
#include "../../core/static_tls.hpp"
#include "../trace.hpp"
#include "cell_supply.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "member_watch.hpp"
#include "observations.hpp"
#include "trial_deletion.hpp"

#ifdef __cpp_rtti
#include <typeinfo>
#endif

namespace freehold {

// Whether an object of exactly the type T may be part of a cycle: unless there is no traced pointer in it. What can't
// is never a candidate, and no collection looks at it. To be specialised by users who know better, before the first
// make_cyclic<T>: what is wrongly excluded leaks.
template <class T>
inline constexpr bool may_be_in_cycle = leads_to_traced<T>;

namespace detail {

// Effects: collects if that is worth its while now, and says when to look again.
[[gnu::noinline]] inline void collect_if_due() noexcept {
    cyclic_thread& thread = this_cyclic_thread;
    thread.allocations_left = cyclic_thread::least_allocations;
    const bool enough =
        thread.automatic && (thread.lost_candidates || thread.candidates.size() >= cyclic_thread::least_candidates);
    if (!enough && !thread.wanted) return;
    if (thread.nested != 0 || thread.collecting) return;
    thread.wanted = false;
    trial_deletion run;
    const std::size_t destroyed = run.run(trial_deletion::no_limit);
    // Of what is alive a small part, so that garbage is no more than that; or, where hardly anything was garbage, so
    // many that the next run costs them little.
    const std::size_t spared = destroyed < run.visits() / 4 ? run.visits() / 4 : 0;
    thread.allocations_left = std::max({cyclic_thread::least_allocations, thread.cells / 64, spared});
}

// At a thread's end: collects, and gives back the blocks that hold no object. What somebody still owns stays as it is.
struct cyclic_thread_end {
    cyclic_thread_end() noexcept { this_cyclic_thread.id = next_cyclic_thread(); }
    cyclic_thread_end(const cyclic_thread_end&) = delete;
    cyclic_thread_end& operator=(const cyclic_thread_end&) = delete;

    ~cyclic_thread_end() {
        cyclic_thread& thread = this_cyclic_thread;
        constexpr int most_runs = 8;  // for destructors that leave more garbage
        for (int i = 0; i < most_runs && trial_deletion().run(trial_deletion::no_limit) != 0; ++i) {
        }
        thread.ended = true;
        for (cyclic_header* const header : thread.candidates) header->set_place(0);
        thread.candidates.release();
        observations::trim();
        for (cell_supply* supply = thread.supplies; supply != nullptr; supply = supply->next()) supply->trim();
    }
};

template <class T>
class cyclic_object {
    static constexpr bool is_acyclic = !may_be_in_cycle<T>;
    static constexpr bool has_finalizer = requires(T& object) { object.finalize(); };
    static constexpr cell_shape shape = shape_of_cells(sizeof(T), alignof(T));
    static constexpr bool is_alone = shape.count == 1;

    static_assert(std::is_same_v<T, std::remove_cv_t<T>>);

public:
    // Returns: the header of a new object, which has one owner.
    // Throws: std::bad_alloc, or what the constructor throws; then nothing is left behind.
    template <class... Arguments>
    [[nodiscard]] static cyclic_header* make(Arguments&&... arguments) {
        if constexpr (!is_acyclic) {
            if (--this_cyclic_thread.allocations_left == 0) [[unlikely]]
                collect_if_due();
        }
        linked_cell* cell = supply.pop();
        if (cell == nullptr) [[unlikely]]
            cell = find();
        annotate_allocated(cell, shape.bytes);
        claim claimed(cell);
        T* const object = static_cast<T*>(static_cast<void*>(cell + 1));
        {
            const member_watch watch(object, sizeof(T));
            ::new (static_cast<void*>(object)) T(std::forward<Arguments>(arguments)...);
            watch.check(*object);
        }
        claimed.cell = nullptr;
        return ::new (static_cast<void*>(cell)) cyclic_header(!is_acyclic);
    }

    // Effects: ends an object that has no owner.
    static void end(cyclic_header& header) noexcept {
        cyclic_thread& thread = this_cyclic_thread;
        if (header.is_known_elsewhere()) [[unlikely]] {
            if (header.place() != 0) thread.clear_suspicion(header);
            if (header.is(cyclic_header::observed)) observations::expire(header);
        }
        if constexpr (std::is_trivially_destructible_v<T> && !has_finalizer) {
            deallocate(header);
        } else {
            if (thread.nested >= cyclic_thread::most_nested) [[unlikely]]
                return thread.put_off(header);
            ++thread.nested;
            end_now(header);
            if (--thread.nested == 0 && thread.waiting != 0) [[unlikely]]
                thread.work_off();
        }
    }

private:
    // Frees the cell where the constructor throws.
    struct claim {
        explicit claim(linked_cell* claimed) noexcept : cell(claimed) {}
        claim(const claim&) = delete;
        claim& operator=(const claim&) = delete;
        ~claim() {
            if (cell != nullptr) free(cell);
        }

        linked_cell* cell;
    };

    [[nodiscard, gnu::noinline]] static linked_cell* find() {
        if (this_cyclic_thread.id == 0) static thread_local const cyclic_thread_end end;
        return supply.find(type);
    }

    [[nodiscard]] static T& object_of(cyclic_header& header) noexcept { return *static_cast<T*>(header.object()); }

    static void trace_object(cyclic_header& header, edge_visitor& visitor) {
        freehold::trace(std::as_const(object_of(header)), visitor);
    }

    static void destroy(cyclic_header& header) noexcept { object_of(header).~T(); }

    static void deallocate(cyclic_header& header) noexcept { free(&header); }

    static void free(void* cell) noexcept {
        if constexpr (is_alone) {
            supply.give_back(*static_cast<cyclic_header*>(cell));
        } else {
            supply.push(cell, shape.bytes);
        }
    }

    // Nobody can become an owner of an object that finalize() is called for here.
    static void end_now(cyclic_header& header) noexcept {
        if constexpr (has_finalizer) {
            if (!header.is(cyclic_header::finalized)) finalize(header);
        }
        destroy(header);
        deallocate(header);
    }

    static void finalize([[maybe_unused]] cyclic_header& header) noexcept {
        if constexpr (has_finalizer) object_of(header).finalize();
    }

    [[nodiscard]] static const char* name() noexcept {
#ifdef __cpp_rtti
        return typeid(T).name();
#else
        return "";
#endif
    }

    static constexpr cyclic_type type{shape,   name,       trace_object, has_finalizer ? finalize : nullptr,
                                      destroy, deallocate, end,          end_now};
    FREEHOLD_STATIC_TLS static inline constinit thread_local cell_supply supply{};
};

}  // namespace detail
}  // namespace freehold
