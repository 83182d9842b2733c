#pragma once
// The ephemerons whose values are not marked yet, found by the object whose mark they wait for: the key, or the object
// that the ephemeron is in. With it, a collection looks at each ephemeron a few times, whatever leads to whose key.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../core/growing_buffer.hpp"
#include "chunk_table.hpp"
#include "traced_chunk.hpp"
#include "traced_roots.hpp"

namespace freehold::detail {

class waiting_ephemerons {
public:
    // Effects: reserves memory for `count` ephemerons. Returns: false if out of memory.
    [[nodiscard]] bool reserve(std::size_t count) noexcept {
        const std::size_t places = std::bit_ceil(count);
        // Each may wait twice: for its key, then for the object that it is in.
        if (!waiting_.reserve(2 * count) || !first_.reserve(places)) return false;
        first_.truncate(places);
        std::memset(first_.begin(), 0, places * sizeof(std::size_t));
        return true;
    }

    // Effects: the ephemeron waits until the object is marked, which the marker then pushes, even if it leads nowhere.
    // Requires: there is memory.
    void add(const void* address, const ephemeron_handle& waiting) noexcept {
        traced_block& block = wide_chunks::block_of(address);
        block.is_pushed = true;
        const std::byte* const object = object_of(block, address);
        std::size_t& first = first_[place_of(object)];
        waiting_.add({object, &waiting, first});
        first = waiting_.size();
    }

    // Effects: calls use(ephemeron) for each that waits for the object, and may be added anew.
    template <class Use>
    void each(const void* object, Use use) const {
        for (std::size_t i = first_.begin()[place_of(object)]; i != 0;) {
            const entry found = waiting_.begin()[i - 1];
            if (found.object == object) use(*found.waiting);
            i = found.next;
        }
    }

    // Effects: forgets all.
    void clear() noexcept {
        for (const entry& each : waiting_) {
            traced_block& block = wide_chunks::block_of(each.object);
            block.is_pushed = block.type->trace != nullptr;
        }
        waiting_.truncate(0);
    }

private:
    struct entry {
        const std::byte* object;  // that is not marked
        const ephemeron_handle* waiting;
        std::size_t next;  // of the same place: the number of an entry, counted from 1, or 0
    };

    [[nodiscard]] static const std::byte* object_of(const traced_block& block, const void* address) noexcept {
        return block.cell(block.index_of(wide_chunks::head_of(address)));
    }

    [[nodiscard]] std::size_t place_of(const void* object) const noexcept {
        const std::uint64_t mixed = std::bit_cast<std::uintptr_t>(object) * std::uint64_t{0x9e3779b97f4a7c15};
        return mixed >> 32 & (first_.size() - 1);
    }

    growing_list<std::size_t> first_;  // a hash table of entries
    growing_list<entry> waiting_;
};

}  // namespace freehold::detail
