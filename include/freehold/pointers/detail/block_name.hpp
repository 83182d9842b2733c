#pragma once
// The name of a kind of control block: what a reader of the program's memory has to know of it, in a stripped program
// and without run-time type information too. The last field of block_operations leads to it. `./freehold owners` and
// diagnosis/owners.hpp read it.
//
//     freehold block 1: atomic 8 object 16 24 widget
//
// The prefix ends with a colon and a space; its number is the version of what follows. Then six fields, with a space
// between two of them:
// clang-format off
//   counts    plain, atomic, biased or sharded: what the block begins with
//   table     where the pointer to the operations is, in bytes from the beginning of the block, as all that follow
//   contents  object, elements, pointer or other: what is at the next field's place
//   place     of the object, of the first element, of a pointer to the object, or of what else leads to it
//   bytes     of the object or an element; 0 if they are not known
//   type      of these, or of what is at the place of `other`; the rest of the string, which may have spaces
// clang-format on
// A block begins with the word of shared_count.hpp, in which biased_counting.hpp and sharded_counting.hpp count as
// well. What they count elsewhere follows, each 8 bytes further in 64 bits: if biased, the address of the bias or of
// the next in a list, and the owners of the maker; if sharded, the address of the shards. An array has the size of its
// memory and then the number of its elements behind the pointer to the operations. While a block waits for its
// destruction, a link is in the place of that pointer.
//
// Cost: a name for each kind of block, and a word in its table: no instruction, and no byte of a block. The guide
// docs/guide/debugging.md has what it comes to, and FREEHOLD_WITHOUT_NAMES, with which the field is null.

#include <cstddef>
#include <cstdint>

#include "../../core/config.hpp"
#include "../../core/type_name.hpp"
#include "control_block.hpp"

namespace freehold::inline v0_2::detail {

// Where a kind of block has its object, in the words of the name.
struct block_contents {
    characters contents;
    std::size_t place;
    std::size_t bytes;
    characters type;
};

template <std::size_t size>
[[nodiscard]] consteval characters characters_of(const char (&text)[size]) {
    return {text, size - 1};
}

// Effects: appends the number in decimal. Returns: the end of the appended characters.
consteval char* append(char* to, std::size_t number) {
    if (number >= 10) to = detail::append(to, number / 10);
    *to = static_cast<char>('0' + number % 10);
    return to + 1;
}

template <class Counting>
[[nodiscard]] consteval characters name_of_counts() {
    if constexpr (counts_copies_apart<Counting>) return detail::characters_of("sharded ");
    if constexpr (requires { requires Counting::is_biased; }) return detail::characters_of("biased ");
    return Counting::concurrent ? detail::characters_of("atomic ") : detail::characters_of("plain ");
}

// Block provides contents(), its block_contents.
template <class Block, class Counting>
struct block_name_storage {
    consteval block_name_storage() { write(letters); }

    static consteval char* write(char* to) {
        constexpr block_contents found = Block::contents();
        constexpr std::size_t table = sizeof(control_block<Counting>) - sizeof(std::uint64_t);
        to = detail::append(to, detail::characters_of("freehold block 1: "));
        to = detail::append(to, detail::name_of_counts<Counting>());
        to = detail::append(detail::append(to, table), detail::characters_of(" "));
        to = detail::append(to, found.contents);
        to = detail::append(detail::append(to, found.place), detail::characters_of(" "));
        to = detail::append(detail::append(to, found.bytes), detail::characters_of(" "));
        return detail::append(to, found.type);
    }

    static consteval std::size_t length() {
        char written[Block::contents().type.length + 128] = {};
        return static_cast<std::size_t>(write(written) - written);
    }

    char letters[length() + 1] = {};
};

// Hidden: only the table, which modules may share, leads to it.
template <class Block, class Counting>
FREEHOLD_HIDDEN inline constexpr block_name_storage<Block, Counting> stored_block_name;

// Returns: the name, null-terminated; null with FREEHOLD_WITHOUT_NAMES.
template <class Block, class Counting>
[[nodiscard]] consteval const char* name_of_block() {
    if constexpr (names_blocks) {
        return stored_block_name<Block, Counting>.letters;
    } else {
        return nullptr;
    }
}

}  // namespace freehold::detail
