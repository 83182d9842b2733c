// Random programs on graphs of objects, against what can be reached: no object with an owner is destroyed, and after a
// collection nothing else is alive.

#include <gtest/gtest.h>
#include <freehold/cyclic/cycle_collector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>

#include "support/effort.hpp"

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::cyclic_weak_ptr;
using freehold::make_cyclic;

namespace {

// The objects of the running program by their numbers; an object that ends twice becomes negative.
std::vector<int> alive;

struct numbered {
    numbered(std::size_t given) : number(given) { ++alive[number]; }
    numbered(const numbered&) = delete;
    numbered& operator=(const numbered&) = delete;
    ~numbered() { --alive[number]; }

    void trace(auto&) const {}

    std::size_t number;
};

// An object without edges, which is in no cycle.
struct leaf {
    std::unique_ptr<numbered> identity;
};

struct node {
    explicit node(std::size_t number) : identity(number) {}
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    virtual ~node() = default;

    void trace(auto& visit) const { visit(first, others, leaves); }

    numbered identity;
    cyclic_ptr<node> first = nullptr;
    std::vector<cyclic_ptr<node>> others = {};
    std::vector<cyclic_ptr<leaf>> leaves = {};
};

// Where objects keep themselves in finalize().
std::vector<cyclic_ptr<node>> resurrected;

// Comes back once, if it owns itself.
struct phoenix final : node {
    using node::node;

    void trace(auto& visit) const { node::trace(visit); }

    void finalize() noexcept {
        if (first.get() == this) resurrected.push_back(first);
    }
};

// Shares a block, or has one of its own.
template <std::size_t Bytes>
struct wide final : node {
    using node::node;

    void trace(auto& visit) const { node::trace(visit); }

    char bytes[Bytes];
};

// What is true of an object, as far as the program knows.
struct known_object {
    bool is_node;
    std::vector<std::size_t> edges;
    cyclic_weak_ptr<node> weak;
};

class program {
public:
    // Steps of collections visit about `budget` objects.
    program(unsigned seed, std::size_t budget) : random_(seed), budget_(budget) {
        alive.clear();
        roots_.resize(4);
        root_numbers_.assign(4, none);
    }

    ~program() {
        for (int i = 0; i < 2; ++i) {  // what came back once does not come back again
            for (std::size_t root = 0; root < roots_.size(); ++root) drop(root);
            collect(SIZE_MAX);
        }
        for (std::size_t root = 0; root < roots_.size(); ++root) drop(root);
        collect(SIZE_MAX);
        check_exactly();
    }

    program(const program&) = delete;
    program& operator=(const program&) = delete;

    void step() {
        change();
        check_at_least();
        if (choose(2) == 0) {
            collect(budget_);
            check_at_least();
        }
        if (choose(20) == 0) {
            for (int i = 0; i < 300; ++i) collect(budget_);
            if (budget_ >= 3) check_exactly();  // that many steps are several searches
        }
        if (choose(10) == 0) {
            collect(SIZE_MAX);
            check_exactly();
        }
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    void collect(std::size_t budget) {
        cycle_collector::collect(budget);
        for (auto& owner : std::exchange(resurrected, {})) {
            renew_weak_pointers(owner);
            root_numbers_.push_back(owner->identity.number);
            roots_.push_back(std::move(owner));
        }
    }

    // Those to garbage have expired, also where a finalize() has rescued it.
    void renew_weak_pointers(const cyclic_ptr<node>& from) {
        std::vector<cyclic_ptr<node>> waiting = {from};
        std::vector<bool> done(objects_.size());
        while (!waiting.empty()) {
            const cyclic_ptr<node> next = std::move(waiting.back());
            waiting.pop_back();
            if (!next || done[next->identity.number]) continue;
            done[next->identity.number] = true;
            objects_[next->identity.number].weak = next;
            waiting.push_back(next->first);
            waiting.insert(waiting.end(), next->others.begin(), next->others.end());
        }
    }

    void drop(std::size_t root) {
        roots_[root].reset();
        root_numbers_[root] = none;
    }

    cyclic_ptr<node> make_node(std::size_t number) {
        switch (choose(40)) {
            case 0: return make_cyclic<wide<100>>(number);
            case 1: return make_cyclic<wide<40'000>>(number);
            case 2:
                return choose(50) == 0 ? cyclic_ptr<node>(make_cyclic<wide<std::size_t{1} << 26>>(number))
                                       : make_cyclic<wide<200'000>>(number);
            case 3:
            case 4: return make_cyclic<phoenix>(number);
            default: return make_cyclic<node>(number);
        }
    }

    std::size_t choose(std::size_t n) { return random_() % n; }

    std::size_t add(bool is_node) {
        alive.push_back(0);
        objects_.push_back({is_node, {}, {}});
        return objects_.size() - 1;
    }

    void change() {
        const std::size_t i = choose(roots_.size());
        const std::size_t j = choose(roots_.size());
        switch (choose(11)) {
            case 0:
            case 1: {  // a new object, which owns what the root did
                const std::size_t number = add(true);
                auto made = make_node(number);
                objects_[number].weak = made;
                if (choose(2) == 0 && roots_[i]) {
                    made->first = std::move(roots_[i]);
                    objects_[number].edges.push_back(root_numbers_[i]);
                }
                roots_[i] = std::move(made);
                root_numbers_[i] = number;
                break;
            }
            case 2:
                roots_[i] = roots_[j];
                root_numbers_[i] = root_numbers_[j];
                break;
            case 3: drop(i); break;
            case 4:
            case 5:
            case 6:
                if (roots_[i] && roots_[j]) add_edge(i, j);
                if (choose(2) == 0 && roots_[i] && roots_[j]) add_edge(j, i);  // a link to the parent
                break;
            case 7:
                if (roots_[i]) remove_edge(i);
                break;
            case 8:
                if (roots_[i]) follow(i);
                break;
            case 9:
                if (roots_[i]) add_leaf(i);
                break;
            case 10: lock_some(i); break;
        }
    }

    void add_edge(std::size_t from, std::size_t to) {
        node& source = *roots_[from];
        auto& edges = objects_[root_numbers_[from]].edges;
        if (!source.first) {
            source.first = roots_[to];
            edges.insert(edges.begin(), root_numbers_[to]);
        } else {
            source.others.push_back(roots_[to]);
            edges.push_back(root_numbers_[to]);
        }
    }

    void remove_edge(std::size_t from) {
        node& source = *roots_[from];
        auto& edges = objects_[root_numbers_[from]].edges;
        if (!source.others.empty()) {
            const auto place = static_cast<std::ptrdiff_t>(choose(source.others.size()));
            const std::size_t target = source.others[static_cast<std::size_t>(place)]->identity.number;
            source.others.erase(source.others.begin() + place);
            forget(edges, target);
        } else if (source.first) {
            const std::size_t target = source.first->identity.number;
            source.first.reset();
            forget(edges, target);
        }
    }

    static void forget(std::vector<std::size_t>& edges, std::size_t target) {
        edges.erase(std::find(edges.begin(), edges.end(), target));
    }

    void follow(std::size_t i) {
        const node& source = *roots_[i];
        const auto next = source.others.empty() ? source.first : source.others[choose(source.others.size())];
        roots_[i] = next;
        root_numbers_[i] = next ? next->identity.number : none;
    }

    void add_leaf(std::size_t i) {
        const std::size_t number = add(false);
        roots_[i]->leaves.push_back(make_cyclic<leaf>(std::make_unique<numbered>(number)));
        objects_[root_numbers_[i]].edges.push_back(number);
    }

    // A weak pointer makes an owner of what is still there, even where nobody else owns it.
    void lock_some(std::size_t i) {
        if (objects_.empty()) return;
        const std::size_t number = choose(objects_.size());
        auto locked = objects_[number].weak.lock();
        ASSERT_EQ(static_cast<bool>(locked), objects_[number].is_node && alive[number] == 1);
        if (!locked) return;
        ASSERT_EQ(locked->identity.number, number);
        roots_[i] = std::move(locked);
        root_numbers_[i] = number;
    }

    std::vector<bool> reachable() const {
        std::vector<bool> reached(objects_.size());
        std::vector<std::size_t> waiting;
        const auto reach = [&](std::size_t number) {
            if (number == none || reached[number]) return;
            reached[number] = true;
            waiting.push_back(number);
        };
        for (const std::size_t number : root_numbers_) reach(number);
        while (!waiting.empty()) {
            const std::size_t number = waiting.back();
            waiting.pop_back();
            for (const std::size_t target : objects_[number].edges) reach(target);
        }
        return reached;
    }

    void check_at_least() const {
        const std::vector<bool> reached = reachable();
        for (std::size_t i = 0; i < reached.size(); ++i) {
            ASSERT_TRUE(alive[i] == 1 || (alive[i] == 0 && !reached[i])) << "object " << i;
        }
    }

    void check_exactly() const {
        const std::vector<bool> reached = reachable();
        for (std::size_t i = 0; i < reached.size(); ++i) {
            ASSERT_EQ(alive[i], reached[i] ? 1 : 0) << "object " << i;
            ASSERT_EQ(objects_[i].weak.expired(), !(reached[i] && objects_[i].is_node)) << "object " << i;
        }
    }

    std::mt19937 random_;
    std::size_t budget_;
    std::vector<cyclic_ptr<node>> roots_;
    std::vector<std::size_t> root_numbers_;
    std::vector<known_object> objects_;
};

}  // namespace

TEST(cyclic_graphs, exactly_what_is_reachable_is_alive_after_a_collection) {
    for (unsigned seed = 0; seed < support::programs(500); ++seed) {
        SCOPED_TRACE("program " + std::to_string(seed));
        program random_program(seed, seed % 24);
        for (int step = 0; step < 80; ++step) {
            random_program.step();
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_EQ(cycle_collector::objects(), 0U);
}
