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
#include "cell_free_list.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_session.hpp"
#include "mutator_registry.hpp"
#include "shared_deletion.hpp"
#include "shared_header.hpp"
#include "shared_weak_records.hpp"
#include "threading.hpp"

namespace freehold::detail {

template <class Threading>
struct basic_heap_domain {
    using shared_owners = basic_shared_owners<Threading::template atomic>;
    using session_type = cyclic_session<Threading>;
    using registry_type = mutator_registry<Threading>;

    static constexpr std::size_t prefix = sizeof(shared_owners);
    static constexpr literal pointer_prefix{"concurrent_"};

    [[nodiscard]] static session_type& here() noexcept { return *session_type::this_cyclic_session; }

    // Requires: the thread has a session in the object's heap.
    static void expect_use_of([[maybe_unused]] cyclic_header& header) noexcept {
        FREEHOLD_EXPECTS(session_type::this_cyclic_session != nullptr,
                         "a concurrent_cyclic_ptr is used in a thread without a session",
                         cyclic_block::of(header).type->name);
        FREEHOLD_EXPECTS(cyclic_block::of(header).registry == &here().registry,
                         "the thread's session is of another heap than the object",
                         cyclic_block::of(header).type->name);
    }

    static void expect_access(const volatile void* object) noexcept { expect_use_of(cyclic_header::of(object)); }

    static void acquire(cyclic_header& header) noexcept {
        if (is_ours(header)) return header.acquire_shown();
        touch(header);
        detail::owners_beside<Threading>(header).acquire();
    }

    template <bool may_be_in_cycle>
    [[nodiscard]] static bool release(cyclic_header& header) noexcept {
        if (!is_ours(header)) return release_others(header, may_be_in_cycle);
        if (!header.release_shown()) return false;
        if constexpr (may_be_in_cycle) {
            if (header.is_unsuspected()) here().suspect(header);
        }
        return true;
    }

    // Owners and observers are read at once: an object that has neither can't be reached. One that is observed is asked
    // again while no observer can make an owner.
    [[nodiscard]] static bool has_ended(cyclic_header& header) noexcept {
        session_type& session = here();
        if (!is_ours(header)) {
            shared_owners& beside = detail::owners_beside<Threading>(header);
            const auto left = beside.unqueue_owned();
            if (left.owners != 0) return false;
            const auto is_unowned = [&beside] { return beside.unqueue_owned().owners == 0; };
            return !left.is(shared_owners::observed) || session.registry.weak_records.expire(header, is_unowned);
        }
        if (!header.has_ended()) return false;
        const auto taken = detail::settle<Threading>(header, 0);
        if (header.has_owners()) {
            if (header.is_unsuspected()) session.suspect(header);
            return false;
        }
        if (taken.is(shared_owners::queued)) return false;
        return !taken.is(shared_owners::observed) || session.registry.expire(header);
    }

    [[nodiscard]] static long owners(cyclic_header& header) noexcept {
        return header.shown_owners() + static_cast<long>(detail::owners_beside<Threading>(header).seen().owners);
    }

    template <bool may_be_in_cycle>
    static void prepare() noexcept {
        session_type& session = here();
        // relaxed: the heap's lock orders what is asked for
        if (session.is_asked.load(std::memory_order_relaxed)) [[unlikely]]
            session.registry.stand_still(session);
        if constexpr (may_be_in_cycle) {
            if (--session.allocations_left == 0) [[unlikely]]
                collect_if_due(session);
        }
    }

    template <class T>
    [[nodiscard]] static linked_cell* allocate(const cyclic_type& type) {
        cell_free_list* const free_list = free_list_of<T>();
        if (free_list == nullptr) raise<std::bad_alloc>();
        linked_cell* const cell = free_list->pop();
        if (cell != nullptr) [[likely]]
            return cell;
        return free_list->find(type, here(), &here().registry);
    }

    template <class T, bool is_alone>
    static void free(cyclic_header& header, const cell_shape& shape) noexcept {
        if (!is_ours(header)) return here().registry.free_abandoned(header);
        if constexpr (is_alone) {
            free_list_of<T>()->give_back(header, here());
        } else {
            free_list_of<T>()->push(&header, shape);
        }
    }

    static void open(linked_cell* cell) noexcept {
        ::new (static_cast<void*>(reinterpret_cast<std::byte*>(cell) - prefix)) shared_owners();
    }

    template <class T>
    [[nodiscard]] static cell_free_list* free_list_of() noexcept {
        return here().free_list_of(detail::number_of_cyclic_type<T>());
    }

    using weak_record = shared_weak_record<Threading>;
    using observer = typename shared_weak_records<Threading>::record;

    [[nodiscard]] static observer observe(cyclic_header& header) {
        touch(header);
        return here().registry.weak_records.of(header);
    }

    [[nodiscard]] static cyclic_header* lock(weak_record& record) noexcept {
        const std::lock_guard held(record.mutex);
        // relaxed: the mutex orders
        cyclic_header* const observed = record.observed.load(std::memory_order_relaxed);
        if (observed != nullptr) {
            expect_use_of(*observed);
            acquire(*observed);
        }
        return observed;
    }

    [[nodiscard]] static bool has_expired(const weak_record& record) noexcept {
        // acquire: pairs with the release of shared_weak_records::expire
        return record.observed.load(std::memory_order_acquire) == nullptr;
    }

    [[nodiscard]] static long owners_of_observed(weak_record& record) noexcept {
        const std::lock_guard held(record.mutex);
        // relaxed: the mutex orders
        cyclic_header* const observed = record.observed.load(std::memory_order_relaxed);
        return observed != nullptr ? owners(*observed) : 0;
    }

    static void expire(cyclic_header& header) noexcept {
        here().registry.weak_records.expire(header, [] { return true; });
    }

    // Effects: ends garbage of the whole heap. Returns: the number of objects that were found.
    static std::size_t collect(session_type& session) {
        if (session.is_ending()) {
            session.wanted = true;
            return 0;
        }
        session.wanted = false;
        std::size_t ended = 0;
        session.registry.stop(session,
                              [&] { ended = shared_deletion<Threading>(session.registry, session).run_all(); });
        return ended;
    }

private:
    [[nodiscard]] static bool is_ours(cyclic_header& header) noexcept {
        // relaxed: it is the number of the session while that runs, and never for another
        return cyclic_block::of(header).thread.load(std::memory_order_relaxed) == here().id;
    }

    // Effects: the next collection looks at what was written beside the header. relaxed: it comes when this session
    // stands still.
    static void touch(cyclic_header& header) noexcept {
        std::atomic<bool>& is_touched = cyclic_block::of(header).is_touched;
        if (!is_touched.load(std::memory_order_relaxed)) is_touched.store(true, std::memory_order_relaxed);
    }

    [[nodiscard, gnu::noinline]] static bool release_others(cyclic_header& header, bool may_be_in_cycle) noexcept {
        touch(header);
        registry_type& registry = here().registry;
        const auto left = detail::owners_beside<Threading>(header).release(may_be_in_cycle);
        here().suspected_elsewhere += left.is_newly_suspected ? 1 : 0;
        if (left.next == shared_owners::outcome::to_be_queued) return registry.deliver(header);
        return left.next == shared_owners::outcome::owned;
    }

    [[gnu::noinline]] static void collect_if_due(session_type& session) noexcept {
        session.allocations_left = cyclic_thread::least_allocations;
        // relaxed: it says what was wished for
        session.automatic = session.registry.is_automatic.load(std::memory_order_relaxed);
        const bool many = session.candidates.size() + session.suspected_elsewhere >= cyclic_thread::least_candidates;
        if (session.is_run_due() || (session.automatic && many)) collect(session);
    }
};

using heap_domain = basic_heap_domain<standard_threading>;

}  // namespace freehold::detail
