#pragma once
// traced_unordered_map<Key, Value>: a hash table for objects of a traced heap. Its entries are in the heap, too.
//
//     struct scope { freehold::traced_unordered_map<std::string, freehold::traced_ptr<symbol>> names = {}; };
//     self->names["x"] = heap.make<symbol>();
//     for (const auto& [name, its] : self->names) use(name, *its);
//
// The entries are in one traced_vector, next to each other; a table of their numbers finds them, by linear probing. It
// is std::unordered_map but for what traced_vector.hpp says of vectors, and this:
//   an added key may move all entries, so pointers and references to them become invalid. An erased one moves the last
//   entry to its place. Iterators are numbers of entries, in the order in which they were added until one is erased
//   an iterator gives a pair of references, so a loop writes `auto [key, value]`
//   there are no buckets, nodes, load factors to be set, or several equal keys
//   keys are compared with ==, unless Equal is given
// A key may be a traced_ptr: objects never move, so std::hash takes the address.
//
// Thread safety: that of its heap. Exceptions: what allocates throws std::bad_alloc, and adding a key beyond 2^31
// std::length_error. try_emplace and emplace have the strong guarantee, if a Key and a Value can be moved without an
// exception. Hash and Equal may throw. Complexity: constant on average, for adding amortized.
// Cost: two words, and in the heap for each entry its size, 11 to 21 bytes of the table, and the capacity.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <typeindex>  // declares std::hash, for the least
#include <utility>

#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "../tracing/traces_concurrently.hpp"
#include "detail/construction.hpp"
#include "detail/entry_table.hpp"
#include "detail/map_entry.hpp"

namespace freehold::inline v0_2 {

namespace detail {

struct key_equal {
    using is_transparent = void;
    [[nodiscard]] bool operator()(const auto& a, const auto& b) const { return a == b; }
};

}  // namespace detail

template <class Key, class Value, class Hash = std::hash<Key>, class Equal = detail::key_equal>
class traced_unordered_map;

template <class Key, class Value, class Hash, class Equal>
inline constexpr bool traces_concurrently<traced_unordered_map<Key, Value, Hash, Equal>> = true;

template <class Key, class Value, class Hash, class Equal>
class traced_unordered_map : public detail::traced_entries<traced_unordered_map<Key, Value, Hash, Equal>, Key, Value> {
    using entries = detail::traced_entries<traced_unordered_map, Key, Value>;
    friend entries;

public:
    using hasher = Hash;
    using key_equal = Equal;

    traced_unordered_map() = default;
    explicit traced_unordered_map(Hash hash, Equal equal = {}) : hash_(std::move(hash)), equal_(std::move(equal)) {}
    traced_unordered_map(std::initializer_list<typename entries::value_type> values) {
        this->insert(values.begin(), values.end());
    }
    template <std::input_iterator Iterator>
    traced_unordered_map(Iterator first, Iterator last) {
        this->insert(first, last);
    }

    traced_unordered_map(const traced_unordered_map& other) { *this = other; }
    traced_unordered_map(traced_unordered_map&&) = default;

    // Throws: std::bad_alloc; then nothing has changed. Or as the copies of entries and functions; then it is empty.
    traced_unordered_map& operator=(const traced_unordered_map& other) {
        if (this == &other) return *this;
        while (this->entries_.capacity() < other.size() || !table_.has_room(other.size())) {
            const auto held = this->hold(other);
            reserve(other.size());  // what a collection runs may change the other one
        }
        clear();
        hash_ = other.hash_;
        equal_ = other.equal_;
        this->entries_ = other.entries_;
        table_.add_all(other.table_);
        return *this;
    }

    traced_unordered_map& operator=(traced_unordered_map&&) = default;

    template <class Visitor>
    void trace(Visitor& visit) const {
        visit(this->entries_, table_);
    }

    // Requires: both are in objects of one heap.
    void swap(traced_unordered_map& other) noexcept {
        this->entries_.swap(other.entries_);
        table_.swap(other.table_);
        std::swap(hash_, other.hash_);
        std::swap(equal_, other.equal_);
    }
    friend void swap(traced_unordered_map& a, traced_unordered_map& b) noexcept { a.swap(b); }

    // Effects: `count` entries in all need no more memory.
    void reserve(std::size_t count) {
        this->entries_.reserve(count);
        table_.reserve(count, detail::type_list<>());
    }

    // Effects: removes all entries. The capacity stays.
    void clear() noexcept {
        this->entries_.clear();
        table_.clear();
    }

    [[nodiscard]] Hash hash_function() const { return hash_; }
    [[nodiscard]] Equal key_eq() const { return equal_; }

    // Returns: whether both have the same keys with equal values.
    [[nodiscard]] friend bool operator==(const traced_unordered_map& a, const traced_unordered_map& b) {
        if (a.size() != b.size()) return false;
        for (const auto& [key, value] : a) {
            const std::size_t i = b.index_of(key);
            if (i == b.size() || !(b.entries_[i].value == value)) return false;
        }
        return true;
    }

private:
    template <class Sought>
    [[nodiscard]] std::uint32_t hash_of(const Sought& key) const {
        return detail::entry_table::mix(static_cast<std::size_t>(hash_(key)));
    }

    template <class Sought>
    [[nodiscard]] std::size_t index_of(const Sought& key) const {
        return this->empty() ? 0 : index_of(key, hash_of(key));
    }

    template <class Sought>
    [[nodiscard]] std::size_t index_of(const Sought& key, std::uint32_t hash) const {
        return table_.find(hash, this->size(), [&](std::size_t i) { return equal_(this->entries_[i].key, key); });
    }

    template <class GivenKey, class... Arguments>
    std::pair<std::size_t, bool> add(GivenKey&& key, Arguments&&... arguments) {
        const std::uint32_t hash = hash_of(key);
        const std::size_t size = this->size();
        const std::size_t i = index_of(key, hash);
        if (i != size) return {i, false};
        const bool grows = this->entries_.capacity() == size || !table_.has_room(size + 1);
        table_.reserve(size + 1, typename detail::own_types<typename entries::entry>::types(), key, arguments...);
        static_cast<void>(this->entries_.emplace_back(std::in_place, std::forward<GivenKey>(key),
                                                      std::forward<Arguments>(arguments)...));
        if (grows) return enter_last();
        table_.add(hash, size);
        return {size, true};
    }

    // Effects: enters the last entry, for which the map has grown, into the table. Destructors and finalizers of the
    // collections before that may have changed the map: if one has added the key, this entry replaces that one.
    FREEHOLD_NOINLINE std::pair<std::size_t, bool> enter_last() {
        detail::added_entry unless_entered(this->entries_);
        const std::size_t last = this->size() - 1;
        const Key& key = this->entries_[last].key;
        const std::uint32_t hash = hash_of(key);
        const std::size_t i = index_of(key, hash);
        if (i <= last) {
            this->entries_[i] = std::move(this->entries_[last]);
            return {i, true};
        }
        if (!table_.has_room(last + 1)) {  // no collection comes while the table does not know the entry
            const detail::construction running(&this->mutator().constructing);
            table_.reserve(last + 1, detail::type_list<>());
        }
        unless_entered.dismiss();
        table_.add(hash, last);
        return {last, true};
    }

    void remove(std::size_t i) {
        const std::size_t last = this->size() - 1;
        const std::uint32_t hash = hash_of(this->entries_[i].key);
        if (i != last) {
            const std::uint32_t moved = hash_of(this->entries_[last].key);
            this->entries_[i] = std::move(this->entries_[last]);
            table_.remove(hash, i);
            table_.renumber(moved, last, i);
        } else {
            table_.remove(hash, i);
        }
        this->entries_.pop_back();
    }

    detail::entry_table table_;
    [[no_unique_address]] Hash hash_ = {};
    [[no_unique_address]] Equal equal_ = {};
};

}  // namespace freehold
