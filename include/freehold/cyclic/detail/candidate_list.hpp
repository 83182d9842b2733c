#pragma once
// The objects of a thread that were released and still have owners, so that they may be part of an unowned cycle.
//
// Those that were looked at wait in a second list for a search.
//
// A flag in the header tells that an object is listed. One that dies leaves its entry behind: most candidates die soon,
// and to look an entry up for each of them took longer than to drop the dead ones of many together. The entry refers to
// a cell that is free then, or has another object. A block is given back after its cells have left the list.

#include <cstddef>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "cyclic_header.hpp"

namespace freehold::inline v0_2::detail {

// Flag: tells that an object is in this list. Trivially destructible and constant-initialized, as part of a thread's
// static data.
template <cyclic_header::flag Flag>
class candidate_list {
public:
    // Effects: adds the object. Returns: false if out of memory, or closed. Requires: it is not in the list.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool add(cyclic_header& header) noexcept {
        if (is_full() && !make_room()) [[unlikely]]
            return false;
        add_within(header);
        return true;
    }

    // Returns: whether the room is used up.
    [[nodiscard]] bool is_full() const noexcept { return entries_.is_full(); }

    // Effects: adds the object. Requires: it is not in the list, and !is_full().
    void add_within(cyclic_header& header) noexcept {
        header.set(Flag);
        entries_.add(&header);
    }

    // Effects: drops the entries of the dead. Complexity: linear in the entries.
    void drop_dead() noexcept { alive_ = drop_dead(0); }

    // Effects: the object is no longer listed, and no entry refers to its cell. Complexity: linear.
    void remove(cyclic_header& header) noexcept {
        header.clear(Flag);
        drop_dead();
    }

    // Returns: the candidate of the last entry; null if there is none. Effects: drops the entries of the dead after it.
    [[nodiscard]] cyclic_header* last() noexcept {
        while (!entries_.empty()) {
            constexpr std::size_t ahead = 8;
            if (entries_.size() > ahead) FREEHOLD_PREFETCH(entries_[entries_.size() - 1 - ahead], 1);
            cyclic_header* const header = entries_[entries_.size() - 1];
            if (cyclic_header::has_object(header) && header->is(Flag)) return header;
            static_cast<void>(entries_.pop());
        }
        alive_ = 0;
        return nullptr;
    }

    // Effects: calls is_kept(header) for each candidate, the newest first, and removes those for which it returns
    // false. Requires: is_kept() adds none to the list, and destroys none.
    template <class IsKept>
    void filter(IsKept is_kept) noexcept {
        alive_ = filter(0, is_kept);
    }

    // Effects: last() is a candidate no longer. Requires: last() was called.
    void remove_last() noexcept {
        entries_.pop()->clear(Flag);
        alive_ = smaller(alive_, entries_.size());
    }

    // Effects: empties the list, and frees its memory; no object is a candidate any longer. Complexity: linear.
    void clear() noexcept {
        for (cyclic_header* const header : entries_) {
            if (cyclic_header::has_object(header)) header->clear(Flag);
        }
        release();
    }

    // Effects: the same, for good. Requires: the thread ends.
    void close() noexcept {
        clear();
        is_closed_ = true;
    }

    // Effects: frees the memory. Requires: no object is a candidate.
    void release() noexcept {
        entries_.release();
        alive_ = 0;
    }

    // Effects: calls use(header) for each candidate. Requires: drop_dead() was called, and use() adds none.
    template <class Use>
    void each(Use use) const {
        for (cyclic_header* const header : entries_) use(*header);
    }

    // Effects: empties the list. Requires: no object is a candidate.
    void truncate() noexcept {
        entries_.truncate(0);
        alive_ = 0;
    }

    // Effects: calls use(candidate) for some of them, at equal distances. Returns: that distance, in entries.
    template <class Use>
    std::size_t each_of_some(std::size_t most, Use use) const {
        // Odd, and from another beginning each time: programs make objects of two types by turns.
        const std::size_t distance = (entries_.size() / most) | 1;
        for (std::size_t i = entries_.size() % distance; i < entries_.size(); i += distance) {
            cyclic_header* const header = entries_.begin()[i];
            if (cyclic_header::has_object(header) && header->is(Flag)) use(*header);
        }
        return distance;
    }

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

    // The number of entries, those of the dead included.
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    // Effects: drops the entries of the dead, from the given one on, and those of objects listed there before.
    // Returns: the number of entries.
    std::size_t drop_dead(std::size_t from) noexcept {
        return filter(from, [](cyclic_header&) { return true; });
    }

    template <class IsKept>
    FREEHOLD_ALWAYS_INLINE std::size_t filter(std::size_t from, IsKept is_kept) noexcept {
        constexpr std::ptrdiff_t ahead = 8;
        cyclic_header** const begin = entries_.begin() + from;
        cyclic_header** kept = entries_.end();
        for (cyclic_header** each = kept; each != begin;) {
            cyclic_header* const header = *--each;
            if (each - begin >= ahead) FREEHOLD_PREFETCH(each[-ahead], 1);
            if (!cyclic_header::has_object(header) || !header->is(Flag)) continue;
            header->clear(Flag);
            if (is_kept(*header)) *--kept = header;
        }
        cyclic_header** end = begin;
        for (; kept != entries_.end(); ++kept) {
            (*kept)->set(Flag);
            *end++ = *kept;
        }
        entries_.truncate(static_cast<std::size_t>(end - entries_.begin()));
        return entries_.size();
    }

    // Effects: makes room for another entry. A long list first drops the dead: the new entries, as most candidates die
    // young, and the others if the new ones had too little room. Returns: whether there is room.
    [[nodiscard]] FREEHOLD_NOINLINE bool make_room() noexcept {
        const std::size_t room = entries_.size();
        if (room >= min_looked_at) {
            alive_ = drop_dead(alive_);
            if (alive_ < room - room / 4) return true;
            drop_dead();
            if (alive_ < room / 2) return true;
        }
        return !is_closed_ && (entries_.reserve(2 * room + min_room) || !entries_.is_full());
    }

    static constexpr std::size_t min_room = 256;
    static constexpr std::size_t min_looked_at = 4096;

    growing_buffer<cyclic_header*> entries_;
    std::size_t alive_ = 0;  // entries that were alive when they were last looked at
    bool is_closed_ = false;
};

}  // namespace freehold::detail
