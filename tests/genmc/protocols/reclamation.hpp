#pragma once
// reclamation: hazard pointers and RCU, reclamation/detail/hazard_readers.hpp and rcu_readers.hpp, the headers
// themselves. A scan looks at the slots as theirs do, without their tables.

#include "../program.hpp"

#include <freehold/reclamation/detail/hazard_readers.hpp>
#include <freehold/reclamation/detail/rcu_readers.hpp>

struct few_records {
    static constexpr std::uint32_t records_in_group = 2;
    static constexpr bool is_first_group_in_place = true;

    static void* allocate(std::size_t) { return nullptr; }
    static void free(void*, std::size_t) {}
};

using hazard_readers = freehold::detail::hazard_readers<threading, few_records>;
using rcu_readers = freehold::detail::rcu_readers<threading, few_records>;

struct object : freehold::detail::retired_object {
    void use() const { expect(is_alive.get()); }
    void end() { is_alive.set(false); }

    plain<bool> is_alive = true;
};

// What is read is replaced, and destroyed if no reader is found.
template <class Readers>
struct replaced : program {
    static constexpr int threads = 2;
    static constexpr std::size_t interruptions = 4;
    static constexpr std::size_t surprises = 2;

    object* replace() { return source.exchange(&second, acq_rel); }

    object first;
    object second;
    atomic<object*> source = &first;
    Readers readers;
};

struct what_a_hazard_pointer_protects_is_replaced : replaced<hazard_readers> {
    void run(int thread) {
        if (thread == 0) return read();
        object* const old = replace();
        readers.begin_scan(1);
        if (!is_protected(old)) old->end();
    }

    void read() {
        auto& slot = *readers.all_slots.acquire();
        object* seen = source.load(relaxed);
        while (!readers.try_protect(slot, seen, seen, source)) {
        }
        seen->use();
        hazard_readers::protect(slot, nullptr);
        readers.all_slots.release(slot);
    }

    // As hazard_readers::scan::read.
    bool is_protected(const object* retired) {
        bool found = false;
        readers.all_slots.for_each([&](auto& each) { found |= each.value.load(acquire) == retired; });
        return found;
    }
};

struct what_a_region_reads_is_replaced : replaced<rcu_readers> {
    void run(int thread) {
        if (thread == 0) return read();
        object* const old = replace();
        readers.begin_scan(1);
        if (rcu_readers::grace_period(1).has_ended(readers, 8)) old->end();
    }

    void read() {
        auto& slot = *readers.all_slots.acquire();
        readers.open(slot);
        source.load(acquire)->use();
        readers.close(slot);
        readers.all_slots.release(slot);
    }
};

struct what_two_regions_read_is_replaced : what_a_region_reads_is_replaced {
    static constexpr std::size_t interruptions = 3;
    static constexpr std::size_t surprises = 2;

    void run(int thread) {
        if (thread == 1) return what_a_region_reads_is_replaced::run(thread);
        read();
        read();
    }
};

struct what_a_region_without_slot_reads_is_replaced : what_a_region_reads_is_replaced {
    void run(int thread) {
        if (thread == 1) return what_a_region_reads_is_replaced::run(thread);
        readers.open_without_slot();
        source.load(acquire)->use();
        readers.close_without_slot();
    }
};
