#pragma once
// reader_domain: readers and writers of shared words, pointers/detail/reader_domain.hpp, the header itself.

#include "../program.hpp"

#include <freehold/pointers/detail/reader_domain.hpp>

struct reading {
    template <class T>
    using atomic = ::atomic<T>;
    using record = freehold::detail::reader_record<reading>;

    static constexpr std::size_t slots = 1;
    static constexpr std::size_t shared_slots = 1;

    static void light_fence() { fence(seq_cst); }
    static void heavy_fence() { fence(seq_cst); }
    static std::uint32_t now() { return 0; }
    static bool is_alone() { return false; }
    static void* allocate(std::size_t) { return nullptr; }
    static void free(void*, std::size_t) {}
    static record* own() { return nullptr; }
    static void set_own(record*) {}
    static bool at_thread_end() { return false; }
    static void pause() {}
};

// A word that names one of two objects. Without memory, a thread's readers share the slots of all, and a writer releases
// at once what no slot protects.
struct what_a_slot_protects_is_replaced : program {
    using domain = freehold::detail::reader_domain<reading>;

    static constexpr int threads = 2;

    static constexpr std::uintptr_t name(std::size_t object) { return 16 * (object + 1); }

    what_a_slot_protects_is_replaced() { current = this; }

    void run(int thread) {
        if (thread == 0) return read();
        readers.defer({word.exchange(name(1), seq_cst), &release});
    }

    void read() {
        auto& slot = readers.claim_shared();
        const std::uintptr_t seen = domain::protect(slot, word);
        expect(objects[seen / 16 - 1].get() == 0);
        domain::unprotect(slot);
    }

    static void release(std::uintptr_t released) noexcept { current->objects[released / 16 - 1].set(1); }

    static inline what_a_slot_protects_is_replaced* current;
    domain readers;
    atomic<std::uintptr_t> word = name(0);
    plain<int> objects[2];
};
