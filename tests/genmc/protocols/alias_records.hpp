#pragma once
// alias_records: the list of free records of core/record_table.hpp, as pointers/detail/alias_records.hpp uses it; the
// headers themselves.

#include "../program.hpp"

#include <freehold/pointers/detail/alias_records.hpp>

template <>
struct freehold::detail::process_of<threading> {
    struct type {
        static void* allocate(std::size_t) { return nullptr; }
        static void free(void*, std::size_t) {}
    };
};

struct records_change_hands : program {
    using records = freehold::detail::basic_alias_records<threading>;
    using record = freehold::detail::basic_alias_record<threading>;

    static constexpr int threads = 2;
    static constexpr std::size_t interruptions = 3;
    static constexpr std::size_t surprises = 2;

    records_change_hands() {
        record* const first = all.take();
        records::give_back(*all.take());
        records::give_back(*first);
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
        records::give_back(mine);
    }

    void finish() {
        const record* const first = all.take();
        expect(first != all.take());
    }

    records all;
    plain<int> contents[4];
};
