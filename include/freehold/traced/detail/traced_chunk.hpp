#pragma once
// The layout of a traced heap's memory: chunks of 4 MiB, aligned to 4 MiB, in blocks of 64 KiB. The cells of a block
// hold objects of one type. An object has no header: a mask turns its address, or one inside it, into the chunk's
// address, and the chunk begins with the marks and cards of its objects.
//
// An object of more than 16 KiB has blocks of its own, and one of more than 3.8 MiB a wide chunk. The first 4 MiB of
// that are like any other chunk; chunk_table.hpp finds the chunk from an address in the rest.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include "../../core/alignment.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/platform/pages.hpp"
#include "../../core/threading.hpp"

namespace freehold::inline v0_2::detail {

class hidden_words;
class traced_marker;
class undeclared_classes;
struct traced_space;

// What a heap knows of a type.
struct traced_type {
    const char* name;
    std::size_t cell_bytes;
    void (*trace)(const void* object, traced_marker&) = nullptr;  // null if nothing of the type is to be looked at
    void (*destroy)(void* object) noexcept = nullptr;             // null if the destructor is trivial
    // As `trace`, and returns the number of pointers. Null if all of an object's pointers are inside the object itself,
    // and none in a buffer that it owns outside of the heap.
    std::size_t (*trace_outside)(const void* object, traced_marker&) = nullptr;
    // Returns: the bytes that the object owns outside of the heap. Null if the type can own none.
    std::size_t (*owned_bytes)(const void* object) noexcept = nullptr;
    // As `trace`, for what is between two addresses. Null if that takes no less time.
    void (*trace_part)(const void* object, const std::byte* begin, const std::byte* end, traced_marker&) = nullptr;
    // Checks the pointers that `trace` does not follow. Null with NDEBUG, and if the type can't have any.
    void (*check_hidden)(const void* object, hidden_words&) noexcept = nullptr;
    // Finds the classes for which `trace_outside` would be null if they declared that. Null if there are none, and with
    // NDEBUG.
    void (*find_undeclared)(const void* object, undeclared_classes&) noexcept = nullptr;
    bool is_concurrent = false;  // it may be traced while the program changes the object
    bool is_frame = false;       // an object holds a frame_record and the frame of a coroutine
};

// A bit for each cell of a block.

[[nodiscard]] inline bool has_bit(const std::uint64_t* bits, std::size_t index) noexcept {
    return (bits[index / 64] >> index % 64 & 1) != 0;
}

// Returns: false if it was set before.
inline bool set_bit(std::uint64_t* bits, std::size_t index) noexcept {
    std::uint64_t& word = bits[index / 64];
    const std::uint64_t now = word | std::uint64_t{1} << index % 64;
    if (word == now) return false;
    word = now;
    return true;
}

// Effects: as set_bit, while other threads do the same.
template <class Threading = process_threading>  // NOLINTNEXTLINE(readability-non-const-parameter): the atomic writes
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline bool set_bit_among_threads(std::uint64_t* bits,
                                                                       std::size_t index) noexcept {
    const typename Threading::template atomic_ref<std::uint64_t> word(bits[index / 64]);
    const std::uint64_t bit = std::uint64_t{1} << index % 64;
    // relaxed: who relies on the bits reads them after a handshake, or when the other threads have ended
    if ((word.load(std::memory_order_relaxed) & bit) != 0) return false;
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

// A block of cells, or a part of a large object, which has blocks of its own.
struct traced_block {
    const traced_type* type;
    std::byte* begin;           // of the first cell, or of the large object
    std::uint64_t* marks;       // a bit for each cell: its object survived a collection, or was found by this one.
                                // The bits of a full cycle are beside these; see reached().
    std::uint64_t* to_destroy;  // a bit for each cell: its object needs its destructor; unused if that is trivial
    std::uint64_t reciprocal;   // of the size of a cell; 0 in a large object
    std::uint32_t cells;
    bool is_pushed;                   // a newly marked object here goes on the marker's stack
    bool used = false;                // an object was allocated here since the last collection
    bool unswept = false;             // all objects without a mark are dead, and their destructors have not run
    bool is_reached_counted = true;   // the two counts of reached() are exact, but where threads share the heap
    std::uint16_t taken_begin = 0;    // the unmarked cells from here to taken_end have been handed out since the last
    std::uint16_t taken_end = 0;      // collection
    std::uint32_t marked = 0;         // the number of marks
    std::uint16_t reached_count = 0;  // the bits in reached() that the program has set, or whoever traces the objects,
    std::uint16_t helped_count = 0;   // and those that the helper has set where it only returns them
    std::uint32_t retraced = 0;       // the young collection that last traced this large object because of a store

    static constexpr std::size_t bitmap_bytes = 512;

    // Returns: a bit for each cell: the object is marked, and the full cycle in progress has reached it. The two
    // bitmaps are neighbors, and change places when the cycle ends.
    [[nodiscard]] std::uint64_t* reached() const noexcept {
        return std::bit_cast<std::uint64_t*>(std::bit_cast<std::uintptr_t>(marks) ^ bitmap_bytes);
    }

    // Returns: the index of the cell that holds the address.
    [[nodiscard]] std::size_t index_of(const void* address) const noexcept {
        return index_of_block(static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin), reciprocal);
    }

    [[nodiscard]] std::byte* cell(std::size_t index) const noexcept { return begin + index * type->cell_bytes; }

    [[nodiscard]] bool is_large() const noexcept { return reciprocal == 0; }

    [[nodiscard]] bool is_marked(std::size_t index) const noexcept { return has_bit(marks, index); }
    // relaxed: other threads may change the word
    template <class Threading = process_threading>
    [[nodiscard]] bool is_reached(std::size_t index) const noexcept {
        const typename Threading::template atomic_ref<std::uint64_t> word(reached()[index / 64]);
        return (word.load(std::memory_order_relaxed) >> index % 64 & 1) != 0;
    }

    // Returns: whether the object needs its destructor.
    [[nodiscard]] bool is_to_be_destroyed(std::size_t index) const noexcept { return has_bit(to_destroy, index); }

    // Effects: notes that the cycle has reached the object. Returns: false if it had before. Requires: no other thread
    // does the same in this block, but for what the program shades: its bit may be lost, until reach_again().
    template <class Threading = process_threading>
    bool reach(std::size_t index) noexcept {
        const typename Threading::template atomic_ref<std::uint64_t> word(reached()[index / 64]);
        const std::uint64_t before = word.load(std::memory_order_relaxed);
        const std::uint64_t bit = std::uint64_t{1} << index % 64;
        if ((before & bit) != 0) return false;
        word.store(before | bit, std::memory_order_relaxed);  // the program may read or set others
        ++reached_count;
        return true;
    }

    // Effects: as reach, of what the program has shaded and not counted.
    template <class Threading = process_threading>
    void reach_again(std::size_t index) noexcept {
        static_cast<void>(reach<Threading>(index));
        is_reached_counted = false;
    }

    // Effects: as reach, while other threads do the same. The caller counts the object.
    template <class Threading = process_threading>
    [[nodiscard]] bool reach_among_threads(std::size_t index) const noexcept {
        return detail::set_bit_among_threads<Threading>(reached(), index);
    }

    // Effects: the objects that the cycle has reached are the marked ones. reached() is to be cleared.
    void adopt_reached() noexcept {
        if (is_large()) {  // other blocks have copies of `marks`
            marks[0] = reached()[0];
            marked = static_cast<std::uint32_t>(marks[0]);
            return clear_reached();
        }
        marks = reached();
        marked = std::uint32_t{reached_count} + helped_count;
        if (!is_reached_counted) count_marks();
    }

    void clear_reached() noexcept {
        std::memset(reached(), 0, words() * sizeof(*marks));
        reached_count = helped_count = 0;
        is_reached_counted = true;
    }

    // Effects: marks the object. Returns: false if it was marked before.
    bool mark(std::size_t index) noexcept {
        if (!set_bit(marks, index)) return false;
        ++marked;
        return true;
    }

    // Effects: as mark, while other threads do the same. `marked` is not changed; see count_marks.
    [[nodiscard]] bool mark_among_threads(std::size_t index) const noexcept {
        return detail::set_bit_among_threads(marks, index);
    }

    void count_marks() noexcept {
        marked = 0;
        for (std::size_t i = 0; i < words(); ++i) marked += static_cast<std::uint32_t>(std::popcount(marks[i]));
    }

    // Returns: whether the cell was handed out since the last collection, or will be next.
    [[nodiscard]] bool was_taken(std::size_t index) const noexcept { return taken_begin <= index && index < taken_end; }

    // Effects: notes that the cells [first, end) are handed out. Requires: all cells handed out since the last
    // collection precede them.
    void take(std::size_t first, std::size_t end) noexcept {
        if (taken_begin == taken_end) taken_begin = static_cast<std::uint16_t>(first);
        taken_end = static_cast<std::uint16_t>(end);
    }

    // Effects: marks the objects that were made since the last collection.
    void mark_taken() noexcept {
        const std::size_t end = is_large() ? 1 : std::size_t{taken_end};
        for (std::size_t i = taken_begin; i < end; i = (i / 64 + 1) * 64) {
            std::uint64_t made = ~std::uint64_t{0} << i % 64;
            if (end / 64 == i / 64) made &= ~(~std::uint64_t{0} << end % 64);
            if (type->destroy != nullptr) made &= to_destroy[i / 64];
            made &= ~marks[i / 64];
            marks[i / 64] |= made;
            marked += static_cast<std::uint32_t>(std::popcount(made));
        }
    }

    // Returns: whether the cell holds an object, or zeros because the constructor threw. Requires: no run is in use.
    [[nodiscard]] bool is_occupied(std::size_t index) const noexcept {
        if (unswept) return is_marked(index);
        if (type->destroy != nullptr) return is_to_be_destroyed(index);
        return is_marked(index) || was_taken(index) || is_large();
    }

    void unmark_all() noexcept {
        std::memset(marks, 0, words() * sizeof(*marks));
        marked = 0;
    }

    [[nodiscard]] std::size_t words() const noexcept { return (cells + 63) / 64; }

    // Returns: the bits of the cells of a word of the bitmaps that hold no object. Objects that were made since the
    // last collection are missed if their destructor is trivial.
    [[nodiscard]] std::uint64_t unoccupied(std::size_t word) const noexcept {
        return ~(type->destroy != nullptr ? marks[word] | to_destroy[word] : marks[word]);
    }
};

class traced_chunk {
public:
    static constexpr std::size_t bytes = std::size_t{4} * 1024 * 1024;
    static constexpr std::size_t block_bytes = std::size_t{64} * 1024;
    static constexpr std::size_t card_bytes = 128;
    static constexpr std::size_t min_cell_bytes = 16;
    static constexpr std::size_t header_blocks = 3;
    static constexpr std::size_t max_blocks = bytes / block_bytes - header_blocks;

    // The stores into 128 bytes since the last collection: an old object there may point to a young one. The heap lists
    // the first slot of each card that is neither clean nor fresh; where threads share it, see note_shared_store.
    enum card : std::uint8_t {
        clean,  // no store
        // From 1 to the number of words: stores into this word, counted from 1, and no other.
        dirty = card_bytes / sizeof(void*) + 1,  // stores into several words
        fresh,  // only objects made since the last collection, which are traced anyway if they are reachable
    };

    // Requires: the chunk is at the beginning of `total_bytes` of memory, a multiple of `bytes`, and aligned to
    // `bytes`.
    traced_chunk(traced_space& space, std::size_t total_bytes) noexcept : space_(&space), total_bytes_(total_bytes) {
        tell_free(block_at(header_blocks), total_bytes - header_blocks * block_bytes);
        if (!is_wide()) return;
        // A store into the last 4 MiB reads a card there, perhaps beyond the end of the object.
        const auto cards = static_cast<std::size_t>(reinterpret_cast<std::byte*>(&cards_) - block_at(0));
        std::byte* const looked_at = block_at((total_bytes - bytes) / block_bytes) + cards;
        tell_allocated(looked_at, cards / 127 + 1);
        tell_readable(looked_at, cards / 127 + 1);
    }

    traced_chunk(const traced_chunk&) = delete;
    traced_chunk& operator=(const traced_chunk&) = delete;

    // Effects: tells the memory checkers that the page cache may use the memory again.
    ~traced_chunk() {
        tell_allocated(block_at(header_blocks), total_bytes_ - header_blocks * block_bytes);
        ::operator delete(far_cards_);
    }

    // Returns: the chunk of an address in the first 4 MiB of a chunk.
    [[nodiscard]] static traced_chunk* at(const void* address) noexcept {
        return header_of<traced_chunk>(address, bytes);
    }

    // Requires: the address is in an object, in the first 4 MiB of its chunk.
    [[nodiscard]] static traced_block& block_of(const void* address) noexcept {
        return at(address)->blocks_[std::bit_cast<std::uintptr_t>(address) % bytes / block_bytes];
    }

    // Effects: the object in the cell needs its destructor. Requires: as block_of.
    FREEHOLD_ALWAYS_INLINE static void mark_for_destruction(const void* cell) noexcept {
        const traced_block& block = block_of(cell);
        const std::size_t index = block.index_of(cell);
        block.to_destroy[index / 64] |= std::uint64_t{1} << index % 64;
    }

    // Returns: the block of the address, or a null pointer if it is not open.
    [[nodiscard]] const traced_block* opened_block_of(const void* address) const noexcept {
        const std::size_t index = std::bit_cast<std::uintptr_t>(address) % bytes / block_bytes;
        return index < header_blocks || (free_ >> index & 1) != 0 ? nullptr : &blocks_[index];
    }

    [[nodiscard]] traced_space& space() const noexcept { return *space_; }
    [[nodiscard]] std::size_t total_bytes() const noexcept { return total_bytes_; }
    [[nodiscard]] bool is_wide() const noexcept { return total_bytes_ != bytes; }
    // Returns: whether the address is after the first 4 MiB of this chunk.
    [[nodiscard]] bool has_far(const void* address) const noexcept {
        const std::size_t offset = std::bit_cast<std::uintptr_t>(address) - std::bit_cast<std::uintptr_t>(this);
        return offset - bytes < total_bytes_ - bytes;
    }
    [[nodiscard]] std::byte* first_object() noexcept { return block_at(header_blocks); }
    [[nodiscard]] bool is_empty() const noexcept { return free_ == all_free; }

    [[nodiscard]] std::uint8_t& card_of(const void* address) noexcept {
        return cards_[std::bit_cast<std::uintptr_t>(address) % bytes / card_bytes];
    }

    // Returns: the card of a slot after the first 4 MiB of this chunk; a null pointer if out of memory.
    [[nodiscard]] std::uint8_t* far_card_of(const void* slot) noexcept {
        if (far_cards_ == nullptr) {
            const std::size_t count = (total_bytes_ - bytes) / card_bytes;
            far_cards_ = static_cast<std::uint8_t*>(::operator new(count, std::nothrow));
            if (far_cards_ == nullptr) return nullptr;
            std::memset(far_cards_, clean, count);
        }
        const std::size_t offset = std::bit_cast<std::uintptr_t>(slot) - std::bit_cast<std::uintptr_t>(this);
        return &far_cards_[(offset - bytes) / card_bytes];
    }

    // Returns: whether the card of the slot is dirty or fresh, so that a store there need not be noted. Another thread
    // may be noting one; either answer is right then. The read is not atomic: that would be an instruction more.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool is_noted(const void* slot) noexcept {
#ifdef FREEHOLD_THREAD_SANITIZER
        return atomic_ref<std::uint8_t>(card_of(slot)).load(std::memory_order_relaxed) >= dirty;
#else
        return card_of(slot) >= dirty;
#endif
    }

    // Effects: notes a store on the card of the slot. Returns: whether the card was clean.
    static bool note_store(std::uint8_t& noted, const void* slot) noexcept {
        const std::uint8_t word = word_of(slot);
        const std::uint8_t before = noted;
        if (before == clean) {
            noted = word;
        } else if (before != word) {
            noted = before < dirty ? std::uint8_t{dirty} : before;
        }
        return before == clean;
    }

    // Effects: the same where several threads store at once. Returns: what is to be listed: the slot, or an odd
    // address for all of its card; a null pointer if whoever wrote the value on the card lists that.
    // What one thread notes, another may overwrite, as an exchange would wait for the card's line of the cache. So the
    // list tells all: who writes a value to the card, lists what it stands for.
    // relaxed: cards are read for a collection, which stops the threads
    template <class Threading = process_threading>
    [[nodiscard]] static const void* note_shared_store(std::uint8_t& noted, const void* slot) noexcept {
        const typename Threading::template atomic_ref<std::uint8_t> card(noted);
        const std::uint8_t word = word_of(slot);
        const std::uint8_t before = card.load(std::memory_order_relaxed);
        if (before == word || before >= dirty) return nullptr;
        card.store(before == clean ? word : std::uint8_t{dirty}, std::memory_order_relaxed);
        return static_cast<const std::byte*>(slot) + (before == clean ? 0 : 1);
    }

    // Returns: the bytes that may have been stored into: the slot, or the whole card if it is dirty or so listed.
    [[nodiscard]] static std::span<const std::byte> stored_into(std::uint8_t noted, const void* listed) noexcept {
        const auto* const first = static_cast<const std::byte*>(listed);
        if (noted < dirty && std::bit_cast<std::uintptr_t>(listed) % 2 == 0) return {first, sizeof(void*)};
        return {first - std::bit_cast<std::uintptr_t>(listed) % card_bytes, card_bytes};
    }

    // Effects: prefetches the object and its mark.
    static void fetch(const void* object) noexcept {
        FREEHOLD_PREFETCH(object);
        const traced_block& block = block_of(object);
        FREEHOLD_PREFETCH(&block.marks[block.index_of(object) / 64]);
    }

    // Effects: sets all cards between the addresses. Requires: they are in one chunk, at the beginning of cards.
    static void set_cards(std::uintptr_t begin, std::uintptr_t end, card value) noexcept {
        if (begin >= end) return;
        void* const first = std::bit_cast<void*>(begin);
        std::memset(&at(first)->card_of(first), value, (end - begin) / card_bytes);
    }

    // Effects: cleans the cards of the block.
    static void clean_cards(const traced_block& block) noexcept {
        const auto begin = std::bit_cast<std::uintptr_t>(block.begin);
        set_cards(begin, begin + block_bytes, clean);
    }

    // Returns: `count` consecutive free blocks, opened for cells or for one large object; a null pointer if the chunk
    // has no such blocks.
    [[nodiscard]] traced_block* open(const traced_type& type, std::size_t count) noexcept {
        std::uint64_t starts = free_;
        for (std::size_t rest = detail::smaller(count, max_blocks); rest > 1; --rest) starts &= starts >> 1;
        if (starts == 0) return nullptr;
        const auto first = static_cast<std::size_t>(std::countr_zero(starts));
        const bool large = type.cell_bytes > max_cell_bytes;
        traced_block opened = {
            .type = &type,
            .begin = block_at(first),
            .marks = bitmaps_of(first)[0].data(),
            .to_destroy = bitmaps_of(first)[2].data(),
            .reciprocal = large ? 0 : reciprocal_of(type.cell_bytes),
            .cells = large ? 1 : static_cast<std::uint32_t>(block_bytes / type.cell_bytes),
            .is_pushed = type.trace != nullptr,
        };
        opened.unmark_all();
        opened.clear_reached();
        std::memset(opened.to_destroy, 0, opened.words() * sizeof(*opened.to_destroy));
        for (std::size_t i = first; i < first + count && i < blocks_.size(); ++i) {
            blocks_[i] = opened;
            free_ &= ~(std::uint64_t{1} << i);
            std::memset(&cards_[i * cards_per_block], clean, cards_per_block);
        }
        return &blocks_[first];
    }

    // Effects: the large object that begins there has the other type, of the same size.
    static void set_type(const void* object, const traced_type& type) noexcept {
        traced_block* const first = &block_of(object);
        traced_block* const end = at(object)->blocks_.data() + at(object)->blocks_.size();
        for (traced_block* each = first; each != end && each - first < std::ptrdiff_t(blocks_for(type)); ++each) {
            each->type = &type;
        }
    }

    // Effects: frees the block, or all blocks of the large object.
    void close(traced_block& block) noexcept {
        const auto first = static_cast<std::size_t>(&block - blocks_.data());
        const std::size_t count = blocks_for(*block.type);
        for (std::size_t i = first; i < first + count && i < blocks_.size(); ++i) free_ |= std::uint64_t{1} << i;
        tell_free(block.begin, count * block_bytes);
    }

    // A larger object has blocks of its own.
    static constexpr std::size_t max_cell_bytes = block_bytes / 4;

    // Returns: how many blocks the type needs at once.
    [[nodiscard]] static std::size_t blocks_for(const traced_type& type) noexcept {
        return type.cell_bytes > max_cell_bytes ? (type.cell_bytes + block_bytes - 1) / block_bytes : 1;
    }

private:
    static constexpr std::size_t cards_per_block = block_bytes / card_bytes;
    static constexpr std::uint64_t all_free = ~std::uint64_t{0} << header_blocks;
    using bitmap = std::array<std::uint64_t, block_bytes / min_cell_bytes / 64>;
    static_assert(sizeof(bitmap) == traced_block::bitmap_bytes);

    // Returns: the card's value for a store into that slot alone.
    [[nodiscard]] static std::uint8_t word_of(const void* slot) noexcept {
        return static_cast<std::uint8_t>(std::bit_cast<std::uintptr_t>(slot) % card_bytes / sizeof(void*) + 1);
    }

    [[nodiscard]] std::byte* block_at(std::size_t index) noexcept {
        return reinterpret_cast<std::byte*>(this) + index * block_bytes;
    }

    // Returns: the three bitmaps of the block: marks, reached() and to_destroy.
    [[nodiscard]] bitmap* bitmaps_of(std::size_t index) noexcept { return &bitmaps_[4 * (blocks_.size() - 1 - index)]; }

    // So that a chunk that is hardly used touches two pages here: `blocks_` are in the first, and the bitmaps are in
    // reverse order, so that those of the first block are in one page with the members that follow and its cards. The
    // bitmaps and cards of a block are not initialized before it is opened.
    std::array<traced_block, bytes / block_bytes> blocks_ = {};
    alignas(smallest_page) std::array<bitmap, 4 * max_blocks - 1> bitmaps_;  // four for each block, but for the last
    traced_space* space_;
    std::size_t total_bytes_;
    std::uint8_t* far_cards_ = nullptr;  // those after the first 4 MiB, once there was a store into an array there
    std::uint64_t free_ = all_free;
    std::array<std::uint8_t, bytes / card_bytes> cards_;
};

static_assert(sizeof(traced_block) <= 64);  // a line of the cache; in 64 bits, a shift from its index
static_assert(sizeof(traced_chunk) <= traced_chunk::header_blocks * traced_chunk::block_bytes);

}  // namespace freehold::detail
