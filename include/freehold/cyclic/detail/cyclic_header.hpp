#pragma once
// The header of a collected object: 8 bytes right before it, with the number of its owners and its state.
//
// The count is one less than the number of owners, so that its sign alone tells the rare cases: the last owner has been
// released, or the count was full. A full count makes the object immortal: it moves to the middle of the negative
// range, where no further counting reaches an end of it.

#include <cstdint>

#include "../../core/annotate.hpp"
#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/memcheck.hpp"

namespace freehold::inline v0_2::detail {

class cyclic_header {
public:
    enum flag : std::uint32_t {
        live = 1,         // the lowest bit, which is clear in the link that replaces the header of a free cell
        finalized = 2,    // kept in the link of an object whose destruction is deferred
        acyclic = 4,      // can be in no cycle
        has_weak = 8,     // weak pointers
        visited = 16,     // by the current collection
        rescued = 32,     // by the current collection: the object is reachable from outside
        candidate = 64,   // in the list of candidates, see candidate_list
        postponed = 128,  // in the list of candidates that wait for a search
        suspected = 256,  // in the list of suspects, see search_state
        released_by_garbage = 512,  // see expect_owners()
        visited_or_released = visited | released_by_garbage,
    };

    // The largest number of edges that a header counts beside its owners.
    static constexpr std::uint32_t max_edges = (std::uint32_t{1} << 19) - 1;

    // Postconditions: there is one owner.
    explicit cyclic_header(bool may_be_in_cycle) noexcept : state_(may_be_in_cycle ? live : live | acyclic) {}

    [[nodiscard]] static cyclic_header& of(const volatile void* object) noexcept {
        return static_cast<cyclic_header*>(const_cast<void*>(object))[-1];
    }

    [[nodiscard]] void* object() noexcept { return this + 1; }

    // Returns: the first bits of a cell, which may be free.
    [[nodiscard]] static std::uint32_t first_bits(const void* cell) noexcept {
        tell_readable(cell, sizeof(std::uint32_t));
        return read_free(static_cast<const std::uint32_t*>(cell));
    }

    // Returns: whether the cell has an object: it is not free, its object is constructed, and its destruction is not
    // deferred. The lowest bit is clear in the links that replace a header then.
    [[nodiscard]] static bool has_object(const void* cell) noexcept { return (first_bits(cell) & live) != 0; }

    // Effects: adds an owner.
    void acquire() noexcept {
        if ((owners_less_one_ = sum(1)) < 0) [[unlikely]]
            make_immortal();
    }

    // Effects: removes an owner. Returns: true if there is another owner for certain; else is_unowned() decides.
    [[nodiscard]] bool release() noexcept { return (owners_less_one_ = sum(-1)) >= 0; }

    // Returns: whether there is no owner. Requires: release() has returned false.
    [[nodiscard]] bool is_unowned() noexcept {
        if (owners_less_one_ == no_owner) return true;
        make_immortal();
        return false;
    }

    [[nodiscard]] long owners() const noexcept {
        return is_immortal() ? immortal_owners : static_cast<long>(std::int64_t{owners_less_one_} + 1);
    }

    // For an object that threads share: others may read the count while its session changes it.

    FREEHOLD_ALWAYS_INLINE void acquire_published() noexcept {
        const std::int32_t next = sum(1);
        publish(next);
        if (next < 0) [[unlikely]]
            make_immortal();
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool release_published() noexcept {
        const std::int32_t next = sum(-1);
        publish(next);
        return next >= 0;
    }

    // Effects: adds `added` owners, which may be negative.
    void add_owners(std::int64_t added) noexcept {
        if (is_immortal() || added == 0) return;
        const std::int64_t next = owners_less_one_ + added;
        FREEHOLD_EXPECTS(next >= no_owner, "an object is released more often than it was acquired");
        publish(next > INT32_MAX ? immortal : static_cast<std::int32_t>(next));
    }

    // Effects: sets the number of owners to 0. Returns: the number before.
    [[nodiscard]] std::int64_t take_owners() noexcept {
        const std::int64_t taken = is_immortal() ? never_released : std::int64_t{owners_less_one_} + 1;
        publish(no_owner);
        return taken;
    }

    // Returns: the number of owners at a recent moment.
    [[nodiscard]] long published_owners() const noexcept {
        // relaxed: it orders nothing
        const std::int32_t seen = __atomic_load_n(&owners_less_one_, __ATOMIC_RELAXED);
        return seen < no_owner ? immortal_owners : seen + 1L;
    }

    [[nodiscard]] bool is(flag asked) const noexcept { return (state_ & asked) != 0; }
    void set(flag given) noexcept { state_ |= given; }
    void clear(flag given) noexcept { state_ &= ~std::uint32_t{given}; }

    // The number of edges to the object that a search has found; owners that it has not found are outside of it.

    [[nodiscard]] std::uint32_t edges() const noexcept { return state_ >> edges_shift; }
    void set_edges(std::uint32_t found) noexcept {
        state_ = (state_ & ((1U << edges_shift) - 1)) | found << edges_shift;
    }
    void add_found_edge() noexcept {
        if (edges() != max_edges) state_ += 1U << edges_shift;
    }

    // Returns: whether it has more owners than edges were found. If those could not be counted, it has none.
    [[nodiscard]] bool has_more_owners() const noexcept {
        return is_immortal() || (edges() != max_edges && owners_less_one_ >= static_cast<std::int32_t>(edges()));
    }

    // Returns: whether a list may refer to the cell.
    [[nodiscard]] bool is_listed() const noexcept { return (state_ & (candidate | postponed | suspected)) != 0; }

    // Returns: whether there were more owners when their number was noted. A pointer that is copied and dropped again
    // leaves the number as it was; an object with fewer owners may have lost the last one from outside. Large numbers
    // are all the same.
    [[nodiscard]] bool has_lost_an_owner() const noexcept {
        const std::uint32_t before = state_ >> known_shift & many;
        return noted_owners() < before && before != many;
    }

    // Effects: notes the number of owners.
    void note_owners() noexcept { state_ = (state_ & ~(many << known_shift)) | noted_owners() << known_shift; }

    // Returns: whether the number of owners was never noted.
    [[nodiscard]] bool is_new() const noexcept { return (state_ >> known_shift & many) == 0; }

    // Effects: notes the number of owners, if it was never noted.
    void note_first_owners() noexcept {
        if (is_new()) state_ |= noted_owners() << known_shift;
    }

    // Returns: whether it has one owner, no weak pointer, and was never a candidate. Two comparisons: after a store to
    // one of the words, a load of both would wait for it.
    [[nodiscard]] bool is_untouched_with_one_owner() const noexcept { return state_ == live && owners_less_one_ == 0; }

    // Effects: notes the owner; the object waits for a search. Requires: is_untouched_with_one_owner().
    void postpone_untouched() noexcept { state_ = live | postponed | 1U << known_shift; }

    // Effects: notes that one of the owners is garbage: without it the object has not lost an owner.
    void expect_a_loss() noexcept {
        if ((state_ >> known_shift & many) > 1) state_ -= 1U << known_shift;
    }

    // Returns: whether a released object that still has owners should become a candidate: it is none yet, and not
    // acyclic.
    [[nodiscard]] bool may_become_candidate() const noexcept { return (state_ & (candidate | acyclic)) == 0; }

    // For a collection, which subtracts the edges that it finds and adds them again.

    void subtract_edge() noexcept {
        if (is_immortal()) return;
        FREEHOLD_EXPECTS(owners_less_one_ != no_owner,
                         "a trace(visit) visits a member twice, or one that is not a member");
        --owners_less_one_;
    }

    void add_edge() noexcept {
        if (!is_immortal()) ++owners_less_one_;
    }

    [[nodiscard]] bool has_owners() const noexcept { return owners_less_one_ != no_owner; }

    // For a collection without a limit. It uses the number of edges, which only a search in steps needs otherwise.

    // Effects: garbage will release the object, and leaves it the owners that it has now.
    void expect_owners() noexcept {
        set(released_by_garbage);
        set_edges((edges() & made_before) | owners_up_to(made_before - 1));
    }

    // Returns: whether garbage has released the object, and nothing else: it has the owners that were expected.
    [[nodiscard]] bool has_expected_owners() const noexcept {
        const std::uint32_t expected = edges() & ~made_before;
        return is(released_by_garbage) && owners_up_to(expected) == expected;
    }

    // Effects: marks an object that exists when a generation begins.
    void note_made_before() noexcept { set_edges(made_before); }
    [[nodiscard]] bool was_made_before() const noexcept { return (edges() & made_before) != 0; }

    void make_immortal() noexcept { publish(immortal); }

private:
    // state_: ten flags, the known number of owners, and the number of edges found.
    static constexpr int known_shift = 10;
    static constexpr int known_bits = 3;
    static constexpr int edges_shift = known_shift + known_bits;
    static constexpr std::uint32_t many = (1U << known_bits) - 1;
    static constexpr std::uint32_t made_before = (max_edges + 1) / 2;  // a mark
    static constexpr std::int32_t no_owner = -1;
    static constexpr std::int32_t immortal = INT32_MIN / 2;
    static constexpr long immortal_owners = INT32_MAX;
    static constexpr std::int64_t never_released = std::int64_t{1} << 40;

    [[nodiscard]] bool is_immortal() const noexcept { return owners_less_one_ < no_owner; }

    // Returns: the number of owners, but at most `most`.
    [[nodiscard]] std::uint32_t owners_up_to(std::uint32_t most) const noexcept {
        const std::uint32_t owners = static_cast<std::uint32_t>(owners_less_one_) + 1;  // large, if it is immortal
        return owners < most ? owners : most;
    }

    [[nodiscard]] std::uint32_t noted_owners() const noexcept {
        const auto owners_less_one = static_cast<std::uint32_t>(owners_less_one_);  // large, if it is immortal
        return (owners_less_one < many ? owners_less_one : many - 1) + 1;
    }

    // Modulo 2^32: a full count wraps into its sign.
    [[nodiscard]] std::int32_t sum(std::int32_t n) const noexcept {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(owners_less_one_) + static_cast<std::uint32_t>(n));
    }

    void publish(std::int32_t next) noexcept {
        __atomic_store_n(&owners_less_one_, next, __ATOMIC_RELAXED);  // pairs with nothing: it only counts
    }

    std::uint32_t state_;
    std::int32_t owners_less_one_ = 0;
};

static_assert(sizeof(cyclic_header) == 8);

}  // namespace freehold::detail
