#pragma once
// heap_domain: collected objects of a heap that threads share.
//
// The session that made an object counts plainly in its header, others beside it; see shared_owners.

#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>

#include "../../core/assert.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/type_name.hpp"
#include "cell_supply.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_session.hpp"
#include "shared_deletion.hpp"
#include "shared_header.hpp"
#include "shared_observations.hpp"
#include "shared_world.hpp"

namespace freehold::detail {

struct heap_domain {
    static constexpr std::size_t prefix = sizeof(shared_owners);
    static constexpr literal pointer_prefix{"shared_"};

    [[nodiscard]] static cyclic_thread& here() noexcept { return *this_cyclic_session; }

    // Requires: the thread has a session in the object's heap.
    static void expect_use_of([[maybe_unused]] cyclic_header& header) noexcept {
        FREEHOLD_EXPECTS(this_cyclic_session != nullptr, "a shared_cyclic_ptr is used in a thread without a session",
                         cyclic_block::of(header).type->name);
        FREEHOLD_EXPECTS(cyclic_block::of(header).world == &this_cyclic_session->world,
                         "the thread's session is of another heap than the object",
                         cyclic_block::of(header).type->name);
    }

    static void expect_access(const volatile void* object) noexcept { expect_use_of(cyclic_header::of(object)); }

    static void acquire(cyclic_header& header) noexcept {
        if (is_ours(header)) return header.acquire_shown();
        touch(header);
        owners_beside(header).acquire();
    }

    template <bool may_be_in_cycle>
    [[nodiscard]] static bool release(cyclic_header& header) noexcept {
        if (!is_ours(header)) return release_others(header, may_be_in_cycle);
        if (!header.release_shown()) return false;
        if constexpr (may_be_in_cycle) {
            if (header.is_unsuspected()) this_cyclic_session->suspect(header);
        }
        return true;
    }

    [[nodiscard]] static bool has_ended(cyclic_header& header) noexcept {
        cyclic_session& session = *this_cyclic_session;
        if (!is_ours(header)) {
            const auto merged_has_ended = [&header] { return owners_beside(header).has_ended(); };
            if (!owners_beside(header).seen().is(shared_owners::observed)) return merged_has_ended();
            return session.world.observations.expire(header, merged_has_ended);
        }
        if (!header.has_ended()) return false;
        const shared_owners::content taken = settle(header, 0);
        if (header.has_owners()) {
            if (header.is_unsuspected()) session.suspect(header);
            return false;
        }
        if (taken.is(shared_owners::queued)) return false;
        return !taken.is(shared_owners::observed) || session.world.expire(header);
    }

    [[nodiscard]] static long owners(cyclic_header& header) noexcept {
        return header.shown_owners() + static_cast<long>(owners_beside(header).seen().owners);
    }

    template <bool may_be_in_cycle>
    static void prepare() noexcept {
        cyclic_session& session = *this_cyclic_session;
        // relaxed: the heap's lock orders what is asked for
        if (session.is_asked.load(std::memory_order_relaxed)) [[unlikely]]
            session.world.stand_still(session);
        if constexpr (may_be_in_cycle) {
            if (--session.allocations_left == 0) [[unlikely]]
                collect_if_due(session);
        }
    }

    template <class T>
    [[nodiscard]] static linked_cell* allocate(const cyclic_type& type) {
        cell_supply* const supply = supply_of<T>();
        if (supply == nullptr) raise<std::bad_alloc>();
        linked_cell* const cell = supply->pop();
        if (cell != nullptr) [[likely]]
            return cell;
        return supply->find(type, *this_cyclic_session, &this_cyclic_session->world);
    }

    template <class T, bool is_alone>
    static void free(cyclic_header& header, const cell_shape& shape) noexcept {
        if (!is_ours(header)) return this_cyclic_session->world.free_abandoned(header);
        if constexpr (is_alone) {
            supply_of<T>()->give_back(header, *this_cyclic_session);
        } else {
            supply_of<T>()->push(&header, shape);
        }
    }

    static void open(linked_cell* cell) noexcept {
        ::new (static_cast<void*>(reinterpret_cast<std::byte*>(cell) - prefix)) shared_owners();
    }

    template <class T>
    [[nodiscard]] static cell_supply* supply_of() noexcept {
        return this_cyclic_session->supply_of(number_of_cyclic_type<T>());
    }

    using observation = shared_observation;
    using observer = shared_observations::record;

    [[nodiscard]] static observer observe(cyclic_header& header) {
        touch(header);
        return this_cyclic_session->world.observations.of(header);
    }

    [[nodiscard]] static cyclic_header* lock(observation& record) noexcept {
        const std::lock_guard held(record.mutex);
        // relaxed: the mutex orders
        cyclic_header* const observed = record.observed.load(std::memory_order_relaxed);
        if (observed != nullptr) {
            expect_use_of(*observed);
            acquire(*observed);
        }
        return observed;
    }

    [[nodiscard]] static long owners_of_observed(observation& record) noexcept {
        const std::lock_guard held(record.mutex);
        // relaxed: the mutex orders
        cyclic_header* const observed = record.observed.load(std::memory_order_relaxed);
        return observed != nullptr ? owners(*observed) : 0;
    }

    static void expire(cyclic_header& header) noexcept {
        this_cyclic_session->world.observations.expire(header, [] { return true; });
    }

    // Effects: ends garbage of the whole heap. Returns: the number of objects that were found.
    static std::size_t collect(cyclic_session& session) {
        if (session.is_ending()) {
            session.wanted = true;
            return 0;
        }
        session.wanted = false;
        std::size_t ended = 0;
        session.world.stop(session, [&] { ended = shared_deletion(session.world, session).run_all(); });
        return ended;
    }

private:
    [[nodiscard]] static bool is_ours(cyclic_header& header) noexcept {
        // relaxed: it is the number of the session while that runs, and never for another
        return cyclic_block::of(header).thread.load(std::memory_order_relaxed) == this_cyclic_session->id;
    }

    // Effects: the next collection looks at what was written beside the header. relaxed: it comes when this session
    // stands still.
    static void touch(cyclic_header& header) noexcept {
        std::atomic<bool>& is_touched = cyclic_block::of(header).is_touched;
        if (!is_touched.load(std::memory_order_relaxed)) is_touched.store(true, std::memory_order_relaxed);
    }

    [[nodiscard, gnu::noinline]] static bool release_others(cyclic_header& header, bool may_be_in_cycle) noexcept {
        touch(header);
        shared_world& world = this_cyclic_session->world;
        const shared_owners::released left = owners_beside(header).release(may_be_in_cycle);
        this_cyclic_session->suspected_elsewhere += left.is_newly_suspected ? 1 : 0;
        if (left.next == shared_owners::outcome::to_be_queued) return world.deliver(header);
        return left.next == shared_owners::outcome::owned;
    }

    [[gnu::noinline]] static void collect_if_due(cyclic_session& session) noexcept {
        session.allocations_left = cyclic_thread::least_allocations;
        // relaxed: it says what was wished for
        session.automatic = session.world.is_automatic.load(std::memory_order_relaxed);
        const bool many = session.candidates.size() + session.suspected_elsewhere >= cyclic_thread::least_candidates;
        if (session.is_run_due() || (session.automatic && many)) collect(session);
    }
};

}  // namespace freehold::detail
