#pragma once
// reader_domain: the threads that read and replace shared words.
//
// A shared word counts one owner of what it names. A reader protects the word in a slot (a hazard pointer), looks
// whether it is still the same, and may then use what it names, or count an owner of its own. A writer that has
// replaced the word defers the release of the old owner until no slot protects the word.
//
// The reader stores its slot and then loads the word; the writer replaces the word and then loads the slots. Each must
// see the other's store unless the other sees its own. The reader pays nothing for that but order in the compiler: the
// writer's heavy fence (membarrier) orders all threads of the process, and one serves thousands of releases.
//
// Thread safety: all functions may be called by any thread. Exceptions: none; without memory for a thread's record its
// readers share a few slots. Complexity: defer() examines two entries; a fence reads the slots of all threads.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "deferred_releases.hpp"
#include "reader_record.hpp"

namespace freehold::detail {

// Platform provides, as static members (process_readers.hpp has those of a process):
//   atomic<T>               std::atomic, or that of a test
//   slots, shared_slots     their numbers, for each thread and for all together
//   fence                   asymmetric_fence, or that of a test
//   now()                   milliseconds
//   is_alone()              whether the process has one thread
//   allocate(bytes), free(memory, bytes)   zeroed memory, or null
//   own(), set_own(record)  the calling thread's record, or null
//   at_thread_end()         arranges for leave() to be called at the thread's end. Returns: false if it may not be
//   pause()                 lets another thread run
template <class Platform>
class reader_domain {
public:
    using record = reader_record<Platform>;
    using slot = typename record::slot;

    constexpr reader_domain() noexcept = default;
    reader_domain(const reader_domain&) = delete;
    reader_domain& operator=(const reader_domain&) = delete;

    // Returns: the calling thread's record, or null if the thread has ended or there is no memory.
    [[nodiscard]] record* own() noexcept {
        record* const mine = Platform::own();
        return mine != nullptr ? mine : enter();
    }

    // Returns: the word, which `place` protects from now on. order() is a light fence.
    template <class Word, class Order>
    [[nodiscard, gnu::always_inline]] static std::uintptr_t protect(slot& place, const Word& word,
                                                                    Order order) noexcept {
        // relaxed: the second load decides
        std::uintptr_t seen = word.load(std::memory_order_relaxed);
        while (true) {
            // release: who reads this word knows that the slot's last reader is done, as if it read unprotect(). The
            // fence puts the store before the load.
            place.store(seen, std::memory_order_release);
            order();  // pairs with heavy() in fence() and release_now()
            // acquire: pairs with the release by which the word was stored. seq_cst: a load is in the one order of all
            // operations of atomic pointers.
            const std::uintptr_t again = word.load(std::memory_order_seq_cst);
            if (again == seen) [[likely]]
                return seen;
            seen = again;
        }
    }

    template <class Word>
    [[nodiscard]] std::uintptr_t protect(slot& place, const Word& word) const noexcept {
        return protect(place, word, [this] { barrier.light(); });
    }

    static void unprotect(slot& place) noexcept {
        // release: pairs with is_protected(): what is released afterwards was read before
        place.store(record::free, std::memory_order_release);
    }

    // Returns: a slot that all threads share, claimed for the caller. Makes further slots if all are claimed, so that
    // no thread waits for another one; it waits if there is no memory for them.
    [[nodiscard, gnu::noinline]] slot& claim_shared() noexcept {
        while (true) {
            if (slot* const claimed = claim(shared_)) return *claimed;
            // acquire: pairs with the release in make()
            for (record* each = records_.load(std::memory_order_acquire); each != nullptr; each = each->next) {
                // relaxed: a record of this kind stays one
                if (each->use.load(std::memory_order_relaxed) != record::shared) continue;
                if (slot* const claimed = claim(each->slots)) return *claimed;
            }
            if (make(record::shared) == nullptr) Platform::pause();
        }
    }

    // Returns: whether a slot has the word. Requires: a fence since the word was replaced, or all reads of its place
    // happened before.
    [[nodiscard]] bool is_protected(std::uintptr_t word) const noexcept {
        bool found = false;
        for_each_slot([word, &found](std::uintptr_t each) { found |= each == word; });
        return found;
    }

    // Effects: calls release(word) when no slot protects the word any more: now, or in a later defer(), flush() or
    // leave(). Requires: the caller has taken this reference out of all shared words.
    void defer(deferred_release added) noexcept {
        record* const mine = own();
        if (Platform::is_alone() && (mine == nullptr || mine->deferred.is_empty()) && !is_protected(added.word))
            return added.release(added.word);
        if (mine != nullptr) [[likely]] {
            defer(*mine, added);
        } else {
            defer_at_end(added);
        }
    }

    // Effects: as defer(), for a thread whose own() is in another domain.
    [[gnu::cold, gnu::noinline]] void defer_as_guest(deferred_release added) noexcept {
        record* const guest = take_any();
        if (guest == nullptr) return release_now(added);
        defer(*guest, added);
        give_back(*guest);
    }

    // Effects: releases what the calling thread and ended threads have deferred and no slot protects.
    void flush() noexcept {
        if (record* const mine = own()) flush(*mine);
    }

    // Effects: as flush(); then another thread may take the calling thread's record. To be called at the thread's end.
    void leave() noexcept {
        if (record* const mine = Platform::own()) {
            flush(*mine);
            Platform::set_own(nullptr);
            give_back(*mine);
        }
    }

    // Effects: in a child of fork, frees the shared slots. What other threads had in their own slots stays protected: a
    // snapshot may have been any thread's. Requires: there is one thread, and it has claimed no slot.
    void restart_in_child() noexcept {
        for (slot& each : shared_) unprotect(each);
        // relaxed: there is one thread
        for (record* each = records_.load(std::memory_order_relaxed); each != nullptr; each = each->next) {
            if (each->use.load(std::memory_order_relaxed) != record::shared) continue;
            for (slot& one : each->slots) unprotect(one);
        }
    }

    // Between the slots and the words. All modules that use the domain have the same: if the kernel begins to refuse
    // membarrier, whoever notices tells all readers.
    alignas(64) typename Platform::fence barrier;

private:
    static constexpr std::size_t most_between_fences = std::size_t{1} << 14;
    static constexpr std::size_t first_ring = 2 * most_between_fences;
    static constexpr std::size_t at_once = 64;  // as many releases need not be spread
    // A fence takes 10 to 14 microseconds. A thread that stores 200'000 times a second, or more often, pays for one in
    // fewer than one store of 10'000.
    static constexpr std::uint32_t milliseconds_between_fences = 50;

    void defer(record& mine, deferred_release added) noexcept {
        if (mine.deferred.is_full() && !has_room(mine)) return release_now(added);
        mine.deferred.push(added);
        if (mine.is_releasing) return;  // in a destructor that examine() called
        mine.is_releasing = true;
        if (mine.deferred.unexamined() == 0 && is_fence_due(mine)) fence(mine);
        std::size_t count = mine.deferred.unexamined();
        if (count > at_once) count = 2;
        for (; count > 0; --count) examine(mine);
        mine.is_releasing = false;
    }

    // Effects: as defer(), for a thread that is ending. It may be the last one: nothing waits for a later store.
    [[gnu::cold, gnu::noinline]] void defer_at_end(deferred_release added) noexcept {
        record* const guest = take_any();
        if (guest == nullptr) return release_now(added);
        defer(*guest, added);
        flush(*guest);
        give_back(*guest);
    }

    void flush(record& mine) noexcept {
        if (mine.is_releasing) return;
        mine.is_releasing = true;
        // What is released may defer more. Each round but the last releases something.
        std::size_t kept = 0;
        do {
            kept = 0;
            fence(mine);
            const std::size_t before = mine.deferred.size();
            while (mine.deferred.unexamined() > 0) kept += examine(mine);
            if (kept == before) break;
        } while (mine.deferred.size() > kept);
        mine.is_releasing = false;
    }

    static void give_back(record& used) noexcept {
        // release: pairs with the acquire in try_take()
        used.use.store(used.deferred.is_empty() ? record::idle : record::abandoned, std::memory_order_release);
    }

    // Returns: one of the slots, which was free; null if none was.
    template <class Slots>
    [[nodiscard]] static slot* claim(Slots& slots) noexcept {
        for (slot& each : slots) {
            std::uintptr_t none = record::free;
            // acquire: pairs with unprotect(), for what the caller stores next
            if (each.compare_exchange_strong(none, record::nothing, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
                return &each;
            }
        }
        return nullptr;
    }

    // Effects: gives the calling thread a record. Returns: it, or null if the thread is ending or there is no memory.
    [[nodiscard, gnu::cold, gnu::noinline]] record* enter() noexcept {
        if (!Platform::at_thread_end()) return nullptr;
        record* const mine = take_any();
        Platform::set_own(mine);
        return mine;
    }

    // Returns: a record that was of no thread, or null if there is no memory.
    [[nodiscard]] record* take_any() noexcept {
        record* const used = take_free();
        return used != nullptr ? used : make(record::taken);
    }

    [[nodiscard]] record* take_free() noexcept {
        // acquire: pairs with the release in make()
        for (record* each = records_.load(std::memory_order_acquire); each != nullptr; each = each->next) {
            if (try_take(*each)) return each;
        }
        return nullptr;
    }

    [[nodiscard]] static bool try_take(record& other) noexcept {
        // acquire: pairs with the release in leave(). relaxed: without it nothing is done
        std::uint32_t seen = other.use.load(std::memory_order_relaxed);
        return seen < record::taken && other.use.compare_exchange_strong(seen, record::taken, std::memory_order_acquire,
                                                                         std::memory_order_relaxed);
    }

    // Returns: a record in that state; null if there is no memory.
    [[nodiscard]] record* make(typename record::state state) noexcept {
        void* const memory = Platform::allocate(sizeof(record));
        if (memory == nullptr) return nullptr;
        record* const made = ::new (memory) record;
        made->use.store(state, std::memory_order_relaxed);      // relaxed: no other thread knows the record yet
        made->next = records_.load(std::memory_order_relaxed);  // compared below
        // release: pairs with the acquire where the list is walked. The light fence of the first protect() puts it
        // before the load there, as it does the slot's store.
        while (
            !records_.compare_exchange_weak(made->next, made, std::memory_order_release, std::memory_order_relaxed)) {
        }
        return made;
    }

    [[nodiscard]] static bool is_fence_due(const record& mine) noexcept {
        if (Platform::is_alone() || mine.deferred.size() >= most_between_fences) return true;
        return Platform::now() - mine.last_fence >= milliseconds_between_fences;
    }

    // Effects: all that the thread has deferred may be examined.
    void fence(record& mine) noexcept {
        adopt(mine);
        mine.last_fence = Platform::now();
        if (!Platform::is_alone()) barrier.heavy();
        mine.protected_then.clear();
        for_each_slot([&mine](std::uintptr_t word) { mine.protected_then.add(word); });
        mine.deferred.mark_fence();
    }

    // Effects: takes over what ended threads have deferred.
    void adopt(record& mine) noexcept {
        for (record* each = records_.load(std::memory_order_acquire); each != nullptr; each = each->next) {
            // relaxed: try_take() orders
            if (each->use.load(std::memory_order_relaxed) != record::abandoned || !try_take(*each)) continue;
            while (!each->deferred.is_empty() && (!mine.deferred.is_full() || grow(mine))) {
                mine.deferred.push(each->deferred.pop());
            }
            give_back(*each);
        }
    }

    // Effects: releases the oldest reference that the thread has deferred, or defers it again. Returns: the number of
    // those deferred again.
    std::size_t examine(record& mine) noexcept {
        const deferred_release oldest = mine.deferred.pop();
        if (mine.protected_then.may_contain(oldest.word) && is_protected(oldest.word)) {
            mine.deferred.push(oldest);
            return 1;
        }
        oldest.release(oldest.word);
        return 0;
    }

    // Effects: makes room for another entry. Returns: whether there is.
    [[nodiscard, gnu::cold, gnu::noinline]] bool has_room(record& mine) noexcept {
        if (grow(mine)) return true;
        flush(mine);
        return !mine.deferred.is_full();
    }

    // Returns: false if there is no memory. A ring that is no more in place seldom grows: only for what a reader
    // protects, or one destructor defers.
    [[nodiscard]] static bool grow(record& mine) noexcept {
        const std::size_t before = mine.deferred.room();
        const std::size_t room = before < first_ring ? first_ring : 2 * before;
        void* const memory = Platform::allocate(room * sizeof(deferred_release));
        if (memory == nullptr) return false;
        deferred_release* const old = mine.deferred.move_to(static_cast<deferred_release*>(memory), room);
        if (old != nullptr) Platform::free(old, before * sizeof(deferred_release));
        return true;
    }

    // Effects: releases the reference. One that a slot still protects is never released, as there is no memory to
    // remember it.
    [[gnu::cold, gnu::noinline]] void release_now(deferred_release single) noexcept {
        barrier.heavy();
        if (!is_protected(single.word)) single.release(single.word);
    }

    template <class Visitor>
    void for_each_slot(Visitor visit) const noexcept {
        const auto look = [&visit](const slot& each) {
            // acquire: pairs with unprotect()
            if (const std::uintptr_t word = each.load(std::memory_order_acquire); word > record::nothing) visit(word);
        };
        for (const slot& each : shared_) look(each);
        // acquire: pairs with make()
        for (const record* each = records_.load(std::memory_order_acquire); each != nullptr; each = each->next) {
            for (const slot& one : each->slots) look(one);
        }
    }

    typename Platform::template atomic<record*> records_ = nullptr;  // of all threads, also of those that have ended
    alignas(64) std::array<slot, Platform::shared_slots> shared_{};
};

}  // namespace freehold::detail
