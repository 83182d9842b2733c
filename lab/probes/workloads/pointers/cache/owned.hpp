#pragma once
// A cache whose entries own the next one, and the previous one where cycles are collected; otherwise they observe it.

#include <cstdint>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::cache {

template <class Strategy>
struct entry : Strategy::template base<entry<Strategy>> {
    using pointer = typename Strategy::template pointer<entry>;
    using observer = typename Strategy::template weak<entry>;

    int key;
    bool is_cached = true;
    pointer next;
    std::conditional_t<collects<Strategy>, pointer, observer> previous;

    explicit entry(int key) : key(key) {}

    void trace(auto& visit) const {
        visit(next);
        visit(previous);
    }
};

template <class Strategy>
class owned : public collecting<Strategy> {
public:
    using owner = typename entry<Strategy>::pointer;

    struct cached {
        std::unordered_map<int, owner> places;
        owner newest;
        owner oldest;
        std::vector<typename entry<Strategy>::observer> clients;
    };

    static std::uint64_t run(int entries) {
        owned form;
        return look_up(form, entries);
    }

    static owner make(int key) { return make_owner<Strategy, entry<Strategy>>(key); }

    static owner previous(const owner& of) {
        if constexpr (collects<Strategy>) {
            return of->previous;
        } else {
            return of->previous.lock();
        }
    }

    cached& state() { return state_; }

private:
    cached state_;
};

template <class Strategy>
    requires(has_weak<Strategy> && copies<Strategy, entry>)
using of = looked_up<owned<Strategy>>;

}  // namespace lab::cache
