#pragma once
// traced_map<Key, Value>: a map in the order of its keys, for objects of a traced heap. Its entries are in the heap,
// too.
//
//     struct scope { freehold::traced_map<std::string, freehold::traced_ptr<symbol>> names = {}; };
//     self->names["x"] = heap.make<symbol>();
//     for (const auto& [name, its] : self->names) use(name, *its);
//
// The entries are in one traced_vector, in order. It is std::flat_map but for what traced_vector.hpp says of vectors,
// and this: it has no sequence of its keys or values, and takes none; an iterator gives a pair of references, so a loop
// writes `auto [key, value]`; iterators are numbers of entries.
//
// Thread safety: that of its heap. Exceptions: what allocates throws std::bad_alloc. try_emplace and emplace have the
// strong guarantee, if a Key and a Value can be moved without an exception; Compare may throw.
// Complexity: a search is logarithmic, and so is adding a key that is greater than all others; adding another one, and
// erasing, move all entries after it: for some thousands of entries and more, a traced_unordered_map is faster.
// Cost: a word, and in the heap two words and the capacity.

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

#include "../core/config.hpp"
#include "../tracing/traces_concurrently.hpp"
#include "detail/element_moves.hpp"
#include "detail/map_entry.hpp"

namespace freehold::inline v0_2 {

namespace detail {

struct key_less {
    using is_transparent = void;
    [[nodiscard]] bool operator()(const auto& a, const auto& b) const { return a < b; }
};

}  // namespace detail

template <class Key, class Value, class Compare = detail::key_less>
class traced_map;

template <class Key, class Value, class Compare>
inline constexpr bool traces_concurrently<traced_map<Key, Value, Compare>> = true;

template <class Key, class Value, class Compare>
class traced_map : public detail::traced_entries<traced_map<Key, Value, Compare>, Key, Value> {
    using entries = detail::traced_entries<traced_map, Key, Value>;
    friend entries;

public:
    using key_compare = Compare;
    using typename entries::const_iterator;
    using typename entries::iterator;

    traced_map() = default;
    explicit traced_map(Compare compare) : compare_(std::move(compare)) {}
    traced_map(std::initializer_list<typename entries::value_type> values) {
        this->insert(values.begin(), values.end());
    }
    template <std::input_iterator Iterator>
    traced_map(Iterator first, Iterator last) {
        this->insert(first, last);
    }

    template <class Visitor>
    void trace(Visitor& visit) const {
        visit(this->entries_);
    }

    // Requires: both are in objects of one heap.
    void swap(traced_map& other) noexcept {
        this->entries_.swap(other.entries_);
        std::swap(compare_, other.compare_);
    }
    friend void swap(traced_map& a, traced_map& b) noexcept { a.swap(b); }

    void reserve(std::size_t count) { this->entries_.reserve(count); }
    void clear() noexcept { this->entries_.clear(); }

    // Returns: the position of the first entry whose key is not less than this one, or greater than this one.
    template <class Sought = Key>
    [[nodiscard]] iterator lower_bound(const Sought& key) {
        return {*this, first_not_less(key)};
    }
    template <class Sought = Key>
    [[nodiscard]] const_iterator lower_bound(const Sought& key) const {
        return {*this, first_not_less(key)};
    }
    template <class Sought = Key>
    [[nodiscard]] iterator upper_bound(const Sought& key) {
        return {*this, first_greater(key)};
    }
    template <class Sought = Key>
    [[nodiscard]] const_iterator upper_bound(const Sought& key) const {
        return {*this, first_greater(key)};
    }

    [[nodiscard]] Compare key_comp() const { return compare_; }

    [[nodiscard]] friend bool operator==(const traced_map& a, const traced_map& b) {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i != a.size(); ++i) {
            if (a.element(i) != b.element(i)) return false;
        }
        return true;
    }

private:
    // Returns: the number of entries, of the first `count`, for which `is_before` holds: from the first one on.
    template <class IsBefore>
    [[nodiscard]] std::size_t count_while(std::size_t count, IsBefore is_before) const {
        std::size_t first = 0;
        while (count != 0) {
            const std::size_t half = count / 2;
            if (is_before(this->entries_[first + half].key)) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return first;
    }

    template <class Sought>
    [[nodiscard]] std::size_t first_not_less(const Sought& key) const {
        return count_while(this->size(), [&](const Key& each) { return compare_(each, key); });
    }

    template <class Sought>
    [[nodiscard]] std::size_t first_greater(const Sought& key) const {
        return count_while(this->size(), [&](const Key& each) { return !compare_(key, each); });
    }

    template <class Sought>
    [[nodiscard]] std::size_t index_of(const Sought& key) const {
        const std::size_t i = first_not_less(key);
        return i != this->size() && !compare_(key, this->entries_[i].key) ? i : this->size();
    }

    template <class GivenKey, class... Arguments>
    std::pair<std::size_t, bool> add(GivenKey&& key, Arguments&&... arguments) {
        const std::size_t size = this->size();
        // Keys often come in their order.
        const bool is_last = size == 0 || compare_(this->entries_.back().key, key);
        const std::size_t i = is_last ? size : first_not_less(key);
        if (i != size && !compare_(key, this->entries_[i].key)) return {i, false};
        const bool grows = this->entries_.capacity() == size;
        static_cast<void>(this->entries_.emplace_back(std::in_place, std::forward<GivenKey>(key),
                                                      std::forward<Arguments>(arguments)...));
        if (grows) return place_last();
        detail::move_last_to(this->entries_, i);
        return {i, true};
    }

    // Effects: the last entry, for which the map has grown, comes to its place. Destructors and finalizers of the
    // collection before that may have changed the map: if one has added the key, this entry replaces that one.
    FREEHOLD_NOINLINE std::pair<std::size_t, bool> place_last() {
        detail::added_entry unless_placed(this->entries_);
        const std::size_t last = this->size() - 1;
        const Key& key = this->entries_[last].key;
        const std::size_t i = count_while(last, [&](const Key& each) { return compare_(each, key); });
        if (i != last && !compare_(key, this->entries_[i].key)) {
            this->entries_[i] = std::move(this->entries_[last]);
        } else {
            unless_placed.dismiss();
            detail::move_last_to(this->entries_, i);
        }
        return {i, true};
    }

    void remove(std::size_t i) { static_cast<void>(this->entries_.erase(this->entries_.begin() + i)); }

    [[no_unique_address]] Compare compare_ = {};
};

}  // namespace freehold
