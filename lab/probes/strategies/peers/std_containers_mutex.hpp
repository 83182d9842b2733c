#pragma once
// std::stack and std::queue, each beside a std::mutex: what a program uses without atomic pointers.

#include <mutex>
#include <optional>
#include <queue>
#include <stack>

#include "standard_library.hpp"

namespace lab {

template <class Container>
class locked_container {
public:
    using value_type = typename Container::value_type;

    void push(value_type value) {
        const std::lock_guard locked(mutex_);
        container_.push(value);
    }

    std::optional<value_type> pop() {
        const std::lock_guard locked(mutex_);
        if (container_.empty()) return {};
        const value_type found = next();
        container_.pop();
        return found;
    }

private:
    value_type next() const {
        if constexpr (requires { container_.top(); }) {
            return container_.top();
        } else {
            return container_.front();
        }
    }

    std::mutex mutex_;
    Container container_;
};

struct strategy {
    static constexpr auto library = standard_library;

    template <class T>
    using stack = locked_container<std::stack<T>>;

    template <class T>
    using queue = locked_container<std::queue<T>>;
};

}  // namespace lab
