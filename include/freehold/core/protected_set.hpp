#pragma once
// protected_set: which words readers protected at a moment. At most half full, so a look-up takes a probe or two.
//
// Thread safety: one thread at a time. Exceptions: none. Cost: 16 bytes a word; the first words are in place.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace freehold::inline v0_2::detail {

// InPlace: the number of words that there is room for in place, a power of two.
template <std::size_t InPlace>
class protected_set {
public:
    constexpr protected_set() noexcept = default;
    protected_set(const protected_set&) = delete;
    protected_set& operator=(const protected_set&) = delete;

    // The number of words that there is room for.
    [[nodiscard]] std::size_t room() const noexcept { return memory_ != nullptr ? room_ : InPlace; }
    [[nodiscard]] static constexpr std::size_t bytes(std::size_t room) noexcept {
        return 2 * room * sizeof(std::uintptr_t);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool is_full() const noexcept { return size_ == room(); }

    // Requires: !is_full(), and the word is not 0.
    void insert(std::uintptr_t word) noexcept {
        std::uintptr_t& place = *find(entries(), 2 * room(), word);
        size_ += place != word ? 1 : 0;
        place = word;
    }

    [[nodiscard]] bool contains(std::uintptr_t word) noexcept {
        return size_ != 0 && *find(entries(), 2 * room(), word) == word;
    }

    void clear() noexcept {
        if (size_ == 0) return;
        for (std::size_t i = 0; i != 2 * room(); ++i) entries()[i] = 0;
        size_ = 0;
    }

    // Effects: the words are kept in `memory` from now on, which is bytes(room) of zeros; in place if it is null.
    // Returns: the memory before; null if they were in place. Requires: `room` is a power of two, in which they fit.
    std::uintptr_t* move_to(std::uintptr_t* memory, std::size_t room = InPlace) noexcept {
        const std::array<std::uintptr_t, 2 * InPlace> was_in_place = first_;
        const std::size_t count = 2 * this->room();
        std::uintptr_t* const before = std::exchange(memory_, memory);
        room_ = room;
        first_.fill(0);
        size_ = 0;
        for (std::size_t i = 0; i != count; ++i) {
            if (const std::uintptr_t word = before != nullptr ? before[i] : was_in_place[i]; word != 0) insert(word);
        }
        return before;
    }

private:
    [[nodiscard]] std::uintptr_t* entries() noexcept { return memory_ != nullptr ? memory_ : first_.data(); }

    // Returns: the entry of the word, or the one that it would get. Requires: `count` is a power of two.
    [[nodiscard]] static std::uintptr_t* find(std::uintptr_t* entries, std::size_t count,
                                              std::uintptr_t word) noexcept {
        const std::uint64_t mixed = std::uint64_t{word} * 0x9e37'79b9'7f4a'7c15;  // bits of the golden ratio
        // The higher half of the product has all bits of the word in it, and serves sets of up to 2^32 entries.
        std::size_t i = static_cast<std::size_t>(mixed >> 32) & (count - 1);
        while (entries[i] != 0 && entries[i] != word) i = (i + 1) & (count - 1);
        return entries + i;
    }

    // All zeros at first: a static set takes no room in the program's file.
    std::size_t size_ = 0;
    std::size_t room_ = 0;  // of `memory_`
    std::uintptr_t* memory_ = nullptr;
    std::array<std::uintptr_t, 2 * InPlace> first_ = {};
};

}  // namespace freehold::detail
