#pragma once
// stack: `x` threads each push a number and pop one, over and over. Of atomic owning pointers, it is the stack of
// Treiber, "Systems Programming: Coping with Parallelism", 1986. A node is not pushed again, and whoever compares the
// top with one keeps that one alive, so there is no ABA.

#include <cstdint>
#include <optional>

#include "../alive_objects.hpp"
#include "pointer_strategy.hpp"
#include "pushed_and_popped.hpp"

namespace lab::stack {

template <class Strategy, class Count = not_counted>
struct node : Strategy::template base<node<Strategy, Count>> {
    explicit node(std::uint64_t its_number) : number(its_number) {}

    std::uint64_t number;
    typename Strategy::template owner<node> next{};
    [[no_unique_address]] Count counted;
};

template <class Strategy, class Count = not_counted>
class linked {
    using node = stack::node<Strategy, Count>;

public:
    using with_counted_nodes = linked<Strategy, counted>;

    static constexpr long empty_nodes = 0;

    linked() = default;
    linked(const linked&) = delete;
    linked& operator=(const linked&) = delete;

    ~linked() {
        while (pop()) {
        }
    }

    void push(std::uint64_t number) {
        const auto added = Strategy::template own<node>(number);
        auto top = Strategy::load(top_);
        do {
            added->next = share(top);
        } while (!compare_exchange<Strategy>(top_, top, added));
    }

    std::optional<std::uint64_t> pop() {
        auto top = Strategy::load(top_);
        while (top && !compare_exchange<Strategy>(top_, top, (*top).next)) {
        }
        if (!top) return {};
        const std::uint64_t found = (*top).number;
        if constexpr (retires<Strategy, node>) Strategy::retire(top);
        return found;
    }

private:
    typename Strategy::template pointer<node> top_{};
};

template <class Strategy>
struct container {
    using type = linked<Strategy>;
};

// Some bring their own.
template <class Strategy>
    requires requires { typename Strategy::template stack<std::uint64_t>; }
struct container<Strategy> {
    using type = typename Strategy::template stack<std::uint64_t>;
};

template <class Strategy>
    requires(exchanges<Strategy> || requires { typename Strategy::template stack<std::uint64_t>; })
using of = pushed_and_popped::of<typename container<Strategy>::type>;

}  // namespace lab::stack
