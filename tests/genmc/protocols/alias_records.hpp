#pragma once
// alias_records: the list of free records of pointers/detail/alias_records.hpp. Taken out of the header by hand, since
// that has no parameter for its atomics: take() and give_back() for records that are all linked.

#include "../program.hpp"

#include <cstdint>

struct records_change_hands : program {
    static constexpr int threads = 2;
    static constexpr std::size_t interruptions = 3;
    static constexpr std::size_t surprises = 2;

    struct record {
        plain<int> object;
        std::uint32_t index = 0;
        atomic<std::uint32_t> next_free = 0;
    };

    static std::uint64_t changed(std::uint64_t head, std::uint32_t first_plus_1) {
        return ((head >> 32) + 1) << 32 | first_plus_1;
    }

    record* take() {
        std::uint64_t head = free.load(acquire);
        while (true) {
            const auto first = static_cast<std::uint32_t>(head);
            if (first == 0) return nullptr;
            record& taken = all[first - 1];
            const std::uint32_t next = taken.next_free.load(relaxed);
            if (free.compare_exchange_weak(head, changed(head, next), acquire, acquire)) return &taken;
        }
    }

    void give_back(record& freed) {
        std::uint64_t head = free.load(relaxed);
        do {
            freed.next_free.store(static_cast<std::uint32_t>(head), relaxed);
        } while (!free.compare_exchange_weak(head, changed(head, freed.index + 1), release, relaxed));
    }

    records_change_hands() {
        all[1].index = 1;
        give_back(all[1]);
        give_back(all[0]);
    }

    void run(int thread) {
        record* const mine = take();
        if (mine == nullptr) return;
        mine->object.set(thread);
        expect(mine->object.get() == thread);
        give_back(*mine);
        if (thread == 1) return;
        // Once more: a head that came back must not be taken for the same.
        record* const again = take();
        if (again == nullptr) return;
        again->object.set(thread);
        give_back(*again);
    }

    void finish() {
        int found = 0;
        while (take() != nullptr) ++found;
        expect(found == 2);
    }

    atomic<std::uint64_t> free = 0;
    record all[2];
};
