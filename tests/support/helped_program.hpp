#pragma once
// helped_program: a random program on a heap whose helper marks beside it. Each node knows the numbers of the nodes
// that its pointers should lead to, so one that was freed and used again is found.
//
// The test opens the heap: see opened_heap.hpp.

#include <freehold/traced/traced_deque.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_vector.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <random>
#include <vector>

#include "opened_heap.hpp"

namespace support {

struct helped_node;

// What the helper leaves to the program.
struct left_alone {
    std::optional<freehold::traced_ptr<helped_node>> maybe = {};
};

inline constexpr int none = -1;

struct helped_node {
    int number = 0;
    std::array<int, 3> expected = {none, none, none};
    std::array<freehold::traced_ptr<helped_node>, 3> edges = {};
    freehold::traced_vector<int> numbers = {};
    freehold::traced_vector<freehold::traced_ptr<helped_node>> many = {};
    freehold::traced_deque<freehold::traced_ptr<helped_node>> queue = {};
    freehold::traced_ptr<left_alone> other = {};
    int expected_other = none;

    [[nodiscard]] bool is_intact() const {
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if ((edges[i] ? edges[i]->number : none) != expected[i]) return false;
        }
        for (std::size_t i = 0; i < many.size(); ++i) {
            if (many[i]->number != numbers[i]) return false;
        }
        for (const auto& each : queue) {
            if (each->number < 0) return false;
        }
        return !other || (*other->maybe)->number == expected_other;
    }
};

static_assert(freehold::detail::is_traced_concurrently<helped_node>());
static_assert(!freehold::detail::is_traced_concurrently<left_alone>());

// Returns: the options of a heap with a helper, whose cycles are short and often.
inline freehold::traced_heap_options helped(std::size_t budget = 64) {
    freehold::traced_heap_options options;
    options.helper = true;
    options.pause_budget = budget;
    options.nursery_bytes = options.max_nursery_bytes = 32 * 1024;
    options.min_full_bytes = 256 * 1024;
    return options;
}

class helped_program {
public:
    helped_program(unsigned seed, const freehold::traced_heap_options& options)
        : random_(seed), heap_(options), roots_(20) {
        for (auto& each : roots_) each = heap_.make<helped_node>(next_++);
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) step();
    }

    // Returns: whether all nodes that can be reached in some hundred steps are as the model says.
    [[nodiscard]] bool is_intact() {
        for (int i = 0; i < 2000; ++i) {
            if (!any(roots_[below(roots_.size())])->is_intact()) return false;
        }
        return true;
    }

    [[nodiscard]] freehold::traced_heap& heap() { return heap_; }

    [[nodiscard]] bool marks() { return collector_of(heap_).has_steps(); }

private:
    [[nodiscard]] std::size_t below(std::size_t count) { return random_() % count; }

    // Returns: a node at the end of a random way.
    [[nodiscard]] freehold::traced_local<helped_node> any(const freehold::traced_root<helped_node>& root) {
        freehold::traced_local<helped_node> at = root;
        for (std::size_t way = below(12); way != 0; --way) {
            const std::size_t choice = below(5);
            if (choice < 3 && at->edges[choice]) at = at->edges[choice];
            if (choice == 3 && !at->many.empty()) at = at->many[below(at->many.size())];
            if (choice == 4 && !at->queue.empty()) at = at->queue.front();
        }
        return at;
    }

    void step() {
        freehold::traced_root<helped_node>& root = roots_[below(roots_.size())];
        const freehold::traced_local<helped_node> from = any(root);
        const bool is_new = below(3) != 0;
        freehold::traced_local<helped_node> to = is_new ? heap_.make<helped_node>(next_++) : any(root);
        const std::size_t choice = below(10);
        if (choice < 5) {
            const std::size_t i = choice % 3;
            from->edges[i] = to;
            from->expected[i] = to->number;
        } else if (choice < 7) {
            from->many.push_back(to);
            from->numbers.push_back(to->number);
            if (from->many.size() > 20) {
                from->many.erase(from->many.begin() + 3, from->many.begin() + 13);
                from->numbers.erase(from->numbers.begin() + 3, from->numbers.begin() + 13);
            }
        } else if (choice == 7) {
            from->many.swap(to->many);
            from->numbers.swap(to->numbers);
        } else if (choice == 8) {
            from->queue.push_back(to);
            if (from->queue.size() > 5) from->queue.pop_front();
        } else {
            from->other = heap_.make<left_alone>();
            from->other->maybe.emplace(to);
            from->expected_other = to->number;
        }
        if (below(200) == 0) root = heap_.make<helped_node>(next_++);
    }

    std::mt19937 random_;
    freehold::traced_heap heap_;
    std::vector<freehold::traced_root<helped_node>> roots_;
    int next_ = 0;
};

}  // namespace support
