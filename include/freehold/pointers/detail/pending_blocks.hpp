#pragma once
// Control blocks whose objects wait for their destruction, linked through their own 16 bytes.

#include <cstdint>

#include "control_block.hpp"
#include "destruction_depth.hpp"

namespace freehold::detail {

// A list in one thread. A waiting block has ended, and the list is one of its weak pointers; other weak pointers may
// count in its word meanwhile. Of a block's 128 bits they need 33. An address of a block and one of a table have 45
// bits that are not zero where a process has 48 bits of addresses: 19 bits of the link go beside the address of the
// table, the rest into the note that an ended count can keep.
template <class Counting>
class pending_blocks {
public:
    using block = control_block<Counting>;

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    // Effects: adds `added`. Returns: whether it could; an address outside the usual range stays outside.
    // Requires: `added` has ended and the caller hands over one weak pointer, or it has an only owner, the caller.
    [[nodiscard]] bool push(block* added) noexcept {
        const auto table = reinterpret_cast<std::uintptr_t>(added->operations_);
        const auto next = reinterpret_cast<std::uintptr_t>(first_);
        if ((table | next) >> address_bits != 0) return false;
        if (added->count_.is_sole()) added->count_.end();
        added->link_ = (table >> zero_bits) | (next >> zero_bits << kept_bits);
        added->count_.stash(static_cast<std::uint32_t>(next >> zero_bits >> low_bits));
        first_ = added;
        return true;
    }

    // Effects: removes a block and ends its object. Requires: !empty().
    void end_one() noexcept {
        block* const removed = first_;
        const std::uintptr_t link = removed->link_;
        const std::uintptr_t low = link >> kept_bits;
        const std::uintptr_t high = removed->count_.unstash();
        first_ = reinterpret_cast<block*>((high << low_bits | low) << zero_bits);
        const std::uintptr_t table = (link & ((std::uintptr_t{1} << kept_bits) - 1)) << zero_bits;
        removed->operations_ = reinterpret_cast<const block_operations<Counting>*>(table);
        removed->operations_->end_with_weak(removed);
    }

private:
    static constexpr int address_bits = 48;
    static constexpr int zero_bits = 3;  // both blocks and tables are aligned to 8 bytes
    static constexpr int kept_bits = address_bits - zero_bits;
    static constexpr int low_bits = 64 - kept_bits;

    static_assert(sizeof(std::uintptr_t) == 8 && alignof(block) == 8);

    block* first_ = nullptr;
};

template <class Counting>
using block_destruction = destruction_depth<pending_blocks<Counting>>;

}  // namespace freehold::detail
