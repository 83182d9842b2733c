#pragma once
// hazard_pointer, hazard_pointer_obj_base<T, D>: an object that threads read without a lock is deleted when none of
// them reads it any more ([saferecl.hp], C++26; P2530R3).
//
//     struct config : freehold::hazard_pointer_obj_base<config> { ... };
//     std::atomic<config*> current;
//
//     freehold::hazard_pointer h = freehold::make_hazard_pointer();
//     use(*h.protect(current));            // a reader: *current is not deleted while h protects it
//
//     current.exchange(next)->retire();    // a writer: the old one is deleted later
//
// Thread safety: an object of hazard_pointer is used by one thread at a time. retire() may be called by any thread.
// Exceptions: only make_hazard_pointer and make_hazard_pointer_batch throw.
// Complexity: constant, of a batch linear; retire does work for at most two other objects, for two more with each
// further 256 bytes of its own, and for one more with each 256 hazard pointers that were in use at one time. It does as
// much again for each object that is retired by a deleter that it calls: thousands of deleters that go on to retire
// objects keep it for ever.
// Cost: protect is three loads and a store, with no locked operation and no fence. retire is one to three locked
// operations, one and a half in the mean. A hazard pointer takes a cache line, which is never given back. 16 bytes in
// each object, and its deleter if that is not empty.
// Bound: a process keeps at most 9,216 retired objects that no hazard pointer protected when they were looked up. More
// are kept while the system has suspended threads in the middle of a retirement, to which other threads yield their
// processor but for which they never wait, and while deleters retire objects. An object counts once for each 256 bytes
// or part of them. set_hazard_pointer_limits() sets another bound.

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "../core/platform/at_fork.hpp"
#include "../core/platform/thread_local.hpp"
#include "../core/thread_end.hpp"
#include "../core/threading.hpp"
#include "detail/hazard_readers.hpp"
#include "detail/retired_shards.hpp"
#include "reclamation_limits.hpp"

namespace freehold::inline v0_2 {

template <class T, class D>
class hazard_pointer_obj_base;

namespace detail {

// The hazard pointers of a process, and what a thread has of them.
struct hazard_pointers {
    using readers_type = hazard_readers<process_threading, process_limits>;
    using shards_type = retired_shards<process_threading, readers_type, process_limits>;
    using slot = readers_type::slot;

    // One for all modules, if the program exports it; see docs/guide/with-shared-libraries.md. Its name has the
    // version: others of Freehold do not share it.
    FREEHOLD_SHARED static inline constinit shards_type shards FREEHOLD_SYMBOL("freehold_hazard_pointers_v0_2") = {};

    FREEHOLD_STATIC_TLS static inline constinit thread_local retiring_thread retiring;

    // What the thread keeps for its next hazard pointers.
    static constexpr unsigned max_kept = 8;
    FREEHOLD_STATIC_TLS static inline constinit thread_local slot* first_kept = nullptr;
    FREEHOLD_STATIC_TLS static inline constinit thread_local unsigned kept = 0;
    FREEHOLD_STATIC_TLS static inline constinit thread_local unsigned may_keep = 0;  // max_kept until the thread ends
    FREEHOLD_STATIC_TLS static inline constinit thread_local bool has_ended = false;

    FREEHOLD_PER_THREAD [[nodiscard]] static slot* acquire() {
        slot* const first = first_kept;
        if (first == nullptr) [[unlikely]]
            return acquire_another();
        first_kept = first->next_kept;
        --kept;
        return first;
    }

    FREEHOLD_NOINLINE static slot* acquire_another() {
        if (may_keep == 0 && !has_ended && thread_end<&end_thread>::arm()) may_keep = max_kept;
        prepare();
        slot* const made = shards.readers.all_slots.acquire();
        if (made == nullptr) {
            keep_at_most(may_keep);  // more are kept for a batch that is not made
            raise<std::bad_alloc>();
        }
        return made;
    }

    FREEHOLD_PER_THREAD static void release(slot& freed) noexcept {
        readers_type::protect(freed, nullptr);
        if (kept >= may_keep) [[unlikely]]
            return shards.readers.all_slots.release(freed);
        keep(freed);
    }

    static void keep(slot& freed) noexcept {
        freed.next_kept = std::exchange(first_kept, &freed);
        ++kept;
    }

    // Effects: keeps `wanted` slots or more, which the caller takes at once.
    FREEHOLD_NOINLINE static void keep_at_least(std::size_t wanted) {
        while (kept < wanted) keep(*acquire_another());
    }

    static void keep_at_most(unsigned most) noexcept {
        while (kept > most) {
            shards.readers.all_slots.release(*std::exchange(first_kept, first_kept->next_kept));
            --kept;
        }
    }

    // The kernel takes milliseconds to register a process that has threads. A thread waits for that before it retires:
    // else the others would retire without a scan meanwhile.
    FREEHOLD_NOINLINE static void prepare() noexcept {
        at_fork<&begin_fork, &end_fork, &begin_child>();
        shards.readers.fence.register_process();
    }

    FREEHOLD_PER_THREAD static void retire(retired_object& object, std::size_t bytes) noexcept {
        if (retiring.shard == 0) [[unlikely]]
            prepare();
        shards.retire(object, bytes, retiring);
    }

    // No other thread changes a shard during a fork. Without memory for the handlers, a fork in the middle of a
    // retirement may lose a shard.
    static void begin_fork() noexcept { shards.lock_for_fork(); }
    static void end_fork() noexcept { shards.unlock_after_fork(); }

    // What other threads protected stays protected: a hazard pointer may have been any thread's.
    static void begin_child() noexcept { static_cast<void>(shards.restart_in_child()); }

    static void end_thread() noexcept {
        may_keep = 0;
        keep_at_most(may_keep);
        has_ended = true;
    }
};

template <class T, class D>
const hazard_pointer_obj_base<T, D>* hazard_base_of(const hazard_pointer_obj_base<T, D>*);

// A class that has a base hazard_pointer_obj_base<T, D>, for exactly one D, which is public and not virtual.
template <class T>
concept hazard_protectable = requires(const T* object) { static_cast<const T*>(detail::hazard_base_of<T>(object)); };

}  // namespace detail

// The base of a class T whose objects hazard pointers protect. Requires: d(p) is valid for a value d of type D, which
// is Cpp17DefaultConstructible and Cpp17MoveAssignable, and a value p of type T*.
template <class T, class D = std::default_delete<T>>
class hazard_pointer_obj_base : private detail::retired_object {
    friend class hazard_pointer;

public:
    // Effects: d(p), for a pointer p to this object, is called once no hazard pointer protects it, by a later call of
    // this function in any thread, or by hazard_pointer_clean_up(). May call the deleters of other retired objects.
    // Requires: *this is a base of a T that is not retired, and that no thread can begin to protect any more; neither
    // moving d nor calling it throws.
    // Complexity: constant, without the deleters and what they retire. Every 4,096th call in the process, or sooner if
    // the objects are large, takes a system call of 2 to 14 microseconds.
    void retire(D d = D()) noexcept {
        static_assert(detail::hazard_protectable<T>,
                      "T needs exactly one base hazard_pointer_obj_base<T, D>, public and not virtual");
        FREEHOLD_EXPECTS(reclaim == nullptr, "the object is retired already");
        deleter_ = std::move(d);
        reclaim = [](detail::retired_object* retired) noexcept {
            auto* const base = static_cast<hazard_pointer_obj_base*>(retired);
            D deleter = std::move(base->deleter_);
            deleter(static_cast<T*>(base));
        };
        detail::hazard_pointers::retire(*this, sizeof(T));
    }

protected:
    hazard_pointer_obj_base() = default;
    hazard_pointer_obj_base(const hazard_pointer_obj_base&) = default;
    hazard_pointer_obj_base(hazard_pointer_obj_base&&) = default;
    hazard_pointer_obj_base& operator=(const hazard_pointer_obj_base&) = default;
    hazard_pointer_obj_base& operator=(hazard_pointer_obj_base&&) = default;
    ~hazard_pointer_obj_base() = default;

private:
    [[no_unique_address]] D deleter_;
};

// Owns a hazard pointer, or is empty.
class hazard_pointer {
public:
    // Effects: an empty object.
    hazard_pointer() noexcept = default;

    hazard_pointer(hazard_pointer&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}

    // Effects: destroys the hazard pointer that *this owns, and takes that of `other`; nothing if they are the same.
    hazard_pointer& operator=(hazard_pointer&& other) noexcept {
        hazard_pointer taken(std::move(other));
        swap(taken);
        return *this;
    }

    // Effects: ends the protection.
    ~hazard_pointer() {
        if (slot_ != nullptr) detail::hazard_pointers::release(*slot_);
    }

    [[nodiscard]] bool empty() const noexcept { return slot_ == nullptr; }

    // Effects: protects the object that `src` points to. Returns: the pointer to it, or null. Requires: !empty().
    // Complexity: constant, unless other threads change `src` meanwhile.
    template <class T>
    T* protect(const std::atomic<T*>& src) noexcept {
        T* ptr = src.load(std::memory_order_relaxed);  // relaxed: try_protect reads it again
        while (!try_protect(ptr, src)) {
        }
        return ptr;
    }

    // Effects: protects *ptr if `src` still points to it, else nothing; ptr = the value of `src`.
    // Returns: whether it did. Requires: !empty(). Complexity: constant.
    template <class T>
    bool try_protect(T*& ptr, const std::atomic<T*>& src) noexcept {
        expect_hazard_protectable<T>();
        expect_not_empty();
        return detail::hazard_pointers::shards.readers.try_protect(*slot_, base_of<T>(ptr), ptr, src);
    }

    // Effects: protects *ptr, if it is not retired yet; nothing if ptr is null. What was protected no longer is.
    // Whoever reads the source again after this call and finds ptr there knows that *ptr is protected.
    // Requires: !empty(). Complexity: constant.
    template <class T>
    void reset_protection(const T* ptr) noexcept {
        expect_hazard_protectable<T>();
        expect_not_empty();
        // The source may be read again by the caller, whose pointers may have marks.
        detail::hazard_pointers::shards.readers.protect_before_reading(*slot_, base_of<T>(ptr));
    }

    // Effects: protects nothing. Requires: !empty(). Complexity: constant.
    void reset_protection(std::nullptr_t = nullptr) noexcept {
        expect_not_empty();
        detail::hazard_pointers::readers_type::protect(*slot_, nullptr);
    }

    // Effects: exchanges the hazard pointers, which go on to protect what they protect.
    void swap(hazard_pointer& other) noexcept { std::swap(slot_, other.slot_); }

    friend hazard_pointer make_hazard_pointer();
    friend void make_hazard_pointer_batch(std::span<hazard_pointer>);

private:
    explicit hazard_pointer(detail::hazard_pointers::slot* slot) noexcept : slot_(slot) {}

    template <class T, class D>
    static const detail::retired_object* base_of(const hazard_pointer_obj_base<T, D>* base) noexcept {
        return base;
    }

    template <class T>
    static constexpr void expect_hazard_protectable() noexcept {
        static_assert(detail::hazard_protectable<T>,
                      "T needs exactly one base hazard_pointer_obj_base<T, D>, public and not virtual");
    }

    void expect_not_empty() const noexcept {
        FREEHOLD_EXPECTS(!empty(), "the hazard_pointer is empty: make_hazard_pointer() makes one that is not");
    }

    detail::hazard_pointers::slot* slot_ = nullptr;
};

// Returns: an object that owns a new hazard pointer, which protects nothing.
// Throws: std::bad_alloc; not for the first 64 in the process, with those that threads keep for their next use.
// Complexity: constant. Cost: no locked operation if the thread has destroyed a hazard pointer before.
[[nodiscard]] inline hazard_pointer make_hazard_pointer() { return hazard_pointer(detail::hazard_pointers::acquire()); }

// Effects: each empty object in `batch` owns a new hazard pointer from then on, which protects nothing; the others are
// unchanged. As C++29 has it (P3428R4). Throws: as make_hazard_pointer(); then nothing has changed.
FREEHOLD_PER_THREAD inline void make_hazard_pointer_batch(std::span<hazard_pointer> batch) {
    using all = detail::hazard_pointers;
    std::size_t wanted = 0;
    for (const hazard_pointer& each : batch) wanted += each.empty() ? 1 : 0;
    if (all::kept < wanted) [[unlikely]]
        all::keep_at_least(wanted);  // before the first one is taken, since it may throw
    for (hazard_pointer& each : batch) {
        if (each.empty()) each.slot_ = std::exchange(all::first_kept, all::first_kept->next_kept);
    }
    all::kept -= static_cast<unsigned>(wanted);
}

// Effects: destroys the hazard pointers that the objects in `batch` own; all are empty then. As C++29 has it.
inline void clear_hazard_pointer_batch(std::span<hazard_pointer> batch) noexcept {
    for (hazard_pointer& each : batch) each = hazard_pointer();
}

inline void swap(hazard_pointer& a, hazard_pointer& b) noexcept { a.swap(b); }

// Effects: calls the deleter of each object that was retired before the call, and of what these deleters retire in
// turn, unless it is protected; blocks until other threads have finished calling theirs. Does not wait for what other
// threads retire later. None if the caller is a deleter of a retired object. Does not return while deleters go on to
// retire further objects. Not in C++26: for tests, for a program that is about to be idle, and before a plug-in that
// has retired objects is unloaded. Complexity: linear in the retired objects; for each generation of them, that is
// those which one deleter after the other has retired, a system call, and linear in the hazard pointers.
FREEHOLD_PER_THREAD inline void hazard_pointer_clean_up() noexcept {
    detail::hazard_pointers::shards.drain(detail::hazard_pointers::retiring);
}

// Effects: from now on at most so much that was retired waits in the process. Any thread may call it, at any time.
// Not in C++26. Complexity: constant.
inline void set_hazard_pointer_limits(reclamation_limits most) noexcept {
    detail::hazard_pointers::shards.limits.set(most);
}

}  // namespace freehold
