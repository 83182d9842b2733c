#pragma once
// Where the objects of a random program live: under each collector, paced in different ways. A family provides:
//   member<T>                     a pointer in an object that keeps a T alive
//   owner<T>                      a handle anywhere that does
//   weak<T>                       a handle that does not
//   make<T>(arguments...)         an owner of a new object
//   collect_some(), collect()     may find garbage; finds all there is
//   scope                         must exist while the rest is used
//   change                        exists while a container in an object is changed by what makes objects
//   list<T>, table<T>             a std::vector and a std::map from int, or what is used like them
//   has_interior_pointers, has_ephemerons, name

#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>
#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>
#include <freehold/tracing/points_directly.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace contracts {

// The elements are in the list itself. What is added to a full one takes the place of another element.
template <class T>
class inline_list {
public:
    using value_type = T;
    using size_type = std::size_t;
    using iterator = T*;
    using const_iterator = const T*;

    [[nodiscard]] iterator begin() { return elements_.data(); }
    [[nodiscard]] iterator end() { return begin() + size_; }
    [[nodiscard]] const_iterator begin() const { return elements_.data(); }
    [[nodiscard]] const_iterator end() const { return begin() + size_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] static std::size_t max_size() { return 4; }
    [[nodiscard]] bool empty() const { return size_ == 0; }

    void push_back(const T& added) {
        if (size_ == max_size()) erase(begin());
        elements_[size_++] = added;
    }

    template <class Argument>
    void emplace_back(const Argument& argument) {
        push_back(T(argument));
    }

    // Effects: the last element moves to the place.
    void erase(iterator place) {
        *place = elements_[--size_];
        elements_[size_] = T();
    }

    void clear() {
        while (!empty()) erase(begin());
    }

private:
    std::array<T, 4> elements_ = {};
    std::size_t size_ = 0;
};

// A map from 0 to 3, used as a std::map is.
template <class T>
class inline_table {
public:
    using value_type = std::pair<int, T>;
    using size_type = std::size_t;
    using const_iterator = const value_type*;

    [[nodiscard]] const_iterator begin() const { return elements_.data(); }
    [[nodiscard]] const_iterator end() const { return begin() + size(); }
    [[nodiscard]] static std::size_t size() { return max_size(); }
    [[nodiscard]] static std::size_t max_size() { return 4; }
    T& operator[](int key) { return elements_[static_cast<std::size_t>(key)].second; }
    void clear() { elements_ = {}; }

private:
    std::array<value_type, 4> elements_ = {};
};

struct in_buffers {
    template <class T>
    using list = std::vector<T>;
    template <class T>
    using table = std::map<int, T>;
};

struct inside {
    template <class T>
    using list = inline_list<T>;
    template <class T>
    using table = inline_table<T>;
};

// Pacing: has `name` and options(). Storage: where the objects have their pointers.
template <class Pacing, class Storage = in_buffers>
struct traced_family : Storage {
    static constexpr const char* name = Pacing::name;
    static constexpr bool has_interior_pointers = true;
    static constexpr bool has_ephemerons = true;

    template <class T>
    using member = freehold::traced_ptr<T>;
    template <class T>
    using owner = freehold::traced_root<T>;
    template <class T>
    using weak = freehold::traced_weak_ptr<T>;

    template <class T, class... Arguments>
    static owner<T> make(Arguments&&... arguments) {
        return heap->make<T>(std::forward<Arguments>(arguments)...);
    }

    static void collect_some(std::size_t) { heap->collect_young(); }
    static void collect() { heap->collect(); }

    struct scope {
        scope() { heap = &its_heap; }
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;
        ~scope() { heap = nullptr; }

        freehold::traced_heap its_heap{Pacing::options()};
    };

    struct change {
        freehold::traced_heap::deferral deferred{*heap};
    };

    static inline freehold::traced_heap* heap = nullptr;
};

struct seldom {
    static constexpr const char* name = "traced";
    static freehold::traced_heap_options options() { return {}; }
};

struct often {
    static constexpr const char* name = "traced_often";
    static freehold::traced_heap_options options() {
        freehold::traced_heap_options chosen;
        chosen.nursery_bytes = chosen.max_nursery_bytes = 1;
        chosen.min_full_bytes = 1;
        return chosen;
    }
};

// Full collections begin often, and are done in steps of one object.
struct in_steps {
    static constexpr const char* name = "traced_in_steps";
    static freehold::traced_heap_options options() {
        freehold::traced_heap_options chosen = often::options();
        chosen.growth_factor = 1;
        chosen.pause_budget = 1;
        return chosen;
    }
};

struct in_steps_inside : in_steps {
    static constexpr const char* name = "traced_in_steps_inside";
};

struct at_every_allocation {
    static constexpr const char* name = "traced_at_every_allocation";
    static freehold::traced_heap_options options() {
        freehold::traced_heap_options chosen;
        chosen.collect_at_every_allocation = true;
        return chosen;
    }
};

struct cyclic_family : in_buffers {
    static constexpr const char* name = "cyclic";
    static constexpr bool has_interior_pointers = false;
    static constexpr bool has_ephemerons = false;

    template <class T>
    using member = freehold::cyclic_ptr<T>;
    template <class T>
    using owner = freehold::cyclic_ptr<T>;
    template <class T>
    using weak = freehold::cyclic_weak_ptr<T>;

    template <class T, class... Arguments>
    static owner<T> make(Arguments&&... arguments) {
        return freehold::make_cyclic<T>(std::forward<Arguments>(arguments)...);
    }

    static void collect_some(std::size_t budget) { freehold::cycle_collector::collect(budget); }
    static void collect() { freehold::cycle_collector::collect(); }

    struct scope {};
    struct change {};
};

struct shared_family : in_buffers {
    static constexpr const char* name = "concurrent_cyclic";
    static constexpr bool has_interior_pointers = false;
    static constexpr bool has_ephemerons = false;

    template <class T>
    using member = freehold::concurrent_cyclic_ptr<T>;
    template <class T>
    using owner = freehold::concurrent_cyclic_ptr<T>;
    template <class T>
    using weak = freehold::concurrent_cyclic_weak_ptr<T>;

    template <class T, class... Arguments>
    static owner<T> make(Arguments&&... arguments) {
        return heap->make<T>(std::forward<Arguments>(arguments)...);
    }

    static void collect_some(std::size_t) { heap->collect(); }
    static void collect() { heap->collect(); }

    struct scope {
        scope() { heap = &its_heap; }
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;
        ~scope() { heap = nullptr; }

        freehold::cyclic_heap its_heap;
        freehold::cyclic_heap::session session{its_heap};
    };
    struct change {};

    static inline freehold::cyclic_heap* heap = nullptr;
};

}  // namespace contracts
