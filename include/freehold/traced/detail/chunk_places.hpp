#pragma once
// chunk_places: which addresses are those of a heap's chunks. A hash table that threads may read while one adds a
// chunk.
//
// A larger table is built aside and published. The one before is kept, as somebody may be reading it, until the next
// rebuild().

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/threading.hpp"

namespace freehold::inline v0_2::detail {

// A chunk is found by an address in each `piece_bytes` bytes for which it was added.
template <class Chunk, std::size_t piece_bytes, class Threading = process_threading>
class chunk_places {
public:
    chunk_places() = default;
    chunk_places(const chunk_places&) = delete;
    chunk_places& operator=(const chunk_places&) = delete;
    ~chunk_places() { delete owned_; }

    // Returns: whether there is room for any. relaxed: find() orders
    [[nodiscard]] bool has_room() const noexcept { return table_.load(std::memory_order_relaxed) != nullptr; }

    // Returns: the chunk that was added for an address of the same piece and that matches; null if there is none.
    // Requires: has_room().
    template <class Matches>
    [[nodiscard]] Chunk* find(const void* address, Matches matches) const noexcept {
        // acquire: pairs with the release in reserve()
        const table* const its = table_.load(std::memory_order_acquire);
        for (std::size_t i = its->place_of(address);; i = its->after(i)) {
            // acquire: pairs with the release in add()
            Chunk* const found = its->places[i].load(std::memory_order_acquire);
            if (found == nullptr || matches(*found)) return found;
        }
    }

    // For one thread at a time.

    // Effects: there is room for `count` pieces; add_all(add) adds those that there are again, by calls of add(address,
    // chunk). Throws: std::bad_alloc; then nothing has changed.
    template <class AddAll>
    void reserve(std::size_t count, AddAll add_all) {
        if (owned_ != nullptr && 2 * count <= owned_->size) return;
        auto* const larger = new table(std::bit_ceil(detail::larger(2 * count, least)));
        add_all([larger](const void* address, Chunk* added) { larger->add(address, added); });
        larger->older = std::exchange(owned_, larger);
        table_.store(owned_, std::memory_order_release);  // pairs with find()
    }

    // Requires: there is room.
    void add(const void* address, Chunk* added) noexcept { owned_->add(address, added); }

    // Effects: forgets all, and calls add_all as reserve does. Requires: no other thread is in find().
    template <class AddAll>
    void rebuild(AddAll add_all) noexcept {
        if (owned_ == nullptr) return;
        delete std::exchange(owned_->older, nullptr);
        for (std::size_t i = 0; i < owned_->size; ++i) {
            owned_->places[i].store(nullptr, std::memory_order_relaxed);  // nobody reads
        }
        add_all([this](const void* address, Chunk* added) { add(address, added); });
    }

private:
    static constexpr std::size_t least = 4;

    struct table {
        explicit table(std::size_t count) : size(count), places(new place[count]()) {}
        table(const table&) = delete;
        table& operator=(const table&) = delete;
        ~table() {
            delete[] places;
            delete older;
        }

        [[nodiscard]] std::size_t place_of(const void* address) const noexcept {
            return std::bit_cast<std::uintptr_t>(address) / piece_bytes & (size - 1);
        }
        [[nodiscard]] std::size_t after(std::size_t i) const noexcept { return (i + 1) & (size - 1); }

        void add(const void* address, Chunk* added) noexcept {
            std::size_t i = place_of(address);
            while (places[i].load(std::memory_order_relaxed) != nullptr) i = after(i);  // nobody else adds
            places[i].store(added, std::memory_order_release);                          // pairs with find()
        }

        using place = typename Threading::template atomic<Chunk*>;

        const std::size_t size;  // a power of two; at least half of the places are empty
        place* const places;
        table* older = nullptr;
    };

    typename Threading::template atomic<const table*> table_ = nullptr;  // is owned_
    table* owned_ = nullptr;
};

}  // namespace freehold::detail
