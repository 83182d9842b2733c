#pragma once
// The sequences in a traced heap that pass the suite of what they keep alive. A family has sequence<T> and a name.

#include <gtest/gtest.h>
#include <freehold/traced/traced_deque.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_vector.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include <string>

#include "support/containers_in_heap.hpp"
#include "support/contract.hpp"
#include "support/tracked.hpp"

namespace contracts {

struct vector_in_use {
    template <class T>
    using sequence = freehold::traced_vector<T>;
    static constexpr const char* name = "traced_vector";
};
struct deque_in_use {
    template <class T>
    using sequence = freehold::traced_deque<T>;
    static constexpr const char* name = "traced_deque";
};

struct item {
    int number = 0;
    support::tracked counted = {};
};

using link = freehold::traced_ptr<item>;

struct named_link {
    link to = {};
    std::string name = {};
};

template <class Family>
class traced_sequence_in_use : public support::containers_in_heap {
public:
    using links = typename Family::template sequence<link>;
    using named_links = typename Family::template sequence<named_link>;

    struct holder {
        links all = {};
        named_links named = {};
    };
};

}  // namespace contracts

template <>
struct support::implementations<contracts::traced_sequence_in_use> {
    using types = testing::Types<contracts::vector_in_use, contracts::deque_in_use>;
};
