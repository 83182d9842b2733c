#pragma once
// Cyclic: freehold::cyclic_ptr, one word that leads to an object with a plain count, whose cycles are collected.

#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_cast.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>
#include <freehold/cyclic/parent_ptr.hpp>
#include <utility>

#include "../../harness/collector_work.hpp"
#include "../pointers/freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::cyclic_ptr<T>;

    template <class T>
    using weak = freehold::cyclic_weak_ptr<T>;

    template <class T>
    using parent = freehold::parent_ptr<T>;

    template <class T>
    static pointer<T> owner(const parent<T>& link) {
        return link ? freehold::cyclic_from_this(link.get()) : pointer<T>();
    }

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_cyclic<T>(std::forward<Arguments>(arguments)...);
    }

    static collector_work collections() { return pauses.take(); }

private:
    static inline pause_log pauses;
    static inline const bool observed = [] {
        freehold::cycle_collector::on_collection(
            [](const freehold::cyclic_collection& done) { pauses.add(done.pause); });
        return true;
    }();
};

}  // namespace lab
