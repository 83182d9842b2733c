#pragma once
// boost::lockfree::stack and queue: raw nodes, which stay in a free list of the container until it is destroyed.

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/stack.hpp>
#include <optional>

#include "boost_library.hpp"

namespace lab {

template <class Container>
class boost_container {
public:
    using value_type = typename Container::value_type;

    void push(value_type value) { container_.push(value); }

    std::optional<value_type> pop() {
        value_type found;
        return container_.pop(found) ? std::optional(found) : std::nullopt;
    }

private:
    Container container_{128};
};

struct strategy {
    static constexpr auto library = boost_library;

    template <class T>
    using stack = boost_container<boost::lockfree::stack<T>>;

    template <class T>
    using queue = boost_container<boost::lockfree::queue<T>>;
};

}  // namespace lab
