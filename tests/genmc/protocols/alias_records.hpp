#pragma once
// alias_records: the list of free records of pointers/detail/alias_records.hpp, the header itself. It has no parameter
// for its atomics: while it is read, std::atomic stands for the program's.

#include "../program.hpp"

#include <freehold/core/platform/pages.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

template <class T>
using atomic_of_program = atomic<T>;

namespace std {  // NOLINT(cert-dcl58-cpp)
using ::atomic_of_program;
}
#define atomic atomic_of_program
#include <freehold/pointers/detail/alias_records.hpp>
#undef atomic

struct records_change_hands : program {
    using record = freehold::detail::alias_record;

    static constexpr int threads = 2;
    static constexpr std::size_t interruptions = 3;
    static constexpr std::size_t surprises = 2;

    records_change_hands() {
        record* const first = all.take();
        freehold::detail::alias_records::give_back(*all.take());
        freehold::detail::alias_records::give_back(*first);
    }

    void run(int thread) {
        use(thread);
        // Once more: a head that came back must not be taken for the same.
        if (thread == 0) use(thread);
    }

    // Effects: takes a record, which is the caller's alone until it is given back.
    void use(int thread) {
        record& mine = *all.take();
        contents[mine.index].set(thread);
        expect(contents[mine.index].get() == thread);
        freehold::detail::alias_records::give_back(mine);
    }

    void finish() {
        const record* const first = all.take();
        expect(first != all.take());
    }

    freehold::detail::alias_records all;
    plain<int> contents[4];
};
