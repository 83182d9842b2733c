#pragma once
// Makes a heap_snapshot out of what a heap tells: types, objects each followed by the targets of its pointers, and
// roots.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../heap_snapshot.hpp"
#include "large_vectors.hpp"

namespace freehold::inline v0_2 {

inline std::string heap_snapshot::root::name() const {
    std::string text = std::string(kind) + " " + std::to_string(number);
    if (session != 0) text += " of session " + std::to_string(session);
    return text;
}

inline std::size_t heap_snapshot::at(const void* address) const noexcept {
    const auto after = std::ranges::upper_bound(by_address_, address, std::less<>(), &placed::address);
    if (after == by_address_.begin()) return nobody;
    const placed& found = *std::prev(after);
    const auto distance =
        static_cast<std::size_t>(static_cast<const std::byte*>(address) - static_cast<const std::byte*>(found.address));
    return distance < type_of(found.object).bytes ? found.object : nobody;
}

inline heap_snapshot::path heap_snapshot::path_to(std::size_t i) const {
    path found;
    if (!is_held(i)) return found;
    std::size_t at = i;
    for (; reached_[at].by == way::object; at = reached_[at].from) {
        found.owners.push_back(owner(reached_[at].from, reached_[at].place));
    }
    std::ranges::reverse(found.owners);
    found.begin = roots_[reached_[at].from];
    return found;
}

namespace detail {

class snapshot_builder {
public:
    explicit snapshot_builder(const char* heap) { made_.heap_ = heap; }

    // Returns: the index of the type. `key` is its description in the heap.
    [[nodiscard]] std::uint32_t type(const void* key, const char* name, std::size_t bytes) {
        const auto [found, is_new_key] = by_key_.try_emplace(key);
        if (!is_new_key) return found->second;
        const auto [named, is_new] = by_name_.try_emplace({name, bytes}, static_cast<std::uint32_t>(by_name_.size()));
        if (is_new) made_.types_.push_back({name, bytes});
        return found->second = named->second;
    }

    void object(const void* address, std::uint32_t type, std::size_t external_bytes) {
        made_.objects_.push_back({address, external_bytes, type});
        made_.first_edge_.back() = targets_.size();
        made_.first_edge_.push_back(targets_.size());
    }

    // Effects: the last object has that many owners. If fewer are found in objects, an owner outside is its root.
    void owned_by(long owners) { owners_.push_back(owners); }

    // Effects: a pointer in the last object leads to the address.
    void edge(const void* target) { targets_.push_back(target); }

    // Effects: a root of the kind, and of that session, leads to the address.
    void root(const char* kind, const void* target, std::size_t session = 0) {
        roots_.push_back({kind, target, session});
    }

    [[nodiscard]] heap_snapshot finish() {
        made_.first_edge_.back() = targets_.size();
        sort_addresses();
        resolve_edges();
        resolve_roots();
        add_owners_outside();
        reach();
        return std::move(made_);
    }

private:
    struct told_root {
        const char* kind;
        const void* target;
        std::size_t session;
    };

    void sort_addresses() {
        detail::reserve_large(made_.by_address_, made_.size());
        for (std::uint32_t i = 0; i < made_.size(); ++i) made_.by_address_.push_back({made_.objects_[i].address, i});
        std::ranges::sort(made_.by_address_, std::less<>(), &heap_snapshot::placed::address);
    }

    // Effects: the pointers lead to objects; those that lead elsewhere are dropped.
    void resolve_edges() {
        std::vector<std::size_t> first_target;  // of each object, in targets_
        detail::resize_large(first_target, made_.first_edge_.size());
        first_target.swap(made_.first_edge_);
        detail::reserve_large(made_.edges_, targets_.size());
        std::size_t begin = 0;
        for (std::size_t i = 0; i < made_.size(); ++i) {
            const std::size_t end = first_target[i + 1];
            for (std::size_t k = begin; k < end; ++k) {
                const std::size_t to = made_.at(targets_[k]);
                if (to != heap_snapshot::nobody) made_.edges_.push_back(static_cast<std::uint32_t>(to));
            }
            made_.first_edge_[i + 1] = made_.edges_.size();
            begin = end;
        }
    }

    void resolve_roots() {
        std::map<std::pair<std::size_t, std::string_view>, std::size_t> numbers;
        for (const auto& [kind, target, session] : roots_) {
            const std::size_t number = ++numbers[{session, kind}];
            const std::size_t object = made_.at(target);
            if (object != heap_snapshot::nobody) made_.roots_.push_back({kind, number, object, session});
        }
    }

    void add_owners_outside() {
        if (owners_.empty()) return;
        for (const std::uint32_t to : made_.edges_) --owners_[to];
        std::size_t number = 0;
        for (std::size_t i = 0; i < owners_.size(); ++i) {
            if (owners_[i] > 0) made_.roots_.push_back({"owner outside", ++number, i, 0});
        }
    }

    // Effects: finds how each object is reached, breadth first.
    void reach() {
        using way = heap_snapshot::way;
        made_.reached_.resize(made_.size());
        std::vector<std::uint32_t> waiting;
        waiting.reserve(made_.size());
        for (std::uint32_t i = 0; i < made_.roots_.size(); ++i) {
            const std::size_t to = made_.roots_[i].object;
            if (made_.is_held(to)) continue;
            made_.reached_[to] = {way::root, i, 0};
            waiting.push_back(static_cast<std::uint32_t>(to));
        }
        for (std::size_t next = 0; next < waiting.size(); ++next) {
            const std::uint32_t from = waiting[next];
            for (std::uint32_t k = 0; k < made_.degree(from); ++k) {
                const std::size_t to = made_.target(from, k);
                if (made_.is_held(to)) continue;
                made_.reached_[to] = {way::object, from, k};
                waiting.push_back(static_cast<std::uint32_t>(to));
            }
        }
    }

    heap_snapshot made_;
    // The indices of types. Arrays have a description for each size, and large ones their own.
    std::unordered_map<const void*, std::uint32_t> by_key_;
    std::map<std::pair<std::string_view, std::size_t>, std::uint32_t> by_name_;
    std::vector<const void*> targets_;
    std::vector<told_root> roots_;
    std::vector<long> owners_;  // of each object, or none
};

}  // namespace detail
}  // namespace freehold
