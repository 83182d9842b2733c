#pragma once
// queue: `x` threads each push a number and pop one, over and over. Of atomic owning pointers, it is the queue of
// Michael and Scott, "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms", PODC 1996.
// The first node is a dummy, whose number was popped. A link that leads to a node never leads to another one.

#include <cstdint>
#include <optional>
#include <utility>

#include "../alive_objects.hpp"
#include "pointer_strategy.hpp"
#include "pushed_and_popped.hpp"

namespace lab::queue {

template <class Strategy, class Count = not_counted>
struct node : Strategy::template base<node<Strategy, Count>> {
    explicit node(std::uint64_t its_number) : number(its_number) {}

    node(const node&) = delete;
    node& operator=(const node&) = delete;

    // A thread that is held up keeps all nodes behind the one that it reads. They go one after the other.
    ~node() {
        if constexpr (requires { Strategy::take(next); }) {
            auto rest = Strategy::take(next);
            while (rest && rest.use_count() == 1) {
                rest = Strategy::take(rest->next);
            }
        }
    }

    std::uint64_t number;
    typename Strategy::template pointer<node> next{};
    [[no_unique_address]] Count counted;
};

template <class Strategy, class Count = not_counted>
class linked {
    using node = queue::node<Strategy, Count>;
    using owner = typename Strategy::template owner<node>;

public:
    using with_counted_nodes = linked<Strategy, counted>;

    static constexpr long empty_nodes = 1;

    linked() : linked(Strategy::template own<node>(0)) {}
    linked(const linked&) = delete;
    linked& operator=(const linked&) = delete;

    ~linked() {
        while (pop()) {
        }
        if constexpr (retires<Strategy, node>) Strategy::retire(Strategy::load(first_));
    }

    void push(std::uint64_t number) {
        const owner added = Strategy::template own<node>(number);
        while (true) {
            auto last = Strategy::load(last_);
            auto& link = (*last).next;
            auto behind = Strategy::load(link);
            if (behind) {
                compare_exchange<Strategy>(last_, last, share(behind));  // another push has not come to that yet
            } else if (compare_exchange<Strategy>(link, behind, added)) {
                compare_exchange<Strategy>(last_, last, added);
                return;
            }
        }
    }

    std::optional<std::uint64_t> pop() {
        while (true) {
            auto first = Strategy::load(first_);
            const auto second = Strategy::load((*first).next);
            if (!second) return {};
            if constexpr (retires<Strategy, node>) {
                if (!is_safe(first, second)) continue;
            }
            if (compare_exchange<Strategy>(first_, first, share(second))) {
                const std::uint64_t found = (*second).number;
                if constexpr (retires<Strategy, node>) Strategy::retire(first);
                return found;
            }
        }
    }

private:
    explicit linked(const owner& dummy) : first_(dummy), last_(dummy) {}

    // Returns whether `second` was protected before it could be retired. Nothing then leads to `first` but first_, so
    // that it may be retired.
    bool is_safe(const auto& first, const auto& second) {
        if (first_.load() != share(first)) return false;
        auto last = Strategy::load(last_);
        if (share(last) == share(first)) compare_exchange<Strategy>(last_, last, share(second));
        return true;
    }

    typename Strategy::template pointer<node> first_;
    typename Strategy::template pointer<node> last_;
};

template <class Strategy>
struct container {
    using type = linked<Strategy>;
};

// Some bring their own.
template <class Strategy>
    requires requires { typename Strategy::template queue<std::uint64_t>; }
struct container<Strategy> {
    using type = typename Strategy::template queue<std::uint64_t>;
};

template <class Strategy>
    requires(exchanges<Strategy> || requires { typename Strategy::template queue<std::uint64_t>; })
using of = pushed_and_popped::of<typename container<Strategy>::type>;

}  // namespace lab::queue
