#pragma once
// The handles of the shared objects in the pool of the process, and which objects they hold. A handle is two words: a
// pointer, and the address of a block.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pool_blocks.hpp"

namespace freehold::inline v0_2::detail {

class pool_owners {
public:
    using object = pool_blocks::object;

    static constexpr std::uint32_t nobody = pool_blocks::nobody;
    static constexpr std::uint32_t in_block = std::uint32_t{1} << 31;  // a mark: the handle is not in the object

    enum class role : std::uint8_t { unknown, owner, weak };  // what is unknown may own

    struct handle {
        const std::byte* at;
        std::uint32_t from;   // an object, or nobody if it is in a block of another purpose
        std::uint32_t to;     // an object
        std::uint32_t place;  // bytes from the beginning of the object, or of the block, with the mark
        role is;
    };

    // Throws: std::bad_alloc.
    pool_owners() : tallies_(blocks_.objects.size()), first_(size() + 1) {
        for (const auto& each : blocks_.used) find_handles(each);
        decide();
        hold();
    }

    [[nodiscard]] const page_vector<object>& objects() const noexcept { return blocks_.objects; }
    [[nodiscard]] const page_vector<handle>& handles() const noexcept { return handles_; }
    [[nodiscard]] const pool_blocks::kind& kind_of(const object& of) const noexcept { return blocks_.kinds[of.kind]; }

    // Returns: the owners of object i that were not found.
    [[nodiscard]] long unseen(std::size_t i) const noexcept {
        const tally& all = tallies_[i];
        const long may_be_weak = (std::max)(0L, objects()[i].weak - all.weak);
        return (std::max)(0L, objects()[i].owners - all.owners - (std::max)(0L, all.unknown - may_be_weak));
    }

    // For graph_cycles: the handles that may own, and lead to an object that is alive.
    [[nodiscard]] std::size_t size() const noexcept { return objects().size(); }
    [[nodiscard]] std::size_t degree(std::size_t i) const noexcept { return first_[i + 1] - first_[i]; }
    [[nodiscard]] std::size_t target(std::size_t i, std::size_t k) const noexcept { return owned(i, k).to; }
    [[nodiscard]] bool is_held(std::size_t i) const noexcept { return tallies_[i].is_held || objects()[i].owners == 0; }

    // Returns: handle k of object i.
    [[nodiscard]] const handle& owned(std::size_t i, std::size_t k) const noexcept {
        return handles_[owns_[first_[i] + k]];
    }

private:
    // The handles that lead to an object, and whether something holds it.
    struct tally {
        long unknown = 0;
        long owners = 0;
        long weak = 0;
        int in_itself = 0;  // of these, in the object itself
        bool is_held = false;
    };

    // In a word that leads to a block: that of a copy, and of a latch (block_handle.hpp).
    static constexpr std::uintptr_t marks = block_handle<atomic_counting>::latch_mark | 1;

    void find_handles(const pool_blocks::used_block& block) {
        const std::byte* const end = block.begin + block.bytes;
        const std::uint32_t from = blocks_.object_of(block.begin);
        if (from == nobody) {
            // An object that is not in its block is read with that.
            const auto inside = std::ranges::lower_bound(blocks_.separate, block.begin);
            if (inside == blocks_.separate.end() || *inside >= end) find_handles(block.begin, end, nobody, block.begin);
            return;
        }
        const object& found = objects()[from];
        if (found.owners == 0) return;  // what its memory says is no longer true
        const auto& kind = kind_of(found);
        const bool houses = kind.contents == 'o' || kind.contents == 'e';
        find_handles(block.begin, houses ? found.begin : block.begin + kind.block_bytes, from, block.begin, in_block);
        if (found.begin != nullptr) find_handles(found.begin, found.begin + found.bytes, from, found.begin);
    }

    // `origin` is where places count from.
    void find_handles(const std::byte* begin, const std::byte* end, std::uint32_t from, const std::byte* origin,
                      std::uint32_t mark = 0) {
        constexpr std::size_t word = sizeof(std::uintptr_t);
        if (size() == 0) return;
        const auto lowest = reinterpret_cast<std::uintptr_t>(objects().front().block);
        const auto highest = reinterpret_cast<std::uintptr_t>(objects().back().block);
        begin +=
            detail::round_up(reinterpret_cast<std::uintptr_t>(begin), word) - reinterpret_cast<std::uintptr_t>(begin);
        for (const std::byte* at = begin; end - at >= static_cast<std::ptrdiff_t>(2 * word); at += word) {
            const std::uintptr_t block = detail::word_at(at + word) & ~marks;
            if (block < lowest || block > highest || block % small_block_pool::alignment != 0) continue;
            const std::uint32_t to = blocks_.object_of(reinterpret_cast<const std::byte*>(block));
            if (to == nobody || !can_be_address(detail::word_at(at))) continue;
            handles_.push_back({at, from, to, static_cast<std::uint32_t>(at - origin) | mark, role::unknown});
            ++tallies_[to].unknown;
            tallies_[to].in_itself += from == to ? 1 : 0;
        }
    }

    [[nodiscard]] static bool can_be_address(std::uint64_t word) noexcept {
        return word >= smallest_page && (!has_spare_address_bits || word >> 56 == 0);
    }

    // What is known of the handles in one place of the objects of a type.
    struct evidence {
        bool own = false;
        bool are_weak = false;
        bool are_elsewhere = false;  // one is not in its own object, or not alone there
        std::size_t number = 0;
    };

    // Effects: finds which handles own. First a block's own counts decide. Then the handles in the same place of other
    // objects of the type do, if all of these are alike. Where all living objects of a type have one handle of
    // themselves, in the same place, it is that of enable_shared_from_this; of fewer than three this would be a guess.
    void decide() {
        std::unordered_map<std::uint64_t, evidence> places;
        std::vector<std::size_t> living(blocks_.kinds.size());
        for (const object& each : objects()) living[each.kind] += each.owners != 0 ? 1 : 0;
        for (const handle& each : handles_) {
            if (each.from == nobody) continue;
            evidence& found = places[place_of(each)];
            ++found.number;
            if (each.from != each.to || tallies_[each.to].in_itself > 1) found.are_elsewhere = true;
        }
        const auto by_counts = [&](const handle& each, bool may_own, bool may_be_weak) {
            if (may_own == may_be_weak) return role::unknown;
            if (each.from != nobody) (may_own ? places[place_of(each)].own : places[place_of(each)].are_weak) = true;
            return may_own ? role::owner : role::weak;
        };
        const auto by_place = [&](const handle& each, bool may_own, bool may_be_weak) {
            if (!may_own || !may_be_weak || each.from == nobody) return role::unknown;
            const evidence found = places[place_of(each)];
            if (found.own != found.are_weak) return found.own ? role::owner : role::weak;
            const bool is_of_all = found.number > 2 && found.number == living[objects()[each.from].kind];
            return found.own || found.are_elsewhere || !is_of_all ? role::unknown : role::weak;
        };
        do {
            while (decide(by_counts)) {
            }
        } while (decide(by_place));
    }

    // Effects: asks for the role of each handle that has none. Returns: whether one was found.
    template <class Role>
    bool decide(Role role_of) {
        bool is_any = false;
        for (handle& each : handles_) {
            tally& to = tallies_[each.to];
            if (each.is != role::unknown || has_too_many(each.to)) continue;
            each.is = role_of(each, to.owners < objects()[each.to].owners, to.weak < objects()[each.to].weak);
            if (each.is == role::unknown) continue;
            --to.unknown;
            ++(each.is == role::owner ? to.owners : to.weak);
            is_any = true;
        }
        return is_any;
    }

    // Whether more handles were found than there are pointers: then some are left over from earlier.
    [[nodiscard]] bool has_too_many(std::size_t i) const noexcept {
        const tally& all = tallies_[i];
        return all.unknown + all.owners + all.weak - objects()[i].weak > objects()[i].owners;
    }

    // Returns: a number for the type that a handle is in, and its place there.
    [[nodiscard]] std::uint64_t place_of(const handle& each) const noexcept {
        const auto& kind = kind_of(objects()[each.from]);
        const bool is_in_element = kind.contents == 'e' && (each.place & in_block) == 0;
        return std::uint64_t{objects()[each.from].kind} << 32 |
               (is_in_element ? each.place % kind.bytes : std::size_t{each.place});
    }

    // Effects: finds what is held: by an owner that was not found or is in a block of another purpose, and by the
    // objects that are held. An object with too many handles may have an owner that was not found.
    void hold() {
        for (std::size_t i = 0; i < size(); ++i) tallies_[i].is_held = unseen(i) > 0 || has_too_many(i);
        for (std::uint32_t i = 0; i < handles_.size(); ++i) {  // in the order of the objects that they are in
            const handle& each = handles_[i];
            if (each.is == role::weak || objects()[each.to].owners == 0) continue;
            if (each.from == nobody) {
                tallies_[each.to].is_held = true;
            } else {
                owns_.push_back(i);
                ++first_[each.from + 1];
            }
        }
        page_vector<std::size_t> waiting;
        for (std::size_t i = 0; i < size(); ++i) {
            first_[i + 1] += first_[i];
            if (tallies_[i].is_held) waiting.push_back(i);
        }
        for (std::size_t next = 0; next < waiting.size(); ++next) {
            for (std::size_t k = 0; k < degree(waiting[next]); ++k) {
                const std::size_t to = target(waiting[next], k);
                if (!tallies_[to].is_held) waiting.push_back(to);
                tallies_[to].is_held = true;
            }
        }
    }

    pool_blocks blocks_;
    page_vector<handle> handles_;
    page_vector<tally> tallies_;        // of each object
    page_vector<std::uint32_t> owns_;   // handles that may own
    page_vector<std::uint32_t> first_;  // of each object, the index of its first one there
};

}  // namespace freehold::detail
