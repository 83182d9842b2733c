#pragma once
// A sorted map of the shape of C++23's std::flat_map: keys and values lie apart, and an iterator returns a pair of
// references by value.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <utility>
#include <vector>

namespace support {

template <class Key, class Value>
class flat_map {
public:
    using key_type = Key;
    using mapped_type = Value;
    using value_type = std::pair<Key, Value>;
    using size_type = std::size_t;
    using const_reference = std::pair<const Key&, const Value&>;

    class const_iterator {
    public:
        const_iterator(const flat_map& map, size_type index) noexcept : map_(&map), index_(index) {}

        const_reference operator*() const { return {map_->keys_[index_], map_->values_[index_]}; }

        const_iterator& operator++() {
            ++index_;
            return *this;
        }

        bool operator==(const const_iterator&) const = default;

    private:
        const flat_map* map_;
        size_type index_;
    };

    const_iterator begin() const { return {*this, 0}; }
    const_iterator end() const { return {*this, size()}; }

    size_type size() const { return keys_.size(); }
    size_type max_size() const { return keys_.max_size(); }

    Value& operator[](const Key& key) {
        const auto place = std::lower_bound(keys_.begin(), keys_.end(), key);
        const auto index = place - keys_.begin();
        if (place != keys_.end() && *place == key) return values_[static_cast<size_type>(index)];
        keys_.insert(place, key);
        return *values_.emplace(values_.begin() + index);
    }

    const std::vector<Key>& keys() const { return keys_; }
    const std::vector<Value>& values() const { return values_; }

private:
    std::vector<Key> keys_;
    std::vector<Value> values_;
};

}  // namespace support
