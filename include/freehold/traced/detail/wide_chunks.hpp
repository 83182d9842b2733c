#pragma once
// From an address in a heap to its chunk. A mask is enough for an address in the first 4 MiB of a chunk. Others lead
// into an object of more than 4 MiB, and are searched for among the wide chunks of the heaps that are attached to the
// thread. An address below all of these costs one comparison, so programs without such objects pay no more than that.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "chunk_places.hpp"
#include "traced_chunk.hpp"

namespace freehold::inline v0_2::detail {

// The wide chunks of a shared heap, added for each 4 MiB after the first.
using wide_pieces = chunk_places<traced_chunk, traced_chunk::bytes>;

// The wide chunks of one heap, in the order of their addresses.
class wide_chunk_list {
public:
    // Effects: the chunks can be found in the calling thread, until detach().
    void attach() noexcept;

    void detach() noexcept;

    // Effects: reserves capacity for another chunk. Returns: false if out of memory.
    [[nodiscard]] bool reserve() noexcept { return !chunks_.is_full() || chunks_.reserve(2 * chunks_.size() + 8); }

    bool is_shared = false;  // it is never attached: threads with a session find the chunks by wide_pieces

    // Requires: there is capacity; and here and below, unless it is shared, attach() was called in this thread.
    void add(traced_chunk& added) noexcept;

    void remove(traced_chunk& removed) noexcept;

    // Returns: the address of the same object if the address is after the first 4 MiB of one of the chunks; otherwise
    // the address itself.
    [[nodiscard]] const void* head_of(const void* address) const noexcept {
        if (chunks_.empty() || is_before(address, *chunks_.begin())) return address;
        traced_chunk* const found = find(address);
        return found != nullptr ? found->first_object() : address;
    }

private:
    friend class wide_chunks;

    [[nodiscard]] static bool is_before(const void* a, const void* b) noexcept {
        return std::bit_cast<std::uintptr_t>(a) < std::bit_cast<std::uintptr_t>(b);
    }

    // Returns: the last chunk that does not begin after the address, or the first chunk. A binary search.
    [[nodiscard]] traced_chunk** last_before(const void* address) const noexcept {
        traced_chunk** first = chunks_.begin();
        for (std::size_t count = chunks_.size(); count > 1;) {
            const std::size_t half = count / 2;
            if (!is_before(address, first[half])) first += half;
            count -= half;
        }
        return first;
    }

    // Returns: the chunk that has the address after its first 4 MiB, or a null pointer. Requires: there are chunks.
    [[nodiscard]] traced_chunk* find(const void* address) const noexcept {
        traced_chunk* const chunk = *last_before(address);
        return chunk->has_far(address) ? chunk : nullptr;
    }

    growing_list<traced_chunk*> chunks_;
    wide_chunk_list* next_ = nullptr;  // of the same thread
};

// Those of all heaps that are attached to a thread. Trivially destructible and constant-initialized, as the decision on
// static thread-local variables has it.
class wide_chunks {
public:
    // Returns: the last address that needs no search.
    [[nodiscard]] static std::uintptr_t last_near() noexcept { return here.last_near_; }

    // Returns: the same, while no other thread adds a chunk.
    [[nodiscard]] static std::uintptr_t last_near_for_now() noexcept {
        const bool may_be_far = here.of_session_ != nullptr && here.of_session_->has_room();
        return may_be_far ? 0 : here.last_near_of_lists();
    }

    [[nodiscard]] static bool may_lead_to(const void* address) noexcept {
        return std::bit_cast<std::uintptr_t>(address) > last_near();
    }

    // Returns: the address of the same object if the address is after the first 4 MiB of a wide chunk; otherwise the
    // address itself.
    [[nodiscard]] static const void* head_of(const void* address) noexcept {
        return may_lead_to(address) ? here.look_up(address) : address;
    }

    // Effects: the thread has a session in the shared heap that has these; null if it has none any more.
    static void share(const wide_pieces* of_session) noexcept {
        here.of_session_ = of_session;
        here.set_last_near();
    }

    // Returns: the chunks of this thread, for others that mark for it.
    [[nodiscard]] static const wide_chunks& of_thread() noexcept { return here; }

    // Returns: head_of(address) for the thread of these chunks.
    [[nodiscard]] const void* head_in_thread(const void* address) const noexcept {
        return std::bit_cast<std::uintptr_t>(address) > last_near_ ? look_up(address) : address;
    }

    // Returns: the chunk, or the block, of the object that the address is in.
    [[nodiscard]] static traced_chunk& chunk_of(const void* address) noexcept {
        return *traced_chunk::at(head_of(address));
    }
    [[nodiscard]] static traced_block& block_of(const void* address) noexcept {
        return traced_chunk::block_of(head_of(address));
    }

private:
    friend wide_chunk_list;

    void link(wide_chunk_list& added) noexcept {
        added.next_ = first_;
        first_ = &added;
        set_last_near();
    }

    void unlink(wide_chunk_list& removed) noexcept {
        wide_chunk_list** place = &first_;
        while (*place != &removed) place = &(*place)->next_;
        *place = removed.next_;
        set_last_near();
    }

    [[nodiscard]] FREEHOLD_NOINLINE const void* look_up(const void* address) const noexcept {
        for (const wide_chunk_list* each = first_; each != nullptr; each = each->next_) {
            if (traced_chunk* const found = each->find(address)) return found->first_object();
        }
        if (of_session_ == nullptr || !of_session_->has_room()) return address;
        const auto has_it = [address](const traced_chunk& each) { return each.has_far(address); };
        traced_chunk* const found = of_session_->find(address, has_it);
        return found != nullptr ? found->first_object() : address;
    }

    // A session looks up all addresses, as another one may add a chunk at any time.
    void set_last_near() noexcept { last_near_ = of_session_ != nullptr ? 0 : last_near_of_lists(); }

    [[nodiscard]] std::uintptr_t last_near_of_lists() const noexcept {
        std::uintptr_t last = all;
        for (const wide_chunk_list* each = first_; each != nullptr; each = each->next_) {
            const auto lowest = std::bit_cast<std::uintptr_t>(*each->chunks_.begin());
            last = detail::smaller(last, lowest + traced_chunk::bytes - 1);
        }
        return last;
    }

    FREEHOLD_STATIC_TLS static thread_local constinit wide_chunks here;

    static constexpr std::uintptr_t all = (std::numeric_limits<std::uintptr_t>::max)();

    std::uintptr_t last_near_ = all;
    wide_chunk_list* first_ = nullptr;         // of the heaps that have wide chunks
    const wide_pieces* of_session_ = nullptr;  // of the shared heap in which the thread has a session
};

FREEHOLD_STATIC_TLS inline thread_local constinit wide_chunks wide_chunks::here{};

inline void wide_chunk_list::attach() noexcept {
    if (!chunks_.empty()) wide_chunks::here.link(*this);
}

inline void wide_chunk_list::detach() noexcept {
    if (!chunks_.empty()) wide_chunks::here.unlink(*this);
}

inline void wide_chunk_list::add(traced_chunk& added) noexcept {
    if (!is_shared) detach();
    chunks_.add(&added);
    traced_chunk** place = chunks_.end() - 1;
    for (; place != chunks_.begin() && is_before(&added, place[-1]); --place) *place = place[-1];
    *place = &added;
    if (!is_shared) attach();
}

inline void wide_chunk_list::remove(traced_chunk& removed) noexcept {
    if (!is_shared) detach();
    for (traced_chunk** each = last_before(&removed) + 1; each != chunks_.end(); ++each) each[-1] = *each;
    chunks_.truncate(chunks_.size() - 1);
    if (!is_shared) attach();
}

}  // namespace freehold::detail
