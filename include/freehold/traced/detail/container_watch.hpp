#pragma once
// What a heap records, without NDEBUG, of the traced_ptrs outside of its objects: in the buffers of containers, but
// also in static variables, coroutine frames (in the heap, too), closures, or containers on the stack, which no
// collection finds.
//
// The last store into each such slot is recorded. A store whose target a collection frees is lost. If a slot still
// holds the pointer of a lost store when it is used, no object of the heap led to it; if a collection finds it there,
// an earlier one should have: it came while a container was being changed. A slot that is gone is never looked at. A
// destructor's store is lost at once if the target dies in the same collection.
//
// It also knows the objects whose constructors have thrown: nothing may point to them.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "../../core/assert.hpp"
#include "../../core/growing_buffer.hpp"

namespace freehold::inline v0_2::detail {

// With NDEBUG it has the same size, and nobody calls its checks.
class container_watch {
public:
    static constexpr bool is_on =
#ifdef NDEBUG
        false;
#else
        true;
#endif

    // Effects: records that `target` was stored in `slot`, which is outside of the heap; by a destructor, if it dies.
    void note(const void* slot, const void* target, bool is_dying) noexcept {
        if (std::size_t{2} * count_ >= stores_.size() && !grow()) return;
        store& noted = place_of(slot);
        if (noted.slot == nullptr) ++count_;
        noted = {slot, target, is_dying, is_dying};
    }

    // Effects: as note, for a slot in an object of the heap, where a coroutine's frame may have had one.
    void renew(const void* slot, const void* target) noexcept {
        if (stores_.empty()) return;
        store& noted = place_of(slot);
        if (noted.slot != nullptr) noted = {slot, target, false, false};
    }

    // Effects: records that the constructor of an object in these bytes has thrown.
    void note_unmade(const void* begin, std::size_t bytes, const char* type) noexcept {
        static_cast<void>(unmade_.push({begin, bytes, type}));
    }

    // Effects: forgets the slots in the memory, which becomes the heap's.
    void forget([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
        if constexpr (is_on) {
            keep([&](const store& each) { return place(each.slot) - place(memory) >= bytes; });
        }
    }

    // Effects: prepares for a collection, before it marks.
    void begin() noexcept {
        if constexpr (is_on) is_marking_ = true;
    }

    // Effects: after a collection has marked, records which stores are lost. IsMarked returns whether the object with
    // that head (wide_chunks) is kept.
    template <class IsMarked>
    void end(IsMarked is_marked) noexcept {
        if constexpr (is_on) {
            for (store& each : stores_) {
                if (each.slot != nullptr && !each.is_lost) each.is_lost = !is_marked(each.target);
            }
            if (count_ > max_stores / 2) {
                keep([](const store& each) { return each.is_lost; });
            }
            unmade* kept = unmade_.begin();
            for (const unmade& each : unmade_) {
                if (is_marked(each.begin)) *kept++ = each;
            }
            unmade_.truncate(static_cast<std::size_t>(kept - unmade_.begin()));
            is_marking_ = false;
        }
    }

    // Requires: no earlier collection freed the target of the slot, and the target's constructor has not thrown.
    void check_edge(const void* slot, const void* target, const char* object) const noexcept {
        check_giver(slot, target, object);
        [[maybe_unused]] const bool no_collection_came_while_a_container_was_changed = !is_lost(slot, target);
        FREEHOLD_EXPECTS(no_collection_came_while_a_container_was_changed,
                         "a collection freed what an element of a container points to: it came while the container "
                         "was being changed, or was in no object of the heap yet; if constructors of the elements "
                         "allocate, change the container while a traced_heap::deferral lives",
                         object);
        check_made(target);
    }

    // Requires: no destructor stored the pointer that is in the slot to an object that died in the same collection.
    void check_giver(const void* slot, const void* target, [[maybe_unused]] const char* type) const noexcept {
        [[maybe_unused]] const bool not_from_a_destructor_of_an_object_that_died_with_it =
            !is_lost(slot, target) || !place_of(slot).was_dying;
        FREEHOLD_EXPECTS(not_from_a_destructor_of_an_object_that_died_with_it,
                         "a destructor stored a pointer to an object that died in the same collection; add a "
                         "finalizer if it is to live on",
                         type);
    }

    // Requires: the constructor of the object at the address has not thrown.
    void check_made(const void* address) const noexcept {
        for (const unmade& each : unmade_) {
            [[maybe_unused]] const bool the_constructor_did_not_throw =
                place(address) - place(each.begin) >= each.bytes;
            FREEHOLD_EXPECTS(the_constructor_did_not_throw,
                             "a constructor stored a pointer to its object and then threw; store it when nothing "
                             "else can throw, or take it back in a catch",
                             each.type);
        }
    }

    // Returns: whether the pointer in the slot is that of a lost store.
    [[nodiscard]] bool is_lost(const void* slot, const void* target) const noexcept {
        if (stores_.empty()) return false;
        const store& found = place_of(slot);
        return found.is_lost && found.target == target;
    }

    // Returns: whether a collection is marking, so that the marks do not say which objects are alive.
    [[nodiscard]] bool is_marking() const noexcept { return is_marking_; }

private:
    static constexpr std::size_t max_stores = std::size_t{1} << 18;

    struct store {
        const void* slot;  // null in an empty place
        const void* target;
        bool is_lost;
        bool was_dying;
    };

    struct unmade {
        const void* begin;
        std::size_t bytes;
        const char* type;
    };

    static std::uintptr_t place(const void* address) noexcept { return std::bit_cast<std::uintptr_t>(address); }

    // Returns: the place of the slot in the hash table, which may be empty. Requires: half of the places are empty.
    [[nodiscard]] store& place_of(const void* slot) const noexcept {
        const std::size_t last = stores_.size() - 1;
        constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
        std::size_t i = static_cast<std::size_t>(std::uint64_t{place(slot)} * golden >> 32) & last;
        while (stores_.begin()[i].slot != nullptr && stores_.begin()[i].slot != slot) i = (i + 1) & last;
        return stores_.begin()[i];
    }

    // Effects: forgets all stores except those wanted, in a table of that many places; all, if out of memory.
    template <class IsWanted>
    void rebuild(std::size_t places, IsWanted is_wanted) noexcept {
        growing_list<store> old;
        old.swap(stores_);
        count_ = 0;
        if (!stores_.reserve(places)) return;
        while (stores_.size() < places) stores_.add({});
        for (const store& each : old) {
            if (each.slot == nullptr || !is_wanted(each)) continue;
            place_of(each.slot) = each;
            ++count_;
        }
    }

    template <class IsWanted>
    void keep(IsWanted is_wanted) noexcept {
        if (count_ != 0) rebuild(stores_.size(), is_wanted);
    }

    // Returns: false if out of memory. Effects: makes place for another store. Too many stores are all forgotten.
    bool grow() noexcept {
        const bool is_full = count_ >= max_stores;
        rebuild(is_full || stores_.empty() ? 64 : 2 * stores_.size(), [=](const store&) { return !is_full; });
        return !stores_.empty();
    }

    growing_list<store> stores_;   // a hash table; its size is a power of two, or 0
    growing_list<unmade> unmade_;  // until their cells are free
    std::uint32_t count_ = 0;      // of the stores in the table
    bool is_marking_ = false;
};

}  // namespace freehold::detail
