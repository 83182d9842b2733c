// Random programs on graphs of objects of all sizes, from 8 bytes to 64 MiB, against a model that knows what can be
// reached. What can be reached is whole at any time; after collections nothing else is alive.
//
// FREEHOLD_STRESS_PROGRAMS is the number of programs under each collector. Each test prints how many checks it did.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "families.hpp"
#include "support/contract.hpp"
#include "support/effort.hpp"
#include "support/tracked.hpp"

namespace contracts {

constexpr int none = -1;

std::uint64_t checks = 0;

bool something_returned = false;  // a finalizer of the running program has made an object owned again

void expect(bool holds, const char* what, int id) {
    ++checks;
    if (!holds) [[unlikely]]
        ADD_FAILURE() << what << ": object " << id;
}

// The smallest object, which tells what it is by its value alone.
struct small_object {
    std::uint64_t value;
};

// A part of an object, to which pointers may lead.
struct part {
    int id;
};

template <class Family>
struct node;

// The owners in the program: the model and the handles, which finalizers add to.
template <class Family>
std::vector<std::pair<int, typename Family::template owner<node<Family>>>>* owners = nullptr;

// An element whose constructor makes an object.
template <class Family>
struct grown {
    grown() = default;
    explicit grown(std::uint64_t value) : made(Family::template make<small_object>(value)) {}

    void trace(auto& visit) const { visit(made); }

    typename Family::template member<small_object> made = nullptr;
};

template <class Family>
struct node {
    using edge = typename Family::template member<node>;

    explicit node(int given) : id(given) {}
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    virtual ~node() { id = none - 1; }

    // Effects: fills the object's own bytes; says whether they are still what they were.
    virtual void write() = 0;
    [[nodiscard]] virtual bool is_whole() const = 0;
    [[nodiscard]] virtual part& last_part() = 0;

    void trace(auto& visit) const { visit(first, many, named, maybe, inner, self, growing); }

    // For the families that count: before the object is destroyed as a part of a cycle.
    void finalize() {
        if (!self) return;
        owners<Family>->emplace_back(id, self);
        self = nullptr;
        something_returned = true;
    }

    int id;
    support::tracked counted;
    edge first = nullptr;
    typename Family::template list<edge> many = {};
    typename Family::template table<edge> named = {};
    std::optional<edge> maybe = {};
    typename Family::template member<part> inner = nullptr;  // the part of an object is in `many` as well
    edge self = nullptr;                                     // of an object that comes back when it is finalized
    typename Family::template list<grown<Family>> growing = {};
};

// An object of about that many bytes.
template <class Family, std::size_t Bytes>
struct sized_node final : node<Family> {
    using node<Family>::node;

    void trace(auto& visit) const { node<Family>::trace(visit); }

    void write() override {
        for (std::size_t i = 0; i < Bytes; i += step) bytes[i] = pattern(i);
        bytes[Bytes - 1] = pattern(Bytes - 1);
        last.id = this->id;
    }

    [[nodiscard]] bool is_whole() const override {
        for (std::size_t i = 0; i < Bytes; i += step) {
            if (bytes[i] != pattern(i)) return false;
        }
        return bytes[Bytes - 1] == pattern(Bytes - 1) && last.id == this->id;
    }

    [[nodiscard]] part& last_part() override { return last; }

private:
    static constexpr std::size_t step = Bytes / 4 + 1;

    [[nodiscard]] unsigned char pattern(std::size_t i) const {
        return static_cast<unsigned char>(static_cast<std::size_t>(this->id) * 31 + i % 251);
    }

    unsigned char bytes[Bytes];
    part last;
};

using inside_family = traced_family<in_steps_inside, inside>;

}  // namespace contracts

template <class T>
inline constexpr bool freehold::points_directly<contracts::inline_list<T>> = true;
template <class T>
inline constexpr bool freehold::points_directly<contracts::inline_table<T>> = true;
template <std::size_t Bytes>
inline constexpr bool freehold::points_directly<contracts::sized_node<contracts::inside_family, Bytes>> = true;

namespace contracts {

template <class Family>
class program {
    using object = node<Family>;
    using owner = typename Family::template owner<object>;

public:
    explicit program(unsigned seed) : random_(seed) {
        owners<Family> = &owners_;
        something_returned = false;
    }

    program(const program&) = delete;
    program& operator=(const program&) = delete;

    ~program() {
        // A finalizer may bring objects back, which are owned again.
        do {
            owners_.clear();
            collect_all();
        } while (!owners_.empty());
        owners<Family> = nullptr;
    }

    void run(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
            step();
            check_some();
        }
        collect_all();
    }

private:
    int any(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

    void step() {
        const int choice = any(100);
        if (owners_.empty() || choice < 25) {
            make();
        } else if (choice < 55) {
            connect();
        } else if (choice < 65) {
            disconnect();
        } else if (choice < 72) {
            follow();
        } else if (choice < 80) {
            drop(static_cast<std::size_t>(any(static_cast<int>(owners_.size()))));
        } else if (choice < 84) {
            grow();
        } else if (choice < 88) {
            lock_some();
        } else if (choice < 90) {
            add_ephemeron();
        } else if (choice < 97) {
            Family::collect_some(static_cast<std::size_t>(any(40)));
        } else {
            collect_all();
        }
    }

    template <std::size_t Bytes>
    owner made(int id) {
        return Family::template make<sized_node<Family, Bytes>>(id);
    }

    // Small objects are the most.
    owner make_sized(int id) {
        const int size = any(1000);
        if (size < 600) return made<8>(id);
        if (size < 800) return made<200>(id);
        if (size < 900) return made<4000>(id);
        if (size < 960) return made<20'000>(id);
        if (size < 990) return made<100'000>(id);
        if (size < 999) return made<5'000'000>(id);
        return made<std::size_t{64} * 1024 * 1024>(id);
    }

    void make() {
        const int id = static_cast<int>(edges_.size());
        owner fresh = make_sized(id);
        fresh->write();
        edges_.emplace_back();
        weak_.emplace_back(fresh);
        if (any(10) == 0) let_return(fresh);
        if (owners_.size() > 5) drop(static_cast<std::size_t>(any(static_cast<int>(owners_.size()))));
        owners_.emplace_back(id, std::move(fresh));
    }

    // Effects: the object's finalizer, or finalize(), will make it owned again.
    void let_return(owner& of) {
        of->self = of;
        if constexpr (requires { Family::heap->add_finalizer(of, [](object&) {}); }) {
            Family::heap->add_finalizer(of, [](object& found) { found.finalize(); });
        }
    }

    std::pair<int, owner>& any_owner() {
        return owners_[static_cast<std::size_t>(any(static_cast<int>(owners_.size())))];
    }

    void connect() {
        auto& [from, source] = any_owner();
        auto& [to, target] = any_owner();
        switch (any(5)) {
            case 0: source->first = target; break;
            case 1: source->many.push_back(target); break;
            case 2: source->named[any(4)] = target; break;
            case 3: source->maybe.emplace(target); break;
            default: connect_inside(source, target); break;
        }
        update(from, source);
    }

    // Effects: the source points into the target.
    void connect_inside(owner& source, owner& target) {
        if constexpr (Family::has_interior_pointers) {
            source->inner = freehold::traced_view<part>(&target->last_part());
        } else {
            source->first = target;
        }
    }

    void disconnect() {
        auto& [from, source] = any_owner();
        if (!source->many.empty()) {
            source->many.erase(source->many.begin() + any(static_cast<int>(source->many.size())));
        } else {
            source->first = nullptr;
            source->named.clear();
            source->maybe.reset();
        }
        update(from, source);
    }

    void follow() {
        auto& [from, source] = any_owner();
        if (!source->first) return;
        owner next = source->first;
        const int id = next->id;
        source = std::move(next);
        from = id;
    }

    void drop(std::size_t place) {
        std::swap(owners_[place], owners_.back());
        owners_.pop_back();
    }

    void grow() {
        auto& [from, source] = any_owner();
        [[maybe_unused]] const typename Family::change changing;
        if (source->growing.size() > 20) source->growing.clear();
        const int count = any(5) + 1;
        for (int i = 0; i < count; ++i) source->growing.emplace_back(value_of(from));
    }

    [[nodiscard]] static std::uint64_t value_of(int id) {
        return 0x5eed'0000'0000'0000U + static_cast<std::uint64_t>(id);
    }

    // A weak pointer makes an owner of what is still there.
    void lock_some() {
        const int id = any(static_cast<int>(edges_.size()));
        owner locked = weak_[static_cast<std::size_t>(id)].lock();
        if (!locked) return;
        expect(locked->id == id, "a weak pointer leads to it", id);
        owners_.emplace_back(id, std::move(locked));
    }

    void add_ephemeron() {
        if constexpr (Family::has_ephemerons) {
            auto& [key, key_object] = any_owner();
            auto& [value, value_object] = any_owner();
            ephemerons_.push_back(
                {key, value, {freehold::traced_view<object>(key_object), freehold::traced_view<object>(value_object)}});
        }
    }

    // Effects: copies the edges of the object to the model.
    void update(int id, const owner& from) { edges_[static_cast<std::size_t>(id)] = edges_of(*from); }

    static std::vector<int> edges_of(const object& from) {
        std::vector<int> found;
        const auto note = [&found](const auto& edge) {
            if (edge) found.push_back(edge->id);
        };
        note(from.first);
        for (const auto& each : from.many) note(each);
        for (const auto& each : from.named) note(each.second);
        if (from.maybe) note(*from.maybe);
        note(from.inner);
        return found;
    }

    [[nodiscard]] std::set<int> reachable() const {
        std::set<int> found;
        std::vector<int> open;
        const auto reach = [&](int id) {
            if (found.insert(id).second) open.push_back(id);
        };
        for (const auto& [id, held] : owners_) reach(id);
        do {
            while (!open.empty()) {
                const int id = open.back();
                open.pop_back();
                for (const int next : edges_[static_cast<std::size_t>(id)]) reach(next);
            }
            for (const auto& each : ephemerons_) {
                if (each.is_live && found.contains(each.key)) reach(each.value);
            }
        } while (!open.empty());
        return found;
    }

    // Effects: checks the owners, and what is one step from there.
    void check_some() {
        for (const auto& [id, held] : owners_) {
            check(id, *held);
            each_next(*held, [this](const object& next) { check(next.id, next); });
        }
    }

    void check_all() {
        std::set<const object*> seen;
        std::vector<const object*> open;
        const auto reach = [&](const object& found) {
            if (seen.insert(&found).second) open.push_back(&found);
        };
        for (const auto& [id, held] : owners_) reach(*held);
        while (!open.empty()) {
            const object& next = *open.back();
            open.pop_back();
            check(next.id, next);
            each_next(next, reach);
        }
    }

    template <class Use>
    static void each_next(const object& from, Use use) {
        if (from.first) use(*from.first);
        for (const auto& each : from.many) use(*each);
        for (const auto& each : from.named) {
            if (each.second) use(*each.second);
        }
        if (from.maybe) use(**from.maybe);
    }

    void check(int id, const object& seen) {
        expect(seen.id == id, "it is alive", id);
        expect(seen.is_whole(), "its bytes are as they were", id);
        expect(edges_of(seen) == edges_[static_cast<std::size_t>(id)], "its edges are as they were", id);
        for (const auto& each : seen.growing)
            expect(each.made->value == value_of(id), "its small objects are alive", id);
    }

    // Effects: collects until finalizers have nothing more to bring back, and checks everything.
    void collect_all() {
        std::size_t before = 0;
        do {
            before = owners_.size();
            Family::collect();
        } while (owners_.size() != before && !testing::Test::HasFailure());
        Family::collect();  // what is finalized and not owned again
        const std::set<int> all = reachable();
        for (auto& each : ephemerons_) {
            if constexpr (Family::has_ephemerons) {
                each.is_live = each.is_live && all.contains(each.key);
                expect(each.handle.expired() == !each.is_live, "an ephemeron is there as long as its key", each.key);
            }
        }
        expect(support::tracked::alive() == static_cast<int>(all.size()), "nothing else is alive", none);
        check_all();
        for (std::size_t i = 0; i < weak_.size(); ++i) {
            // What a finalizer brings back has lost its weak pointers.
            const bool is_alive = all.contains(static_cast<int>(i));
            expect(weak_[i].expired() ? !is_alive || something_returned : is_alive, "its weak pointers lead to it",
                   static_cast<int>(i));
        }
    }

    struct no_handle {};

    template <bool Has, class T>
    struct choose_ephemeron {
        using type = no_handle;
    };
    template <class T>
    struct choose_ephemeron<true, T> {
        using type = freehold::ephemeron<T, T>;
    };

    struct known_ephemeron {
        int key;
        int value;
        typename choose_ephemeron<Family::has_ephemerons, object>::type handle;
        bool is_live = true;
    };

    std::mt19937 random_;
    typename Family::scope scope_;
    std::vector<std::pair<int, owner>> owners_;
    std::vector<std::vector<int>> edges_;  // of all objects that were ever made
    std::vector<typename Family::template weak<object>> weak_;
    std::vector<known_ephemeron> ephemerons_;
};

template <class Family>
class collected_graph : public support::tracked_test {};

}  // namespace contracts

template <>
struct support::implementations<contracts::collected_graph> {
    using types =
        testing::Types<contracts::traced_family<contracts::seldom>, contracts::traced_family<contracts::often>,
                       contracts::traced_family<contracts::in_steps>, contracts::inside_family,
                       contracts::traced_family<contracts::at_every_allocation>, contracts::cyclic_family,
                       contracts::shared_family>;
};

namespace contracts {
namespace {

CONTRACT(collected_graph, what_can_be_reached_is_whole_and_nothing_else_is_alive) {
    for (unsigned seed = 0; seed < support::programs(40) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("program " + std::to_string(seed));
        program<TypeParam>(seed).run(150);
    }
    testing::Test::RecordProperty("checks", std::to_string(checks));
    std::printf("%s: %llu checks\n", TypeParam::name, static_cast<unsigned long long>(checks));
}

}  // namespace
}  // namespace contracts
