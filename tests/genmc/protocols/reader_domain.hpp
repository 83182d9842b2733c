#pragma once
// reader_domain: readers and writers of shared words, pointers/detail/reader_domain.hpp, the header itself.

#include "../program.hpp"

#include <freehold/pointers/detail/reader_domain.hpp>

// What it has of its process.
template <bool HasMemory>
struct reading_of {
    using record = freehold::detail::reader_record<threading, reading_of>;
    using ring = freehold::detail::deferred_releases<reading_of>;

    static constexpr std::size_t own_slots = 1;
    static constexpr std::size_t shared_slots = 1;
    static constexpr std::uint32_t records_in_group = 2;
    static constexpr bool is_first_group_in_place = HasMemory;

    static std::uint32_t now() { return 1000; }  // a fence is due
    static bool is_alone() { return false; }
    static void* allocate(std::size_t) { return nullptr; }
    static void free(void*, std::size_t) {}
    static record* own() { return mine; }
    static void set_own(record* its) { mine = its; }
    static bool at_thread_end() { return HasMemory; }

    static inline thread_local record* mine = nullptr;
};

// A word that names one of two objects.
template <bool HasMemory>
struct a_word_is_replaced : program {
    using reading = reading_of<HasMemory>;
    using domain = freehold::detail::reader_domain<threading, reading>;

    static constexpr int threads = 2;

    static constexpr std::uintptr_t name(std::size_t object) { return 16 * (object + 1); }

    a_word_is_replaced() { current = this; }

    void replace() { readers.defer({word.exchange(name(1), seq_cst), &release}); }

    void read_through(typename domain::slot& slot) {
        const std::uintptr_t seen = readers.protect(slot, word);
        expect(objects[seen / 16 - 1].get() == 0);
        domain::unprotect(slot);
    }

    static void release(std::uintptr_t released) noexcept { current->objects[released / 16 - 1].set(1); }

    static inline a_word_is_replaced* current;
    domain readers;
    atomic<std::uintptr_t> word = name(0);
    plain<int> objects[2];
};

// Without memory a reader takes a slot of all threads, and a writer releases at once what no slot protects.
struct a_word_is_replaced_without_memory : a_word_is_replaced<false> {
    void run(int thread) { thread == 0 ? read_through(readers.claim_shared()) : replace(); }
};

// A reader makes its record, and a writer looks into all records. What is deferred waits in a ring of pairs, which
// GenMC does not follow.
struct a_word_is_replaced_that_a_slot_protects : a_word_is_replaced<true> {
    void run(int thread) {
        if (thread == 0) {
            reading::set_own(nullptr);
            return read_through(*readers.own()->find_free());
        }
        const std::uintptr_t old = word.exchange(name(1), seq_cst);
        readers.barrier.heavy();
        if (!readers.is_protected(old)) release(old);
    }
};
