#pragma once
// atomic_pointer: an owning pointer of any type that several threads read and replace.
//
// The pointer is one word, which owns one reference. A reader protects the word while it counts an owner of its own, or
// as long as it has a snapshot. A writer replaces the word and defers the release of the old reference until no slot
// protects it. The order of calls:
//
//   snapshot   protect     atomic_pointer_domain.hpp  its light_slots() are those of the thread
//                          reader_record.hpp      stores the word in one, and looks whether it is still the same
//              get         pointer_word.hpp       makes a pointer of the word; shared_word.hpp has the word's forms
//   load       the same, then share               counts an owner
//   store      take        pointer_word.hpp       makes a word of the pointer, or of its record (alias_records.hpp)
//              replace     exchanges the words
//              defer       reader_domain.hpp      keeps the old word in the record of the thread (reader_record.hpp);
//                                                 its map says when it is released, by pointer_word.hpp, which
//                                                 counts an owner down as block_handle.hpp does
//
// The counting of the pointer has a Threading (pointer_word.hpp), and process_of (alias_records.hpp) has a Process for
// that. It provides what reader_domain.hpp asks for; `domain`, with alias_records as `aliases`; of_module(), that of
// the module; and light_slots(), the slots of the calling thread that a fence for the compiler alone protects.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../../core/config.hpp"
#include "../../core/futex.hpp"
#include "../snapshot_ptr.hpp"
#include "atomic_pointer_domain.hpp"
#include "pointer_word.hpp"

namespace freehold::inline v0_2::detail {

// The domain of the module that has made an atomic pointer, and whether a snapshot was taken of it.
template <class Process>
struct pointer_home {
    typename Process::domain* domain;
    const pointer_home* with_snapshots;
};

template <class Process>
inline constinit const pointer_home<Process> home_with_snapshots{&Process::of_module(), &home_with_snapshots<Process>};
template <class Process>
inline constinit const pointer_home<Process> home_without_snapshots{&Process::of_module(),
                                                                    &home_with_snapshots<Process>};

template <class Pointer>
class atomic_pointer {
    using word_of = pointer_word<Pointer>;
    using threading = typename word_of::threading;
    using process = typename process_of<threading>::type;
    using domain = typename process::domain;
    using slot_type = typename domain::slot;
    using home = pointer_home<process>;

    static constexpr bool is_from_null = std::is_constructible_v<Pointer, std::nullptr_t>;

public:
    using value_type = Pointer;

    static constexpr bool is_always_lock_free = true;

    constexpr atomic_pointer() noexcept = default;
    constexpr atomic_pointer(std::nullptr_t) noexcept
        requires is_from_null
    {}
    atomic_pointer(Pointer desired) noexcept : word_(word_of::take(std::move(desired), process::of_module().aliases)) {}

    atomic_pointer(const atomic_pointer&) = delete;
    atomic_pointer& operator=(const atomic_pointer&) = delete;

    // Effects: releases the value, or defers that while a snapshot has it.
    ~atomic_pointer() {
        // relaxed: the user orders the destruction after all other operations
        const std::uintptr_t last = word_.load(std::memory_order_relaxed);
        if (last == word_of::none) return;
        // Only snapshots can outlive *this. They were taken before, so their slots are seen without a fence: a chain
        // goes at once.
        had_snapshot() && domain_of().is_protected(last) ? defer(last) : word_of::release(last);
    }

    [[nodiscard]] bool is_lock_free() const noexcept { return true; }

    void operator=(Pointer desired) noexcept { store(std::move(desired)); }
    void operator=(std::nullptr_t) noexcept
        requires is_from_null
    {
        store(nullptr);
    }
    operator Pointer() const noexcept { return load(); }

    // Every order means memory_order_seq_cst. On x86-64 a weaker one would save nothing.

    // Returns: a copy of the value.
    [[nodiscard]] Pointer load(std::memory_order = std::memory_order_seq_cst) const noexcept {
        const protection held(*this);
        return word_of::share(held.word());
    }

    // Returns: the value, to read but not to own. Cost: no locked operation while the thread has fewer than eight
    // snapshots; then two.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE snapshot_ptr<typename word_of::element_type, Pointer> snapshot() const noexcept
        requires word_of::owns_object
    {
        const protected_word read = protect();
        return {read.word, read.slot};
    }

    // Returns: whether the value is still the one of the snapshot. False if the snapshot has no slot and the value fits
    // into no word.
    template <class T>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool holds(const snapshot_ptr<T, Pointer>& read) const noexcept {
        // seq_cst: as the second load of protect()
        return word_.load(std::memory_order_seq_cst) == read.word_;
    }

    // Effects: `read` becomes a snapshot of the value of now.
    template <class T>
    FREEHOLD_ALWAYS_INLINE void renew(snapshot_ptr<T, Pointer>& read) const noexcept {
        const protected_word renewed = protect_anew(read.word_, read.slot_);
        read.pointer_ = word_of::get(renewed.word);
        read.word_ = renewed.word;
        read.slot_ = renewed.slot;
    }

    // Effects: replaces the value by `desired`, and defers the release of the value before.
    void store(Pointer desired, std::memory_order = std::memory_order_seq_cst) noexcept {
        defer(replace(take(std::move(desired))));
    }

    // Effects: replaces the value by `desired`. Returns: the value before. Its use_count() is one greater until the
    // reference that *this had is released.
    Pointer exchange(Pointer desired, std::memory_order = std::memory_order_seq_cst) noexcept {
        const std::uintptr_t before = replace(take(std::move(desired)));
        Pointer old = word_of::share(before);
        defer(before);
        return old;
    }

    // Effects: if the value is equivalent to `expected` (the same pointer, and the same ownership), replaces it by
    // `desired`, otherwise copies it into `expected`. Returns: whether it was equivalent.
    bool compare_exchange_strong(Pointer& expected, Pointer desired, std::memory_order = std::memory_order_seq_cst,
                                 std::memory_order = std::memory_order_seq_cst) noexcept {
        const std::uintptr_t replacement = take(std::move(desired));
        std::uintptr_t seen = word_of::none;
        bool is_replaced = false;
        Pointer other;
        {
            protection held(*this);
            while (true) {
                seen = held.word();
                if (!word_of::is(seen, expected)) {
                    other = word_of::share(seen);
                    break;
                }
                // As in replace(). While the word is protected, nobody can free what it names and make it anew.
                is_replaced = word_.compare_exchange_strong(seen, replacement, std::memory_order_seq_cst);
                if (is_replaced) break;
                held.renew();
            }
        }
        // The slot is free now: what is released may use *this again.
        if (is_replaced) {
            defer(seen);
        } else {
            if (replacement != word_of::none) word_of::release(replacement);
            expected = std::move(other);
        }
        return is_replaced;
    }

    bool compare_exchange_weak(Pointer& expected, Pointer desired, std::memory_order = std::memory_order_seq_cst,
                               std::memory_order = std::memory_order_seq_cst) noexcept {
        return compare_exchange_strong(expected, std::move(desired));
    }

    // Effects: if the value is the one of the snapshot, replaces it by `desired`, and the snapshot remains; otherwise
    // takes the snapshot anew. An equivalent value that was stored again and has a record is another one. Returns:
    // whether it has replaced the value. Cost: one locked operation, and those of the end of the value or of `desired`:
    // the snapshot protects what it is compared with.
    template <class T>
    bool compare_exchange_strong(snapshot_ptr<T, Pointer>& expected, Pointer desired,
                                 std::memory_order = std::memory_order_seq_cst,
                                 std::memory_order = std::memory_order_seq_cst) noexcept {
        if (expected.slot_ == nullptr && expected.word_ != word_of::none) [[unlikely]] {
            // Without a slot, its word may be another one than that of the same value.
            Pointer owned = expected.share();
            if (compare_exchange_strong(owned, std::move(desired))) return true;
        } else {
            std::uintptr_t seen = expected.word_;
            const std::uintptr_t replacement = take(std::move(desired));
            // As in replace(). While the word is protected, nobody can free what it names and make it anew.
            if (word_.compare_exchange_strong(seen, replacement, std::memory_order_seq_cst)) {
                defer(seen);
                return true;
            }
            if (replacement != word_of::none) word_of::release(replacement);
        }
        renew(expected);
        return false;
    }

    template <class T>
    bool compare_exchange_weak(snapshot_ptr<T, Pointer>& expected, Pointer desired,
                               std::memory_order = std::memory_order_seq_cst,
                               std::memory_order = std::memory_order_seq_cst) noexcept {
        return compare_exchange_strong(expected, std::move(desired));
    }

    // Effects: blocks until the value is not equivalent to `old`. It is compared at first and after a notification.
    void wait(Pointer old, std::memory_order = std::memory_order_seq_cst) const noexcept {
        while (true) {
            // acquire: pairs with count_notification(). The number is read before the value: a notification in between
            // changes it, and the futex does not block.
            const std::uint32_t seen = notifications_.number.load(std::memory_order_acquire);
            if (!word_of::is(protection(*this).word(), old)) return;
            notifications_.wait(seen);
        }
    }

    void notify_one() noexcept {
        count_notification();
        notifications_.notify_one();
    }

    void notify_all() noexcept {
        count_notification();
        notifications_.notify_all();
    }

private:
    // Protects the word for a moment.
    class protection {
    public:
        explicit protection(const atomic_pointer& atomic) noexcept
            : atomic_(atomic), slot_(atomic.claim()), word_(atomic.domain_of().protect(slot_, atomic.word_)) {}

        protection(const protection&) = delete;
        protection& operator=(const protection&) = delete;

        ~protection() { domain::unprotect(slot_); }

        [[nodiscard]] std::uintptr_t word() const noexcept { return word_; }

        void renew() noexcept { word_ = atomic_.domain_of().protect(slot_, atomic_.word_); }

    private:
        const atomic_pointer& atomic_;
        slot_type& slot_;
        std::uintptr_t word_;
    };

    // Returns: the word of the pointer. In a record of the module that made *this: it may outlive the calling one.
    [[nodiscard]] std::uintptr_t take(Pointer&& taken) const noexcept {
        return word_of::take(std::move(taken), domain_of().aliases);
    }

    // Whether the module that made *this shares its variables with the module that this code is in.
    [[nodiscard]] bool is_of_this_module() const noexcept { return &domain_of() == &process::of_module(); }

    // relaxed, here and below: the homes are constant
    [[nodiscard]] domain& domain_of() const noexcept { return *home_.load(std::memory_order_relaxed)->domain; }

    // Returns: whether *this is of this module, and a snapshot is not taken of it for the first time.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool is_usual() const noexcept {
        return detail::load_relaxed(home_) == &home_with_snapshots<process>;
    }

    // Requires: all other operations happened before.
    [[nodiscard]] bool had_snapshot() const noexcept {
        const home* const known = home_.load(std::memory_order_relaxed);
        return known == known->with_snapshots;
    }

    [[nodiscard]] slot_type& claim() const noexcept {
        slot_type* const own = find_own();
        return own != nullptr ? *own : domain_of().claim_shared();
    }

    // Returns: a free slot of the calling thread; null if all are taken, or the domain is not that of its module.
    [[nodiscard]] slot_type* find_own() const noexcept {
        if (!is_of_this_module()) return nullptr;
        typename domain::record* const own = process::of_module().own();
        return own != nullptr ? own->find_free() : nullptr;
    }

    // A word with the slot that protects it, or without a slot a word with a reference of its own.
    struct protected_word {
        std::uintptr_t word;
        slot_type* slot;
    };

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE protected_word protect() const noexcept {
        auto& own = process::light_slots();
        if (!is_usual()) [[unlikely]]  // apart from the next one: else g++ takes a difference for likely
            return protect_otherwise();
        if (!own.is_first_free()) [[unlikely]]
            return protect_otherwise();
        slot_type& slot = own.all_slots[0];
        // One attempt: a loop would cost more here than it saves.
        const auto [word, is_protected] =
            own.try_to_protect(slot, word_, [] { std::atomic_signal_fence(std::memory_order_seq_cst); });
        if (is_protected) [[likely]]
            return {word, &slot};
        domain::unprotect(slot);
        return protect_otherwise();
    }

    // As protect(), for the first snapshot of *this; or if the thread's first slot is taken, or it has none, or a fence
    // is more than one of the compiler.
    [[nodiscard]] FREEHOLD_NOINLINE protected_word protect_otherwise() const noexcept {
        if (!had_snapshot())
            home_.store(home_.load(std::memory_order_relaxed)->with_snapshots, std::memory_order_relaxed);
        if (slot_type* const slot = find_own()) return {domain_of().protect(*slot, word_), slot};
        return {take(load()), nullptr};
    }

    // Effects: lets the word of a snapshot go first: its slot may serve the new one.
    [[nodiscard]] FREEHOLD_NOINLINE protected_word protect_anew(std::uintptr_t word, slot_type* slot) const noexcept {
        snapshot_ptr<typename word_of::element_type, Pointer>::let_go(word, slot);
        return protect();
    }

    // Effects: replaces the word. Returns: the word before.
    [[nodiscard]] std::uintptr_t replace(std::uintptr_t word) noexcept {
        // release: pairs with the acquire of protect(). acquire: what its thread releases was written before it was
        // stored. seq_cst: all operations, of all objects, are in one order.
        return word_.exchange(word, std::memory_order_seq_cst);
    }

    void defer(std::uintptr_t word) noexcept {
        if (word == word_of::none) return;
        const deferred_release reference{word, &word_of::release};
        if (is_of_this_module()) [[likely]] {
            process::of_module().defer(reference, word_of::bytes(word));
        } else {
            domain_of().defer_as_guest(reference);
        }
    }

    // release: pairs with wait()
    void count_notification() noexcept { notifications_.number.fetch_add(1, std::memory_order_release); }

    typename threading::template atomic<std::uintptr_t> word_ = word_of::none;
    mutable typename threading::template atomic<const home*> home_ = &home_without_snapshots<process>;
    mutable basic_futex<threading> notifications_;
};

}  // namespace freehold::detail
