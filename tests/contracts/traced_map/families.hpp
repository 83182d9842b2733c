#pragma once
// The maps in a traced heap that pass one suite. A family has
//   map<Key, Value>         the map
//   standard<Key, Value>    that of the standard which it is compared with
//   name                    its name in the suite

#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_map.hpp>
#include <freehold/traced/traced_unordered_map.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include <map>
#include <string>
#include <unordered_map>

#include "support/containers_in_heap.hpp"
#include "support/contract.hpp"
#include "support/tracked.hpp"

namespace contracts {

struct ordered {
    template <class Key, class Value>
    using map = freehold::traced_map<Key, Value>;
    template <class Key, class Value>
    using standard = std::map<Key, Value>;
    static constexpr const char* name = "traced_map";
};
struct unordered {
    template <class Key, class Value>
    using map = freehold::traced_unordered_map<Key, Value>;
    template <class Key, class Value>
    using standard = std::unordered_map<Key, Value>;
    static constexpr const char* name = "traced_unordered_map";
};

struct symbol {
    int number = 0;
    support::tracked counted = {};
};

using symbol_ptr = freehold::traced_ptr<symbol>;

template <class Family>
class traced_map_in_heap : public support::containers_in_heap {
public:
    using by_name = typename Family::template map<std::string, symbol_ptr>;
    using by_number = typename Family::template map<int, symbol_ptr>;
    using by_symbol = typename Family::template map<symbol_ptr, int>;

    struct holder {
        by_name names = {};
        by_number numbers = {};
        by_symbol symbols = {};
    };
};

}  // namespace contracts

template <>
struct support::implementations<contracts::traced_map_in_heap> {
    using types = testing::Types<contracts::ordered, contracts::unordered>;
};
