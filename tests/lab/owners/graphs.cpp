// A random graph of shared objects: `graphs TRUTH FATE END SEED COUNT PERCENT`. See ground.hpp. PERCENT is the share of
// nodes with a weak pointer, and that of nodes with a raw pointer. The program knows what leaks from the numbers of the
// nodes, by a traversal of its own.

#include "graph_nodes.hpp"
#include "ground.hpp"

namespace graphs {

struct Node {
    int type;
    bool is_root = false;
    std::vector<int> owned, watched, mentioned;  // numbers, since addresses would be found
};

ground::Kept<std::vector<Owner>> root_vector;
ground::Kept<std::map<int, Owner>> root_map;
ground::Kept<std::vector<std::function<void*()>>> root_functions;
ground::Kept<std::array<Owner, 64>> root_array;
ground::Kept<std::vector<void*>> mentioned;

class Graph {
public:
    Graph(unsigned seed, int count, double share) : random_(seed), share_(share), nodes_(count), handles_(count) {
        for (int i = 0; i < count; ++i) make(i);
        for (int i = 0; i < count; ++i) connect(i);
        for (int i = 0; i < count; ++i) {
            if (chance(0.08)) hold(i);
            if (chance(0.02)) {
                mentioned.value.push_back(handles_[i].get());
                mentioned_.push_back(i);
            }
        }
    }

    // Effects: labels what stays when the handles of this object are gone.
    void label() {
        if (ground::fate == ground::Fate::held) {
            for (const Owner& each : handles_) ground::keep(each);
            for (Node& each : nodes_) each.is_root = true;
        }
        std::vector<bool> alive = find_alive();
        const std::vector<bool> held = reach(roots(), false, alive);
        if (ground::fate == ground::Fate::cut) {
            cut(held);
            alive = held;
        }
        std::vector<int> words = mentioned_;
        for (int i = 0; i < size(); ++i) {
            if (held[i]) words.push_back(i);
        }
        const std::vector<bool> reached = reach(words, true, alive);
        std::vector<bool> watched(nodes_.size());
        for (int i = 0; i < size(); ++i) {
            for (int each : nodes_[i].watched) watched[each] = watched[each] || alive[i];
        }
        for (int i = 0; i < size(); ++i) {
            if (held[i]) {
                ground::label(handles_[i], "held", name(i));
            } else if (alive[i]) {
                ground::label(handles_[i], reached[i] ? "leaked-raw" : "leaked", name(i));
            } else if (watched[i]) {
                ground::label(handles_[i], "expired", name(i));
            }
        }
    }

private:
    int size() const { return static_cast<int>(nodes_.size()); }
    bool chance(double probability) { return std::uniform_real_distribution<>()(random_) < probability; }
    int number(int end) { return std::uniform_int_distribution<>(0, end - 1)(random_); }

    // Most nodes know their neighbors alone, so that the graph has many components.
    int neighbor(int i) {
        if (chance(0.02)) return number(size());
        return std::clamp(i + number(12) - 6, 0, size() - 1);
    }

    template <class T>
    Owner made() {
        switch (number(4)) {
            case 0: return sp::shared_ptr<T>(new T);
            case 1: return sp::shared_ptr<T>(new T, [](T* each) { delete each; });
            case 2: return sp::allocate_shared<T>(std::allocator<T>());
            default: return sp::make_shared<T>();
        }
    }

    void make(int i) {
        nodes_[i].type = number(types);
        handles_[i] = visit(nodes_[i].type, nullptr, [&]<class T>(T*) { return made<T>(); });
    }

    void connect(int i) {
        visit(nodes_[i].type, handles_[i].get(), [&](auto* node) {
            for (int left = number(4); left > 0; --left) {
                nodes_[i].owned.push_back(neighbor(i));
                node->own(handles_[nodes_[i].owned.back()]);
            }
            if (chance(share_)) {
                nodes_[i].watched.push_back(neighbor(i));
                node->watch(handles_[nodes_[i].watched.back()]);
            }
            if (chance(share_)) {
                nodes_[i].mentioned.push_back(neighbor(i));
                node->mention(handles_[nodes_[i].mentioned.back()].get());
            }
        });
    }

    void hold(int i) {
        nodes_[i].is_root = true;
        switch (number(4)) {
            case 0: return root_vector.value.push_back(handles_[i]);
            case 1: root_map.value[i] = handles_[i]; return;
            case 2: return root_functions.value.push_back([owner = handles_[i]] { return owner.get(); });
            default:
                for (Owner& each : root_array.value) {
                    if (!each) return static_cast<void>(each = handles_[i]);
                }
                root_vector.value.push_back(handles_[i]);
        }
    }

    std::vector<int> roots() const {
        std::vector<int> found;
        for (int i = 0; i < size(); ++i) {
            if (nodes_[i].is_root) found.push_back(i);
        }
        return found;
    }

    // Returns: which nodes others lead to, by owners alone or by any word of what is alive.
    std::vector<bool> reach(std::vector<int> todo, bool by_any_word, const std::vector<bool>& alive) const {
        std::erase_if(todo, [&](int each) { return !alive[each]; });
        std::vector<bool> seen(nodes_.size());
        for (int each : todo) seen[each] = true;
        while (!todo.empty()) {
            const Node& node = nodes_[todo.back()];
            todo.pop_back();
            for (const auto* edges : {&node.owned, &node.watched, &node.mentioned}) {
                if (edges != &node.owned && !by_any_word) continue;
                for (int each : *edges) {
                    if (seen[each] || !alive[each]) continue;
                    seen[each] = true;
                    todo.push_back(each);
                }
            }
        }
        return seen;
    }

    // Returns: which nodes are not destroyed with the handles: those that have owners, after all others are gone.
    std::vector<bool> find_alive() const {
        std::vector<int> owners(nodes_.size());
        for (const Node& node : nodes_) {
            for (int each : node.owned) ++owners[each];
        }
        std::vector<bool> alive(nodes_.size(), true);
        std::vector<int> todo;
        for (int i = 0; i < size(); ++i) {
            if (owners[i] == 0 && !nodes_[i].is_root) todo.push_back(i);
        }
        while (!todo.empty()) {
            const int i = todo.back();
            todo.pop_back();
            alive[i] = false;
            for (int each : nodes_[i].owned) {
                if (--owners[each] == 0 && !nodes_[each].is_root) todo.push_back(each);
            }
        }
        return alive;
    }

    void cut(const std::vector<bool>& held) {
        for (int i = 0; i < size(); ++i) {
            if (held[i]) continue;
            visit(nodes_[i].type, handles_[i].get(), [](auto* node) { node->clear(); });
            nodes_[i].owned.clear();
            nodes_[i].watched.clear();
            nodes_[i].mentioned.clear();
        }
    }

    const char* name(int i) const {
        static constexpr const char* names[] = {"Listing", "Mapping", "Perhaps", "Chaining", "Calling", "Choosing"};
        return names[nodes_[i].type];
    }

    std::mt19937 random_;
    double share_;
    std::vector<Node> nodes_;
    std::vector<Owner> handles_;
    std::vector<int> mentioned_;
};

[[gnu::noinline]] void make(unsigned seed, int count, double share) {
    ground::make_history();
    Graph(seed, count, share).label();
}

}

int main(int argc, char** argv) {
    if (argc != 7) return 2;
    ground::choose_fate(argv[2]);
    graphs::make(static_cast<unsigned>(std::atoi(argv[4])), std::atoi(argv[5]), std::atoi(argv[6]) / 100.0);
    ground::scrub();
    ground::write_labels(argv[1]);
    ground::stand_by(argv[3]);
}
