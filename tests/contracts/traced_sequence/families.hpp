#pragma once
// The sequences in a traced heap that pass one suite, each with elements of several types. A family has
//   sequence        the container
//   set(value, heap, number)    gives an element its number, which number(element) returns
//   alive(all)      how many tracked objects there are for elements with these numbers
//   name            its name in the suite

#include <gtest/gtest.h>
#include <freehold/traced/traced_deque.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "support/contract.hpp"
#include "support/tracked.hpp"

namespace contracts {

struct leaf {
    int number = 0;
    support::tracked counted = {};
};

using numbers = std::vector<int>;

inline int distinct(const numbers& all) {
    std::set<int> each(all.begin(), all.end());
    each.erase(0);
    return static_cast<int>(each.size());
}

struct pointers {
    using type = freehold::traced_ptr<leaf>;
    static void set(type& value, freehold::traced_heap& heap, int number) { value = heap.make<leaf>(number); }
    static int number(const type& value) { return value ? value->number : 0; }
    static int alive(const numbers& all) { return distinct(all); }
};

struct texts {
    struct type {
        std::string text = {};
        support::tracked counted = {};
    };
    static void set(type& value, freehold::traced_heap& /*heap*/, int number) {
        value.text = std::string(40, ' ') + std::to_string(number);
    }
    static int number(const type& value) { return value.text.empty() ? 0 : std::stoi(value.text); }
    static int alive(const numbers& all) { return static_cast<int>(all.size()); }
};

struct parts {
    struct type {
        freehold::traced_ptr<leaf> it = {};
        std::string text = {};
    };
    static void set(type& value, freehold::traced_heap& heap, int number) {
        value.it = heap.make<leaf>(number);
        value.text = std::string(40, ' ') + std::to_string(number);
    }
    static int number(const type& value) {
        const int of_leaf = pointers::number(value.it);
        EXPECT_EQ(of_leaf, value.text.empty() ? 0 : std::stoi(value.text));
        return of_leaf;
    }
    static int alive(const numbers& all) { return distinct(all); }
};

struct nested {
    using type = freehold::traced_vector<freehold::traced_ptr<leaf>>;
    static void set(type& value, freehold::traced_heap& heap, int number) {
        value.assign(2, heap.make_unrooted<leaf>(number));
    }
    static int number(const type& value) { return value.empty() ? 0 : value.at(1)->number; }
    static int alive(const numbers& all) { return distinct(all); }
};

struct aligned {
    struct alignas(64) type {
        freehold::traced_ptr<leaf> it = {};
    };
    static void set(type& value, freehold::traced_heap& heap, int number) { value.it = heap.make<leaf>(number); }
    static int number(const type& value) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&value) % alignof(type), 0U);
        return pointers::number(value.it);
    }
    static int alive(const numbers& all) { return distinct(all); }
};

template <template <class> class Sequence, class Element>
struct sequence_family : Element {
    using element = typename Element::type;
    using sequence = Sequence<element>;
};

struct vector_of_pointers : sequence_family<freehold::traced_vector, pointers> {
    static constexpr const char* name = "traced_vector_of_pointers";
};
struct vector_of_parts : sequence_family<freehold::traced_vector, parts> {
    static constexpr const char* name = "traced_vector_of_parts";
};
struct vector_of_vectors : sequence_family<freehold::traced_vector, nested> {
    static constexpr const char* name = "traced_vector_of_vectors";
};
struct deque_of_pointers : sequence_family<freehold::traced_deque, pointers> {
    static constexpr const char* name = "traced_deque_of_pointers";
};
struct deque_of_texts : sequence_family<freehold::traced_deque, texts> {
    static constexpr const char* name = "traced_deque_of_texts";
};
struct deque_of_aligned : sequence_family<freehold::traced_deque, aligned> {
    static constexpr const char* name = "traced_deque_of_aligned";
};

// A heap with two sequences and an element that is to be added.
template <class Family>
class traced_sequence : public support::tracked_test {
public:
    using sequence = typename Family::sequence;
    using element = typename Family::element;

    struct holder {
        sequence one = {};
        sequence other = {};
        element added = {};
    };

    // Effects: gives the element that is to be added the number. Returns: it.
    static element& set(freehold::traced_heap& heap, holder& its, int number) {
        Family::set(its.added, heap, number);
        return its.added;
    }

    // Effects: the sequence has elements with the numbers.
    static void fill(freehold::traced_heap& heap, holder& its, sequence& filled, const numbers& all) {
        filled.clear();
        for (const int each : all) filled.push_back(set(heap, its, each));
    }

    static numbers of(const sequence& all) {
        numbers found;
        found.reserve(all.size());
        for (const element& each : all) found.push_back(Family::number(each));
        return found;
    }
};

}  // namespace contracts

template <>
struct support::implementations<contracts::traced_sequence> {
    using types =
        testing::Types<contracts::vector_of_pointers, contracts::vector_of_parts, contracts::vector_of_vectors,
                       contracts::deque_of_pointers, contracts::deque_of_texts, contracts::deque_of_aligned>;
};
