#pragma once
// containers: a vector and a list are filled with `x` new objects that hold a random number, and sorted by it.

#include <algorithm>
#include <cstdint>
#include <list>
#include <random>
#include <vector>

#include "harness/workload.hpp"
#include "pointer_strategy.hpp"

namespace lab::containers {

inline std::minstd_rand random_numbers;

template <class Strategy>
class element : public Strategy::template base<element<Strategy>> {
public:
    explicit element(int position) : value_(random_numbers()), position_(position) {}

    std::uint32_t value() const { return value_; }
    int position() const { return position_; }  // in the container before it is sorted
    void trace(auto&) const {}                  // holds no pointers

private:
    std::uint32_t value_;
    int position_;
};

template <class Strategy>
using handle = typename Strategy::template pointer<element<Strategy>>;

template <class Handle>
void sort(std::vector<Handle>& handles, auto before) {
    std::sort(handles.begin(), handles.end(), before);
}

template <class Handle>
void sort(std::list<Handle>& handles, auto before) {
    handles.sort(before);
}

template <class Handle>
void drop(std::vector<Handle>&, typename std::vector<Handle>::iterator place) {
    *place = Handle();
}

// Frees the node too, which lies among the objects.
template <class Handle>
void drop(std::list<Handle>& handles, typename std::list<Handle>::iterator place) {
    handles.erase(place);
}

// A container, and what is done to it.
template <class Container, class Strategy>
struct filled {
    static inline Container handles;

    static void fill(int size) {
        random_numbers.seed();
        for (int position = 0; position < size; ++position) {
            handles.push_back(make_owner<Strategy, element<Strategy>>(position));
        }
    }

    static void sort_by_value() {
        sort(handles, [](const auto& left, const auto& right) { return (*left).value() < (*right).value(); });
    }

    // Frees all memory in the order in which it was allocated, so that the next batch finds the heap as this one did:
    // after frees in random order a fill takes up to ten times as long, a sort half as long again.
    static void clear() {
        std::vector<typename Container::iterator> places(handles.size());
        for (auto place = handles.begin(); place != handles.end(); ++place) {
            places[(**place).position()] = place;
        }
        for (const auto place : places) {
            Strategy::release(*place);
            drop(handles, place);
        }
        handles = Container();
    }

    // A number that depends on every value and on their order, in a small container before and after it is sorted.
    static std::uint64_t checksum() {
        std::uint64_t digest = 0;
        const auto take_in = [&digest] {
            for (const auto& handle : handles) {
                digest = digest * 31 + (*handle).value();
            }
        };
        fill(1000);
        take_in();
        sort_by_value();
        take_in();
        clear();
        return digest;
    }
};

template <class Strategy>
using filled_vector = filled<std::vector<handle<Strategy>>, Strategy>;

template <class Strategy>
using filled_list = filled<std::list<handle<Strategy>>, Strategy>;

template <class Filled>
void fill(int size, long) {
    Filled::fill(size);
}

template <class Filled>
void sort(int, long) {
    Filled::sort_by_value();
}

template <class Strategy, class Vector = filled_vector<Strategy>, class List = filled_list<Strategy>>
inline constexpr series plot[] = {
    {.name = "vector fill", .work = fill<Vector>, .once = true, .finish = Vector::clear},
    {.name = "vector sort",
     .work = sort<Vector>,
     .once = true,
     .warm = true,
     .prepare = Vector::fill,
     .finish = Vector::clear},
    {.name = "list fill", .work = fill<List>, .once = true, .finish = List::clear},
    {.name = "list sort", .work = sort<List>, .once = true, .warm = true, .prepare = List::fill, .finish = List::clear},
};

template <class Strategy>
std::uint64_t checksum() {
    return filled_vector<Strategy>::checksum() * 31 + filled_list<Strategy>::checksum();
}

template <class Strategy>
    requires copies<Strategy, element>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::containers
