#pragma once
// shared_word: what a shared_ptr or a weak_ptr holds, in one word that an atomic instruction can replace.
//
// Mostly the pointer lies right behind the control block, as what make_shared makes: the word is the block's address.
// If it lies up to 64 KiB further (a base, a member), the 16 highest bits are that distance, and the lowest bit is set;
// among 32 bits none is free for a distance.
// Any other pair (an object that was made elsewhere, an alias of it) is in an alias_record: the word is the record's
// address with the two lowest bits set. So is the word of a null pointer without an owner, whose record has no address:
// one test of a bit finds all that is not usual.
//
// Thread safety: a word names a pair that does not change. Exceptions: none.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../shared_ptr.hpp"
#include "../weak_ptr.hpp"
#include "alias_records.hpp"
#include "block_handle.hpp"

namespace freehold::inline v0_2::detail {

template <class Counting>
class shared_word {
public:
    using handle = block_handle<Counting>;
    using threading = typename Counting::threading;
    using alias_records = basic_alias_records<threading>;
    using alias_record = basic_alias_record<threading>;

    static constexpr std::uintptr_t none = 3;  // a null pointer without an owner

    // Returns: the word of that pair, whose record is one of `aliases`. If there is no memory for a record, the program
    // is aborted.
    [[nodiscard]] static std::uintptr_t of(const volatile void* object, handle owner, alias_records& aliases) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(object);
        if (address == 0 && owner.is_empty()) return none;
        const auto block = reinterpret_cast<std::uintptr_t>(owner.address());
        const std::uintptr_t distance = address - block - usual_distance;  // great if the object is before the block
        if (owner.is_counted()) [[likely]] {
            if (distance == 0) [[likely]]
                return block;
            if constexpr (has_distances) {
                if (block >> distance_shift == 0 && distance <= most_distance)
                    return block | distance << distance_shift | is_unusual;
            }
        }
        return reinterpret_cast<std::uintptr_t>(record_of(address, owner, aliases)) | is_record;
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::uintptr_t object(std::uintptr_t word) noexcept {
        if ((word & is_unusual) == 0) [[likely]]
            return word + usual_distance;
        if (!has_record(word)) return block_of(word) + distance_of(word) + usual_distance;
        return word != none ? record(word).object : 0;
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static handle owner(std::uintptr_t word) noexcept {
        if ((word & is_unusual) == 0) [[likely]]
            return handle::at(reinterpret_cast<void*>(word));
        if (!has_record(word)) return handle::at(reinterpret_cast<void*>(block_of(word)));
        return word != none ? handle::at(reinterpret_cast<void*>(record(word).handle)) : handle();
    }

    // Returns: the size of the control block, with the object if it houses one. Requires: the caller is an owner.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::size_t bytes(std::uintptr_t word) noexcept {
        const auto* const block = owner(word).block();
        return block != nullptr ? block->kind()->bytes : 0;
    }

    // Effects: frees the record of the word, if it has one.
    static void forget(std::uintptr_t word) noexcept {
        if (has_record(word) && word != none) alias_records::give_back(record(word));
    }

private:
    static constexpr std::uintptr_t is_unusual = 1;
    static constexpr std::uintptr_t is_record = 3;
    static constexpr bool has_distances = has_spare_address_bits;
    static constexpr int distance_shift = has_distances ? 48 : 0;
    static constexpr std::uintptr_t usual_distance = sizeof(control_block<Counting>);
#ifdef FREEHOLD_ADDRESS_SANITIZER
    static constexpr std::uintptr_t most_distance = 0;  // LeakSanitizer has to find the address
#else
    static constexpr std::uintptr_t most_distance = 0xffff;
#endif

    static_assert(alignof(control_block<Counting>) > is_record && alignof(alias_record) > is_record);

    [[nodiscard]] static bool has_record(std::uintptr_t word) noexcept { return (word & is_record) == is_record; }

    // Returns: the address of the block in a word with a distance.
    [[nodiscard]] static std::uintptr_t block_of(std::uintptr_t word) noexcept {
        return (word & ((std::uintptr_t{1} << distance_shift) - 1)) - is_unusual;
    }

    [[nodiscard]] static std::uintptr_t distance_of(std::uintptr_t word) noexcept { return word >> distance_shift; }

    [[nodiscard]] static alias_record& record(std::uintptr_t word) noexcept {
        return *reinterpret_cast<alias_record*>(word & ~is_record);
    }

    [[nodiscard]] FREEHOLD_NOINLINE static alias_record* record_of(std::uintptr_t object, handle owner,
                                                                   alias_records& aliases) noexcept {
        alias_record* const made = aliases.take();
        if (made == nullptr) [[unlikely]]
            std::abort();
        made->object = object;
        made->handle = reinterpret_cast<std::uintptr_t>(owner.address());
        return made;
    }
};

}  // namespace freehold::detail
