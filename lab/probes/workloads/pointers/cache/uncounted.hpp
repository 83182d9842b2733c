#pragma once
// A cache of raw pointers, where a collector finds what has left it, and clears the weak pointers.

#include <cstdint>
#include <functional>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memory_strategy.hpp"
#include "plot.hpp"

namespace lab::cache {

struct raw_entry {
    int key;
    bool is_cached = true;
    raw_entry* next = nullptr;
    raw_entry* previous = nullptr;
};

template <class Strategy>
class uncounted : public collecting<Strategy> {
    template <class T>
    using allocator = allocator_of<typename Strategy::arena, T>;
    using observer = typename Strategy::template weak<raw_entry>;
    using place = std::pair<const int, raw_entry*>;

public:
    using owner = raw_entry*;

    struct cached {
        std::unordered_map<int, owner, std::hash<int>, std::equal_to<int>, allocator<place>> places;
        owner newest = nullptr;
        owner oldest = nullptr;
        std::vector<observer, allocator<observer>> clients;
    };

    static std::uint64_t run(int entries) {
        uncounted form;
        return look_up(form, entries);
    }

    static void clear() { Strategy::give_back(); }

    owner make(int key) { return ::new (arena_.template allocator<raw_entry>().allocate(1)) raw_entry{key}; }
    static owner previous(owner of) { return of->previous; }
    cached& state() { return state_; }

private:
    typename Strategy::arena arena_;  // first: a collector starts with it
    cached state_;
};

template <class Strategy>
    requires requires { typename Strategy::template weak<int>; }
using of = looked_up<uncounted<Strategy>>;

}  // namespace lab::cache
