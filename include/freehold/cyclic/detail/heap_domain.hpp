#pragma once
// heap_domain: the policy of a cyclic_ptr whose objects belong to a cyclic_heap, which threads share.
//
// thread_domain.hpp says what each function does.
//
// The session that made an object counts in its header with plain instructions, others in a word at the end of its
// block, which is not touched before another session counts there; see shared_owners.hpp.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/first_base.hpp"
#include "../../core/spinning_mutex.hpp"
#include "../../core/threading.hpp"
#include "../../core/type_name.hpp"
#include "../../counting/atomic_counting.hpp"
#include "../../tracing/owned_bytes.hpp"
#include "../may_be_in_cycle.hpp"
#include "cycle_search.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "cyclic_session.hpp"
#include "mutator_registry.hpp"
#include "shared_deletion.hpp"
#include "shared_owners.hpp"
#include "weak_records.hpp"

namespace freehold::inline v0_2 {
namespace detail {

template <class Threading>
class basic_heap_domain {
    using shared_owners = basic_shared_owners<Threading>;
    using session_type = cyclic_session<Threading>;
    using registry_type = mutator_registry<Threading>;
    using deletion = shared_deletion<Threading>;

public:
    using weak_handle = typename weak_records<Threading>::handle;

    static constexpr std::size_t shared_bytes = sizeof(shared_owners);
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
        if (here().own_blocks.has(header)) [[likely]]
            return header.acquire_published();
        acquire_anywhere(header);
    }

    template <bool may_be_in_cycle, class T>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static bool release(cyclic_header& header) noexcept {
        if (!here().own_blocks.has(header)) [[unlikely]]
            return release_anywhere<may_be_in_cycle, T>(header);
        return release_own<may_be_in_cycle, T>(header);
    }

    template <bool may_be_in_cycle, class T>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static bool release_own(cyclic_header& header) noexcept {
        if (!header.release_published()) return false;
        if constexpr (may_be_in_cycle) {
            if (header.may_become_candidate()) add_candidate<T>(header);
        }
        return true;
    }

    template <class T>
    static void add_candidate(cyclic_header& header) noexcept {
        if constexpr (usual_bytes_of<T>() != nullptr) {
            add_owning_candidate<T>(header);
        } else {
            here().add_candidate(header);
        }
    }

    // Effects: what a new candidate may own outside counts as growth. It is a guess, which each collection corrects:
    // another session may be changing the object now.
    template <class T>
    FREEHOLD_NOINLINE static void add_owning_candidate(cyclic_header& header) noexcept {
        session_type& session = here();
        if (header.is_new()) session.growth_left -= usual_bytes_of<T>()->get();
        session.add_candidate(header);
    }

    [[nodiscard]] static bool is_unowned(cyclic_header& header) noexcept {
        // Of this session, and no other one has counted here since the last collection, which has emptied the counts.
        const bool is_untouched = detail::session_and_flags<Threading>(header) - here().id <= in_use;
        if (is_untouched && !header.is(cyclic_header::has_weak)) [[likely]]
            return header.is_unowned();
        return is_unowned_anywhere(header);
    }

    // The count and has_weak are read at once: an object with neither owners nor weak pointers can't be reached. With
    // weak pointers, the count is read again while none of them can become an owner.
    [[nodiscard]] FREEHOLD_NOINLINE static bool is_unowned_anywhere(cyclic_header& header) noexcept {
        session_type& session = here();
        if (!is_ours(header)) {
            shared_owners& beside = detail::owners_beside<Threading>(header);
            const auto left = beside.unqueue_owned();
            if (left.owners != 0) return false;
            const auto is_unowned = [&beside] { return beside.unqueue_owned().owners == 0; };
            return !left.is(shared_owners::has_weak) || session.registry.expire(header, is_unowned);
        }
        if (!header.is_unowned()) return false;
        const auto taken = detail::fold_shared_count<Threading>(header, 0);
        if (header.has_owners()) {
            if (header.may_become_candidate()) session.add_candidate(header);
            return false;
        }
        if (taken.is(shared_owners::queued)) return false;
        return !taken.is(shared_owners::has_weak) || session.registry.expire_own(header);
    }

    [[nodiscard]] static long owners(cyclic_header& header) noexcept {
        long owners = header.published_owners();
        if (detail::has_shared_count<Threading>(header)) {
            owners += static_cast<long>(detail::owners_beside<Threading>(header).seen().owners);
        }
        return owners;
    }

    template <bool may_be_in_cycle, std::size_t bytes>
    static void prepare() noexcept {
        session_type& session = here();
        if constexpr (may_be_in_cycle) session.growth_left -= static_cast<std::int64_t>(bytes);
        // relaxed: the heap's lock orders what the session finds at its safepoint
        if (session.growth_left < 0 || session.stop_requested.load(std::memory_order_relaxed)) [[unlikely]]
            wait_and_collect();
    }

    // Without arguments, so that make() saves no registers.
    FREEHOLD_NOINLINE static void wait_and_collect() noexcept {
        session_type& session = here();
        if (session.stop_requested.load(std::memory_order_relaxed)) session.registry.wait_at_safepoint(session);
        if (session.growth_left < 0) collect_if_due(session);
    }

    template <class T>
    [[nodiscard]] static linked_cell* allocate(const cyclic_type& type) {
        if (recent<T>.session == here().number) [[likely]] {
            linked_cell* const cell = recent<T>.free_list->pop();
            if (cell != nullptr) [[likely]]
                return cell;
        }
        return find<T>(type);
    }

    // Effects: if there is no memory, collects first. As make() is a safepoint, it may.
    template <class T>
    [[nodiscard]] FREEHOLD_NOINLINE static linked_cell* find(const cyclic_type& type) {
        linked_cell* cell = try_find<T>(type);
        if (cell == nullptr) {
            reclaim(here());
            cell = try_find<T>(type);
            if (cell == nullptr) detail::raise<std::bad_alloc>();
        }
        return cell;
    }

    template <class T>
    [[nodiscard]] static linked_cell* try_find(const cyclic_type& type) {
        cell_free_list* const free_list = free_list_of<T>();
        if (free_list == nullptr) return nullptr;
        linked_cell* const cell = free_list->pop();
        return cell != nullptr ? cell : free_list->find(type, here(), &here().registry);
    }

    template <class T, bool is_alone>
    FREEHOLD_ALWAYS_INLINE static void free(cyclic_header& header, const cell_shape& shape) noexcept {
        if (detail::session_and_flags<Threading>(header) != here().id) [[unlikely]]
            return free_shared<T, is_alone>(header, shape);
        free_own<T, is_alone>(header, shape);
    }

    template <class T, bool is_alone>
    FREEHOLD_NOINLINE static void free_shared(cyclic_header& header, const cell_shape& shape) noexcept {
        detail::owners_beside<Threading>(header).reset();
        if (!is_ours(header)) return here().registry.free_abandoned(header);
        free_own<T, is_alone>(header, shape);
    }

    template <class T, bool is_alone>
    FREEHOLD_ALWAYS_INLINE static void free_own(cyclic_header& header, const cell_shape& shape) noexcept {
        if constexpr (is_alone) {
            if (!free_list_of<T>()->give_back(header, here())) return;
        } else {
            free_list_of<T>()->push(&header, shape);
        }
        if constexpr (may_be_in_cycle<T>) here().freed += static_cast<std::int64_t>(shape.bytes);
    }

    template <class T>
    [[nodiscard]] static cell_free_list* free_list_of() noexcept {
        if (recent<T>.session != here().number) [[unlikely]]
            find_free_list<T>();
        return recent<T>.free_list;
    }

    [[nodiscard]] static weak_handle acquire_weak(cyclic_header& header) {
        here().registry.use_shared(header);
        return here().registry.weak_records.of(
            header, [&header] { detail::owners_beside<Threading>(header).set(shared_owners::has_weak); });
    }

    FREEHOLD_NOINLINE static void expire(cyclic_header& header) noexcept {
        here().registry.expire(header, [] { return true; });
    }

    // Effects: goes on to find garbage of the whole heap, and destroys what belongs to this session. Without a limit,
    // it begins again if the destructors have released anything that still has owners. Returns: the number of objects
    // found.
    static std::size_t collect(session_type& session, std::size_t budget, collected_generations& generations) {
        if (session.is_destroying()) {
            session.requested = true;
            return 0;
        }
        session.requested = false;
        std::size_t found = 0;
        std::size_t level = 0;
        generations.levels = 0;
        generations.looks_near = false;
        do {
            session.has_released_others = false;
            while (!try_collect(session, budget, generations, level)) {
            }
            found += level;
            generations.are_counted |= session.growth_left != session.quantum;
        } while (budget == cycle_search::no_limit && !generations.is_done && !generations.are_over() &&
                 (generations.has_candidates || !session.candidates.empty() || session.has_released_others));
        return found;
    }

    // Effects: as collect(), unless another session collects at the same time. Returns: whether it did.
    static bool try_collect(session_type& session, std::size_t budget, collected_generations& generations,
                            std::size_t& found) {
        // relaxed: it orders nothing, as it is set by a session that stops the others
        const auto observed = session.registry.observed_collection.load(std::memory_order_relaxed);
        if (observed != nullptr) [[unlikely]]
            return observed(session, budget, generations, found);
        return session.registry.try_stop(
            session, [] {}, [&] { found = deletion(session.registry, session).collect(budget, generations); });
    }

    // Effects: collects, and gives back the memory without objects of all sessions. Does nothing in a destructor or
    // finalize() of a collected object.
    static void reclaim(session_type& session) {
        collected_generations generations;
        static_cast<void>(collect(session, cycle_search::no_limit, generations));
        if (session.is_destroying()) return;
        session.registry.stop(session, [&session] { session.registry.trim(); });
    }

    // Returns: whether the object is of this session. own_blocks tells it sooner, from the second time on.
    [[nodiscard]] FREEHOLD_NOINLINE static bool is_ours(cyclic_header& header) noexcept {
        // Only the session itself, or one that has stopped it, changes it from its own number to another.
        if (detail::session_and_flags<Threading>(header) - here().id > shared_flags) return false;
        here().own_blocks.add(header);
        return true;
    }

    FREEHOLD_NOINLINE static void acquire_anywhere(cyclic_header& header) noexcept {
        if (is_ours(header)) return header.acquire_published();
        here().registry.use_shared(header);
        detail::owners_beside<Threading>(header).acquire();
    }

    template <bool may_be_in_cycle, class T>
    [[nodiscard]] FREEHOLD_NOINLINE static bool release_anywhere(cyclic_header& header) noexcept {
        if (is_ours(header)) return release_own<may_be_in_cycle, T>(header);
        return release_others(header, may_be_in_cycle, usual_bytes_of<T>());
    }

    [[nodiscard]] FREEHOLD_NOINLINE static bool release_others(cyclic_header& header, bool may_be_in_cycle,
                                                               const usual_bytes* usual) noexcept {
        registry_type& registry = here().registry;
        registry.use_shared(header);
        const auto left = detail::owners_beside<Threading>(header).release(may_be_in_cycle);
        if (left.is_new_candidate) here().has_released_others = true;
        if (left.is_new_candidate && usual != nullptr) here().growth_left -= usual->get();
        if (left.next == shared_owners::outcome::to_be_queued) return registry.deliver(header);
        return left.next == shared_owners::outcome::owned;
    }

    FREEHOLD_NOINLINE static void collect_if_due(session_type& session) noexcept {
        registry_type& registry = session.registry;
        session.count_growth(registry.pace, session.quantum);
        // relaxed: it orders nothing
        session.automatic = registry.is_automatic.load(std::memory_order_relaxed);
        const bool is_due = session.lost_candidates || registry.pace.is_due(!session.candidates.empty());
        if (session.is_destroying() || (!session.requested && !(session.automatic && is_due))) return;
        std::size_t found = 0;
        collected_generations generations;
        const std::size_t budget = session.requested ? cycle_search::no_limit : deletion::what_is_due;
        if (try_collect(session, budget, generations, found)) session.requested = false;
    }

    template <class T>
    static inline constinit usual_bytes usual_bytes_of_type;

    // Returns: what an object of the type usually owns outside; null if nothing, or if the type is not known exactly.
    template <class T>
    [[nodiscard]] static constexpr usual_bytes* usual_bytes_of() noexcept {
        if constexpr (is_owned_exactly<T> && may_own_memory<T>) return &usual_bytes_of_type<std::remove_cv_t<T>>;
        return nullptr;
    }

    // The free list that a thread has used last for objects of a type, and the number of the session that has it.
    struct recent_free_list {
        std::uint64_t session = 0;
        cell_free_list* free_list = nullptr;
    };

    template <class T>
    FREEHOLD_STATIC_TLS static inline constinit thread_local recent_free_list recent{};

    template <class T>
    FREEHOLD_NOINLINE static void find_free_list() noexcept {
        cell_free_list* const found = here().free_list_of(detail::number_of_cyclic_type<T>());
        recent<T> = {found != nullptr ? here().number : 0, found};
    }
};

}  // namespace detail

}  // namespace freehold
