#pragma once
// The shared objects in the pool of the process: found in its memory, by the names of the kinds of block
// (block_name.hpp).
//
// Nothing here takes memory from operator new, which the pool that is walked may serve.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <vector>

#include "../../core/alignment.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/platform/modules.hpp"
#include "../../core/platform/pages.hpp"
#include "../../memory/small_block_pool.hpp"
#include "../../pointers/biased_shared_ptr.hpp"
#include "../../pointers/local_shared_ptr.hpp"
#include "../../pointers/sharded_shared_ptr.hpp"
#include "../../pointers/shared_ptr.hpp"

namespace freehold::inline v0_2::detail {

template <class T>
struct page_allocator {
    using value_type = T;

    constexpr page_allocator() noexcept = default;
    template <class U>
    constexpr page_allocator(const page_allocator<U>&) noexcept {}

    [[nodiscard]] T* allocate(std::size_t n) {
        void* const pages = detail::allocate_pages(bytes_of(n));
        if (pages == nullptr) raise<std::bad_alloc>();
        return static_cast<T*>(pages);
    }
    void deallocate(T* pages, std::size_t n) noexcept { detail::free_pages(pages, bytes_of(n)); }

    friend bool operator==(page_allocator, page_allocator) noexcept { return true; }

private:
    static std::size_t bytes_of(std::size_t n) noexcept { return detail::round_up(n * sizeof(T), page_granule); }
};

template <class T>
using page_vector = std::vector<T, page_allocator<T>>;

// Returns: the word at the address.
[[nodiscard]] inline std::uintptr_t word_at(const std::byte* at) noexcept {
    std::uintptr_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    return word;
}

struct pool_blocks {
    static constexpr std::uint32_t nobody = (std::numeric_limits<std::uint32_t>::max)();

    // A block in use, of any purpose.
    struct used_block {
        const std::byte* begin;
        std::size_t bytes;
    };

    // What the name of a kind of block says.
    struct kind {
        const void* table = nullptr;
        const char* type = nullptr;
        std::size_t table_place = 0;
        std::size_t place = 0;
        std::size_t bytes = 0;
        std::size_t block_bytes = 0;
        char counts = '\0';  // the first letters
        char contents = '\0';
    };

    // A shared object.
    struct object {
        const std::byte* block = nullptr;
        std::size_t room = 0;  // bytes of the block in the pool
        const std::byte* begin = nullptr;
        std::size_t bytes = 0;  // 0 if they are not known
        std::uint32_t kind = 0;
        long owners = 0;
        long weak = 0;
    };

    // Effects: finds them. Throws: std::bad_alloc.
    pool_blocks() {
        note_used();
        find_kinds();
        for (const used_block& each : used) add_object(each);
        std::ranges::sort(separate);
    }

    // Returns: the index of the object that has the block, or nobody.
    [[nodiscard]] std::uint32_t object_of(const std::byte* block) const noexcept {
        const auto found = std::ranges::lower_bound(objects, block, {}, &object::block);
        if (found == objects.end() || found->block != block) return nobody;
        return static_cast<std::uint32_t>(found - objects.begin());
    }

    // Each sorted by address.
    page_vector<used_block> used;
    page_vector<kind> kinds;
    page_vector<object> objects;
    page_vector<const std::byte*> separate;  // where objects are that are not in their blocks

private:
    static constexpr std::size_t word = sizeof(std::uint64_t);  // of the pointer to the operations, with a link's room

    // Where that is.
    static constexpr std::array table_places{sizeof(control_block<atomic_counting>) - word,
                                             sizeof(control_block<sharded_counting>) - word,
                                             sizeof(control_block<biased_counting>) - word};

    void note_used() {
        std::size_t count = 0;
        small_block_pool::walk([&](void*, std::size_t) { ++count; });
        used.reserve(count);
        small_block_pool::walk(
            [&](void* block, std::size_t bytes) { used.push_back({static_cast<const std::byte*>(block), bytes}); });
        std::ranges::sort(used, {}, &used_block::begin);
    }

    // Effects: finds the tables of operations among the words that are where a block has the address of one.
    void find_kinds() {
        page_vector<std::uintptr_t> words;
        for (const used_block& each : used) {
            for (const std::size_t place : table_places) {
                if (place + word <= each.bytes) words.push_back(detail::word_at(each.begin + place));
            }
        }
        std::ranges::sort(words);
        words.erase(std::ranges::unique(words).begin(), words.end());
        for (const std::uintptr_t each : words) add_kind(reinterpret_cast<const std::byte*>(each));
    }

    void add_kind(const std::byte* table) {
        using operations = block_operations<atomic_counting>;  // those of each counting have its layout
        constexpr char prefix[] = "freehold block 1: ";
        constexpr std::size_t length = sizeof(prefix) - 1;
        const auto is_readable = [](const void* begin, std::size_t bytes) {
            return detail::is_in_module(begin) &&
                   detail::is_in_module(static_cast<const std::byte*>(begin) + bytes - 1);
        };
        if (reinterpret_cast<std::uintptr_t>(table) % alignof(operations) != 0) return;
        if (!is_readable(table, sizeof(operations))) return;
        operations found;
        std::memcpy(&found, table, sizeof(found));
        if (!is_readable(found.name, length) || std::memcmp(found.name, prefix, length) != 0) return;
        char counts[8];
        char contents[9];
        int end = 0;
        kind made{.table = table, .block_bytes = found.bytes};
        if (std::sscanf(found.name + length, "%7s %zu %8s %zu %zu %n", counts, &made.table_place, contents, &made.place,
                        &made.bytes, &end) != 5)
            return;
        made.type = found.name + length + end;
        made.counts = counts[0];
        made.contents = contents[0];
        kinds.push_back(made);
    }

    void add_object(const used_block& block) {
        for (const std::size_t place : table_places) {
            if (place + word > block.bytes) return;
            const auto* const table = reinterpret_cast<const void*>(detail::word_at(block.begin + place));
            const auto found = std::ranges::lower_bound(kinds, table, std::less<>(), &kind::table);
            if (found == kinds.end() || found->table != table || found->table_place != place) continue;
            return add_object(block, *found);
        }
    }

    void add_object(const used_block& block, const kind& of) {
        object made{.block = block.begin, .room = block.bytes, .bytes = of.bytes};
        made.kind = static_cast<std::uint32_t>(&of - kinds.data());
        switch (of.counts) {
            case 'p': read_counts<plain_counting>(made); break;
            case 'b': read_counts<biased_counting>(made); break;
            case 's': read_counts<sharded_counting>(made); break;
            default: read_counts<atomic_counting>(made);
        }
        switch (of.contents) {
            case 'e': {  // behind the pointer to the operations: the size of the memory, then the number of elements
                const std::size_t length = detail::word_at(block.begin + of.table_place + word + sizeof(std::size_t));
                made.bytes = (std::min)(length * of.bytes, block.bytes - of.place);
                [[fallthrough]];
            }
            case 'o': made.begin = block.begin + of.place; break;
            case 'p': made.begin = reinterpret_cast<const std::byte*>(detail::word_at(block.begin + of.place)); break;
            default: break;
        }
        if (of.contents == 'p' && made.owners != 0 && made.bytes != 0) separate.push_back(made.begin);
        objects.push_back(made);
    }

    template <class Counting>
    static void read_counts(object& of) noexcept {
        const auto& control = *reinterpret_cast<const control_block<Counting>*>(of.block);
        of.owners = control.owners();
        of.weak = control.weak_pointers();
    }
};

}  // namespace freehold::detail
