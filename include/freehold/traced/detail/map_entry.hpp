#pragma once
// A key and its value in a map of a traced heap, and what traced_map and traced_unordered_map have in common: the
// entries are in a traced_vector, and an iterator gives a pair of references, as that of std::flat_map does.

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "../../core/assert.hpp"
#include "../../core/exceptions.hpp"
#include "../../tracing/hidden_pointers.hpp"
#include "../../tracing/points_directly.hpp"
#include "../traced_vector.hpp"
#include "held_arguments.hpp"
#include "index_iterator.hpp"
#include "traced_buffer.hpp"
#include "traced_collector.hpp"

namespace freehold::inline v0_2 {

namespace detail {

template <class Key, class Value>
struct map_entry {
    template <class GivenKey, class... Arguments>
    map_entry(std::in_place_t, GivenKey&& its_key, Arguments&&... arguments)
        : key(std::forward<GivenKey>(its_key)), value(std::forward<Arguments>(arguments)...) {
        // A collector that finds no traced_ptr in an entry never asks its trace.
        static_assert(is_open<Key> && is_open<Value>);
    }

    void trace(auto& visit) const { visit(key, value); }

    Key key;
    Value value;
};

template <class Key, class Value>
struct own_types<map_entry<Key, Value>> {
    using types = type_list<Key, Value, map_entry<Key, Value>>;
};

}  // namespace detail

template <class Key, class Value>
inline constexpr bool points_directly<detail::map_entry<Key, Value>> =
    !detail::may_lead_outside<Key> && !detail::may_lead_outside<Value>;

namespace detail {

// The last one of the entries, which is removed unless it finds its place.
template <class Entries>
class added_entry {
public:
    explicit added_entry(Entries& entries) noexcept : entries_(&entries) {}
    added_entry(const added_entry&) = delete;
    added_entry& operator=(const added_entry&) = delete;
    ~added_entry() {
        if (entries_ != nullptr) entries_->pop_back();
    }

    void dismiss() noexcept { entries_ = nullptr; }

private:
    Entries* entries_;
};

// The base of a Map, which finds and adds entries: index_of(key) returns the index of the entry, or size(), and
// add(key, arguments...) the index of the entry with the key, and whether it is new.
template <class Map, class Key, class Value>
class traced_entries {
public:
    using key_type = Key;
    using mapped_type = Value;
    using value_type = std::pair<Key, Value>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = std::pair<const Key&, Value&>;
    using const_reference = std::pair<const Key&, const Value&>;
    using iterator = index_iterator<traced_entries>;
    using const_iterator = index_iterator<const traced_entries>;

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    [[nodiscard]] static constexpr std::size_t max_size() noexcept { return traced_vector<entry>::max_size(); }

    [[nodiscard]] iterator begin() noexcept { return {*this, 0}; }
    [[nodiscard]] iterator end() noexcept { return {*this, size()}; }
    [[nodiscard]] const_iterator begin() const noexcept { return {*this, 0}; }
    [[nodiscard]] const_iterator end() const noexcept { return {*this, size()}; }
    [[nodiscard]] const_iterator cbegin() const noexcept { return begin(); }
    [[nodiscard]] const_iterator cend() const noexcept { return end(); }

    // The keys to look for may be of any type that the functions of the map take.

    template <class Sought = Key>
    [[nodiscard]] iterator find(const Sought& key) {
        return {*this, map().index_of(key)};
    }
    template <class Sought = Key>
    [[nodiscard]] const_iterator find(const Sought& key) const {
        return {*this, map().index_of(key)};
    }

    template <class Sought = Key>
    [[nodiscard]] bool contains(const Sought& key) const {
        return map().index_of(key) != size();
    }
    template <class Sought = Key>
    [[nodiscard]] std::size_t count(const Sought& key) const {
        return contains(key) ? 1 : 0;
    }

    // Throws: std::out_of_range if there is no such key.
    template <class Sought = Key>
    [[nodiscard]] Value& at(const Sought& key) {
        const std::size_t i = map().index_of(key);
        if (i == size()) raise<std::out_of_range>("freehold: a map in a traced_heap has no such key");
        return entries_[i].value;
    }
    template <class Sought = Key>
    [[nodiscard]] const Value& at(const Sought& key) const {
        return const_cast<traced_entries*>(this)->at(key);
    }

    // Effects: adds a Value() unless the key is there.
    Value& operator[](const Key& key) { return entries_[map().add(key).first].value; }
    Value& operator[](Key&& key) { return entries_[map().add(std::move(key)).first].value; }

    // Effects: adds Value(arguments...) unless the key is there. Returns: the entry, and whether it was added.
    // Throws: std::bad_alloc, or what a constructor or a function of the map throws; then the entries are as they were.
    template <class... Arguments>
    std::pair<iterator, bool> try_emplace(const Key& key, Arguments&&... arguments) {
        return result(map().add(key, std::forward<Arguments>(arguments)...));
    }
    template <class... Arguments>
    std::pair<iterator, bool> try_emplace(Key&& key, Arguments&&... arguments) {
        return result(map().add(std::move(key), std::forward<Arguments>(arguments)...));
    }

    // As try_emplace: nothing is constructed if the key is there.
    template <class GivenKey, class GivenValue>
    std::pair<iterator, bool> emplace(GivenKey&& key, GivenValue&& value) {
        if constexpr (std::is_same_v<std::remove_cvref_t<GivenKey>, Key>) {
            return try_emplace(std::forward<GivenKey>(key), std::forward<GivenValue>(value));
        } else {
            return try_emplace(Key(std::forward<GivenKey>(key)), std::forward<GivenValue>(value));
        }
    }

    std::pair<iterator, bool> insert(const value_type& added) { return emplace(added.first, added.second); }
    std::pair<iterator, bool> insert(value_type&& added) {
        return emplace(std::move(added.first), std::move(added.second));
    }
    template <class First, class Second>
    std::pair<iterator, bool> insert(const std::pair<First, Second>& added) {
        return emplace(added.first, added.second);
    }
    template <class First, class Second>
    std::pair<iterator, bool> insert(std::pair<First, Second>&& added) {
        return emplace(std::forward<First>(added.first), std::forward<Second>(added.second));
    }

    // Effects: as insert, for each element of the range.
    template <std::input_iterator Iterator>
    void insert(Iterator first, Iterator last) {
        if (first == last) return;
        if constexpr (std::forward_iterator<Iterator>) {
            const held_range<Iterator> all{first, last};
            const auto held = hold(all);
            insert_each(first, last);
        } else {
            insert_each(first, last);
        }
    }

    void insert(std::initializer_list<value_type> values) { insert(values.begin(), values.end()); }

    // Effects: assigns the value if the key is there, or adds it. Returns: as try_emplace.
    template <class GivenKey, class GivenValue>
    std::pair<iterator, bool> insert_or_assign(GivenKey&& key, GivenValue&& value) {
        const std::pair<iterator, bool> found = emplace(std::forward<GivenKey>(key), std::forward<GivenValue>(value));
        // An entry that was there has taken nothing.
        if (!found.second) entries_[found.first.number()].value = std::forward<GivenValue>(value);
        return found;
    }

    // Effects: removes the entry. Returns: the position of the next one.
    iterator erase(const_iterator position) {
        FREEHOLD_EXPECTS(position.container() == this, "a position is not one of this container",
                         linear_buffer<entry>::name);
        map().remove(position.number());
        return {*this, position.number()};
    }

    // Effects: removes the entry of the key, if there is one. Returns: the number of removed entries.
    template <class Sought = Key>
        requires(!std::is_convertible_v<const Sought&, const_iterator>)
    std::size_t erase(const Sought& key) {
        const std::size_t i = map().index_of(key);
        if (i == size()) return 0;
        map().remove(i);
        return 1;
    }

    [[nodiscard]] reference element(std::size_t i) noexcept { return {entries_[i].key, entries_[i].value}; }
    [[nodiscard]] const_reference element(std::size_t i) const noexcept { return {entries_[i].key, entries_[i].value}; }

protected:
    using entry = map_entry<Key, Value>;

    // Requires: this is in an object of the heap.
    [[nodiscard]] traced_mutator& mutator() const noexcept {
        return traced_collector::mutator_for(this, linear_buffer<entry>::name);
    }

    // Keeps alive what the argument leads to. Requires: this is in an object of the heap.
    template <class Argument>
    [[nodiscard]] auto hold(const Argument& argument) {
        traced_mutator& here = mutator();
        return held_arguments<type_list<Argument>, typename own_types<entry>::types>(
            here.heap.space(), here.held_by_calls, this, argument);
    }

    traced_vector<entry> entries_ = {};

private:
    template <class Iterator>
    void insert_each(Iterator first, Iterator last) {
        for (; first != last; ++first) static_cast<void>(insert(*first));
    }

    [[nodiscard]] Map& map() noexcept { return static_cast<Map&>(*this); }
    [[nodiscard]] const Map& map() const noexcept { return static_cast<const Map&>(*this); }

    [[nodiscard]] std::pair<iterator, bool> result(const std::pair<std::size_t, bool>& added) noexcept {
        return {iterator(*this, added.first), added.second};
    }
};

}  // namespace detail
}  // namespace freehold
