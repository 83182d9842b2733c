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
// readers share a few slots. Complexity: defer() examines two entries, or up to 64 if no more wait; a fence reads the
// slots of all threads.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "deferred_releases.hpp"
#include "reader_record.hpp"

namespace freehold::detail {

// Platform provides, as static members (process_readers.hpp has those of a process):
//   atomic<T>               std::atomic, or that of a test
//   slots, shared_slots     their numbers, for each thread and for all together
//   fence                   asymmetric_fence, or that of a test
//   ring                    deferred_releases, or that of a test
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

    struct attempt {
        std::uintptr_t word;
        bool is_protected;
    };

    // Returns: the word, and whether `place` protects it from now on: not if it was replaced meanwhile. order() is a
    // light fence.
    template <class Word, class Order>
    [[nodiscard, gnu::always_inline]] static attempt try_to_protect(slot& place, const Word& word,
                                                                    Order order) noexcept {
        // relaxed: the second load decides
        const std::uintptr_t seen = word.load(std::memory_order_relaxed);
        // release: who reads this word knows that the slot's last reader is done, as if it read unprotect(). The fence
        // puts the store before the load.
        place.store(seen, std::memory_order_release);
        order();  // pairs with heavy() in fence() and release_now()
        // acquire: pairs with the release by which the word was stored. seq_cst: a load is in the one order of all
        // operations of atomic pointers.
        return {seen, word.load(std::memory_order_seq_cst) == seen};
    }

    // Returns: the word, which `place` protects from now on.
    template <class Word>
    [[nodiscard]] std::uintptr_t protect(slot& place, const Word& word) const noexcept {
        while (true) {
            const attempt tried = try_to_protect(place, word, [this] { barrier.light(); });
            if (tried.is_protected) [[likely]]
                return tried.word;
        }
    }

    static void unprotect(slot& place) noexcept {
        // release: pairs with for_each_slot(), claim() and is_first_free(): what is released afterwards was read before
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
                if (slot* const claimed = claim(each->all_slots)) return *claimed;
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

    // Effects: calls release(word) when no slot protects the word any more: now, or in a later defer() or flush() of
    // any thread, or leave(). `bytes` will be free then. Requires: the caller has taken this reference out of all
    // shared words. Out of line: a loop that reads and sometimes stores keeps its variables in registers.
    [[gnu::noinline]] void defer(deferred_release added, std::size_t bytes = 0) noexcept {
        record* const mine = own();
        if (Platform::is_alone() && (mine == nullptr || mine->deferred.is_empty()) && !is_protected(added.word))
            return added.release(added.word);
        if (mine == nullptr) [[unlikely]]
            return defer_at_end(added);
        if (!mine->is_releasing && !mine->begin(barrier)) [[unlikely]]
            return defer_as_guest(added);
        mine->bytes_since_fence += bytes;
        defer(*mine, added);
    }

    // Effects: as defer(), for a thread whose own() is in another domain, or is claimed.
    [[gnu::cold, gnu::noinline]] void defer_as_guest(deferred_release added) noexcept {
        record* const guest = take_to_use();
        if (guest == nullptr) return release_now(added);
        defer(*guest, added);
        give_back(*guest);
    }

    // Effects: releases what the calling thread, ended and idle threads have deferred and no slot protects; but not
    // what another thread has taken over. Returns: how much the calling thread has still deferred.
    std::size_t flush() noexcept {
        record* const mine = own();
        return mine != nullptr ? flush(*mine) : 0;
    }

    // Effects: releases what the calling thread has deferred and no slot protects; then another thread may take its
    // record. To be called at the thread's end.
    void leave() noexcept {
        if (record* const mine = Platform::own()) {
            flush(*mine);
            Platform::set_own(nullptr);
            give_back(*mine);
        }
    }

    // Effects: in a child of fork, frees the shared slots, and no thread claims what another has deferred. What other
    // threads had in their own slots stays protected: a snapshot may have been any thread's. Requires: there is one
    // thread, and it has claimed no slot.
    void restart_in_child() noexcept {
        for (slot& each : shared_) unprotect(each);
        // relaxed: there is one thread
        for (record* each = records_.load(std::memory_order_relaxed); each != nullptr; each = each->next) {
            each->restart();
            if (each->use.load(std::memory_order_relaxed) != record::shared) continue;
            for (slot& one : each->all_slots) unprotect(one);
        }
    }

    // Between the slots and the words. All modules that use the domain have the same.
    alignas(64) typename Platform::fence barrier;

private:
    static constexpr std::size_t most_between_fences = std::size_t{1} << 14;
    static constexpr std::size_t most_bytes_between_fences = 256 * most_between_fences;
    static constexpr std::size_t first_ring = 2 * most_between_fences;
    static constexpr std::size_t at_once = 64;  // as many releases need not be spread
    static constexpr std::size_t part_of_owed = 1024;
    static constexpr std::size_t most_taken_over = 1024;
    // A fence takes 2 to 14 microseconds. A thread that stores 200'000 times a second, or more often, pays for one in
    // fewer than one store of 10'000.
    static constexpr std::uint32_t milliseconds_between_fences = 50;
    static constexpr std::uint32_t milliseconds_until_idle = 100;

    // Requires: the caller has begun to use the record. Effects: ends that, unless it is in a destructor that examine()
    // called.
    void defer(record& mine, deferred_release added) noexcept {
        const bool is_outermost = !mine.is_releasing;
        mine.is_releasing = true;
        if (mine.deferred.is_full() && !grow(mine) && is_outermost) drain(mine);
        if (mine.deferred.is_full()) {
            release_now(added);
        } else {
            mine.deferred.push(added);
        }
        if (!is_outermost) return;
        if (mine.deferred.unexamined() == 0 && is_fence_due(mine)) fence(mine);
        examine_some(mine);
        mine.is_releasing = false;
        mine.end();
    }

    // Effects: as defer(), for a thread that is ending. It may be the last one: nothing waits for a later store.
    [[gnu::cold, gnu::noinline]] void defer_at_end(deferred_release added) noexcept {
        record* const guest = take_to_use();
        if (guest == nullptr) return release_now(added);
        Platform::set_own(guest);  // destructors that defer more use the same
        defer(*guest, added);
        flush(*guest);
        Platform::set_own(nullptr);
        give_back(*guest);
    }

    std::size_t flush(record& mine) noexcept {
        if (mine.is_releasing) return mine.deferred.size();
        while (!mine.begin(barrier)) Platform::pause();
        mine.is_releasing = true;
        drain(mine);
        mine.is_releasing = false;
        const std::size_t left = mine.deferred.size();
        mine.end();
        return left;
    }

    // Effects: releases what no slot protects. Requires: the caller has begun to use the record.
    void drain(record& mine) noexcept {
        // What is released may defer more. Each round but the last releases something, or takes it over.
        std::size_t kept = 0;
        do {
            kept = 0;
            const bool has_taken = fence(mine);
            const std::size_t before = mine.deferred.unexamined();
            while (mine.deferred.unexamined() > 0) kept += examine(mine);
            if (kept == before && !has_taken) break;
        } while (mine.deferred.size() > kept);
        mine.owed = 0;
    }

    static void give_back(record& used) noexcept {
        used.use.store(record::unused, std::memory_order_release);  // pairs with the acquire in try_take()
    }

    // Returns: one of the slots, which was free; null if none was.
    template <class Slots>
    [[nodiscard]] static slot* claim(Slots& among) noexcept {
        for (slot& each : among) {
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
        record* const mine = take([](record&) noexcept { return true; });
        Platform::set_own(mine);
        return mine;
    }

    // Returns: a record that was of no thread and that accept() wants, or null if there is no memory.
    template <class Accept>
    [[nodiscard]] record* take(Accept accept) noexcept {
        // acquire: pairs with the release in make()
        for (record* each = records_.load(std::memory_order_acquire); each != nullptr; each = each->next) {
            if (!try_take(*each)) continue;
            if (accept(*each)) return each;
            give_back(*each);
        }
        record* const made = make(record::taken);
        return made != nullptr && accept(*made) ? made : nullptr;
    }

    // Returns: the same; the caller has begun to use it.
    [[nodiscard]] record* take_to_use() noexcept {
        return take([this](record& each) noexcept { return each.begin(barrier); });
    }

    [[nodiscard]] static bool try_take(record& other) noexcept {
        // acquire: pairs with the release in give_back(). relaxed: without it nothing is done
        std::uint32_t seen = other.use.load(std::memory_order_relaxed);
        return seen == record::unused && other.use.compare_exchange_strong(
                                             seen, record::taken, std::memory_order_acquire, std::memory_order_relaxed);
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
        if (Platform::is_alone() || mine.deferred.size() >= most_between_fences ||
            mine.bytes_since_fence >= most_bytes_between_fences)
            return true;
        // relaxed: a number alone
        return Platform::now() - mine.last_fence.load(std::memory_order_relaxed) >= milliseconds_between_fences;
    }

    // Effects: all that the thread has deferred may be examined. Then takes over what others have deferred, which waits
    // for the next fence. Returns: whether there was any.
    bool fence(record& mine) noexcept {
        const std::uint32_t now = Platform::now();
        record* claimed = claim_others(mine, now);
        mine.last_fence.store(now, std::memory_order_relaxed);
        mine.bytes_since_fence = 0;
        if (!Platform::is_alone()) barrier.heavy();
        mine.protected_then.clear();
        for_each_slot([&mine](std::uintptr_t word) { mine.protected_then.add(word); });
        mine.deferred.mark_fence();
        const std::size_t before = mine.deferred.size();
        while (claimed != nullptr) take_over(mine, *std::exchange(claimed, claimed->next_claimed));
        return mine.deferred.size() > before;
    }

    // Returns: whether the record's last fence was long before `now`, which was some time ago: the fence may be later.
    [[nodiscard]] static bool is_idle(const record& other, std::uint32_t now) noexcept {
        constexpr std::uint32_t a_minute_before = 0U - 60'000;
        const std::uint32_t passed = now - other.last_fence.load(std::memory_order_relaxed);  // a hint
        return passed >= milliseconds_until_idle && passed < a_minute_before;
    }

    // Returns: the list of what was claimed.
    [[nodiscard]] record* claim_others(const record& mine, std::uint32_t now) noexcept {
        record* claimed = nullptr;
        for (record* each = records_.load(std::memory_order_acquire); each != nullptr; each = each->next) {
            // relaxed: hints
            if (each == &mine || !each->has_deferred.load(std::memory_order_relaxed)) continue;
            const bool is_left = each->use.load(std::memory_order_relaxed) != record::taken || is_idle(*each, now);
            if (is_left && each->claim()) each->next_claimed = std::exchange(claimed, each);
        }
        return claimed;
    }

    // Effects: takes over what is deferred there, unless it is in use, and ends the claim. Some is left if it is much,
    // so that no store takes long. Requires: a heavy fence since claim().
    static void take_over(record& mine, record& claimed) noexcept {
        // acquire: pairs with end()
        if (!claimed.is_in_use.load(std::memory_order_acquire)) {
            std::size_t most = most_taken_over;
            for (; most > 0 && !claimed.deferred.is_empty() && (!mine.deferred.is_full() || grow(mine)); --most) {
                mine.deferred.push(claimed.deferred.pop());
            }
            claimed.has_deferred.store(!claimed.deferred.is_empty(), std::memory_order_relaxed);
        }
        claimed.unclaim();
    }

    // Effects: examines all if they are few, else two for the one that was added, and some of those that destructors
    // have deferred besides: otherwise more would come than goes.
    void examine_some(record& mine) noexcept {
        const std::size_t all = mine.deferred.unexamined();
        const std::size_t paid = (mine.owed + part_of_owed - 1) / part_of_owed;
        const std::size_t count = all <= at_once ? all : (std::min)(all, 2 + paid);
        mine.owed -= (std::min)(paid, mine.owed);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t before = mine.deferred.size() - 1;
            const std::size_t kept = examine(mine);
            mine.owed += mine.deferred.size() - before - kept;
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
            for (const slot& one : each->all_slots) look(one);
        }
    }

    typename Platform::template atomic<record*> records_ = nullptr;  // of all threads, also of those that have ended
    alignas(64) std::array<slot, Platform::shared_slots> shared_{};
};

}  // namespace freehold::detail
