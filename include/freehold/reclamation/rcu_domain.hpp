#pragma once
// rcu_domain, rcu_obj_base<T, D>, rcu_retire, rcu_synchronize, rcu_barrier: an object that threads read without a lock
// is deleted when every region that could read it is closed ([saferecl.rcu], C++26; P2545R4).
//
//     struct config : freehold::rcu_obj_base<config> { ... };
//     std::atomic<config*> current;
//
//     {
//         std::scoped_lock region(freehold::rcu_default_domain());   // a reader: nothing it reads is deleted here
//         use(*current.load());
//     }
//
//     current.exchange(next)->retire();    // a writer: the old one is deleted later
//
// A region protects all that is read in it, at once; a hazard_pointer protects one object. But an open region holds up
// the deletion of everything that is retired meanwhile, however long it takes.
//
// Thread safety: any thread may call any function. Regions are of one thread, and nest.
// Exceptions: only rcu_retire throws.
// Complexity: constant; retire does work for at most two other objects, and for two more with each further 256 bytes of
// its own; or it asks eight readers, and one more with each 1,024 threads that had regions at one time. It does as much
// again for each object that is retired by a deleter that it calls: thousands of deleters that go on to retire further
// objects keep it for ever.
// Cost: a region is six loads and two stores, with no locked operation and no fence. retire is one to three locked
// operations, one and a half in the mean. A thread with regions takes a cache line, which other threads use after its
// end. 16 bytes in each object, and its deleter if that is not empty; rcu_retire allocates these.
// Bound: a process keeps at most 9,216 objects that were retired before all open regions. More are kept while the
// system has suspended threads in the middle of a retirement, to which other threads yield their processor but for
// which they never wait, and while deleters retire objects. If more were retired during a region, each retirement after
// it deletes two of them. An object counts once for each 256 bytes or part of them. set_rcu_limits() sets another
// bound.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/platform/at_fork.hpp"
#include "../core/platform/thread_local.hpp"
#include "../core/platform/threads.hpp"
#include "../core/thread_end.hpp"
#include "../core/threading.hpp"
#include "detail/rcu_readers.hpp"
#include "detail/retired_shards.hpp"
#include "reclamation_limits.hpp"

namespace freehold::inline v0_2 {

template <class T, class D>
class rcu_obj_base;

namespace detail {

// What a thread has of the domain. There is one domain, the default one.
struct rcu_thread {
    using readers_type = rcu_readers<process_threading, process_limits>;
    using shards_type = retired_shards<process_threading, readers_type, process_limits>;
    using slot = readers_type::slot;

    // One for all modules, if the program exports it; see docs/guide/with-shared-libraries.md. Its name has the
    // version: others of Freehold do not share it.
    FREEHOLD_SHARED static inline constinit shards_type shards FREEHOLD_SYMBOL("freehold_rcu_domain_v0_2") = {};

    FREEHOLD_STATIC_TLS static inline constinit thread_local retiring_thread retiring;

    FREEHOLD_STATIC_TLS static inline constinit thread_local slot* mine = nullptr;
    FREEHOLD_STATIC_TLS static inline constinit thread_local std::uint32_t unslotted = 0;  // its regions without a slot
    FREEHOLD_STATIC_TLS static inline constinit thread_local bool has_ended = false;       // it then keeps no slot
    static inline constinit thread_local bool is_forking = false;                          // read by a child alone

    // Of no thread: as of a thread with many open regions, so that neither the first nor the last one is taken for it.
    static inline constinit slot no_slot{{}, readers_type::regions, {}, {}};
    // `mine` if a light fence is one for the compiler alone, and the thread has not ended; else no_slot.
    FREEHOLD_STATIC_TLS static inline constinit thread_local slot* light = &no_slot;

    [[nodiscard]] static std::uint64_t open_in(const slot& its) noexcept { return readers_type::open_in(its); }

    // Returns: whether the thread has an open region.
    FREEHOLD_PER_THREAD [[nodiscard]] static bool is_open() noexcept {
        return unslotted != 0 || (mine != nullptr && open_in(*mine) != 0);
    }

    FREEHOLD_PER_THREAD static void open() noexcept {
        slot& its = *light;
        if (!readers_type::is_closed(its)) [[unlikely]]
            return open_otherwise();
        shards.readers.open_light(its);
    }

    FREEHOLD_PER_THREAD static void close() noexcept {
        slot& its = *light;
        if (open_in(its) != readers_type::one_region) [[unlikely]]
            return close_otherwise();
        readers_type::close_light(its);
    }

    // As open() for a region within another one, for the first one of a thread, or with a full fence.
    FREEHOLD_NOINLINE static void open_otherwise() noexcept {
        if (mine == nullptr && unslotted == 0) prepare_thread();
        if (mine == nullptr) {
            if (unslotted++ == 0) shards.readers.open_without_slot();
        } else if (open_in(*mine) == 0) {
            shards.readers.open(*mine);
        } else {
            FREEHOLD_EXPECTS(open_in(*mine) != readers_type::regions, "a thread has more than 1,048,574 open regions");
            readers_type::open_another(*mine);
        }
    }

    FREEHOLD_NOINLINE static void close_otherwise() noexcept {
        if (unslotted != 0) {
            if (--unslotted == 0) shards.readers.close_without_slot();
        } else if (open_in(*mine) == readers_type::one_region) {
            shards.readers.close(*mine);
            if (has_ended) give_back();
        } else {
            readers_type::close_inner(*mine);
        }
    }

    static void prepare_thread() noexcept {
        prepare();
        if (!has_ended) has_ended = !thread_end<&end>::arm();
        mine = shards.readers.all_slots.acquire();
        if (mine == nullptr) return;
        mine->thread = this_thread();
        if (!has_ended && shards.readers.fence.is_asymmetric()) light = mine;
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
    static void begin_fork() noexcept {
        shards.lock_for_fork();
        is_forking = true;
    }
    static void end_fork() noexcept { shards.unlock_after_fork(); }

    // By each module that has had regions. The first one closes those of threads that the child does not have. A thread
    // has a slot for each module, except for modules that share these variables.
    static void begin_child() noexcept {
        if (shards.restart_in_child()) shards.readers.close_all_but_of(this_thread());
        if (std::exchange(is_forking, false) && unslotted != 0) shards.readers.open_without_slot();
    }

    static void end() noexcept {
        has_ended = true;
        light = &no_slot;
        if (mine != nullptr && open_in(*mine) == 0) give_back();
    }

    FREEHOLD_NOINLINE static void give_back() noexcept {
        shards.readers.all_slots.release(*std::exchange(mine, nullptr));
    }
};

template <class T, class D>
const rcu_obj_base<T, D>* rcu_base_of(const rcu_obj_base<T, D>*);

// A class that has a base rcu_obj_base<T, D>, for exactly one D, which is public and not virtual.
template <class T>
concept rcu_protectable = requires(const T* object) { static_cast<const T*>(detail::rcu_base_of<T>(object)); };

}  // namespace detail

// A Cpp17Lockable that all threads can lock at once: lock() opens a region of RCU protection.
class rcu_domain {
public:
    rcu_domain(const rcu_domain&) = delete;
    rcu_domain& operator=(const rcu_domain&) = delete;

    // Effects: opens a region of the calling thread. Regions may be nested. Requires: the thread has fewer than
    // 1,048,575 open regions. Complexity: constant.
    void lock() noexcept { detail::rcu_thread::open(); }

    // Effects: as lock(). Returns: true.
    bool try_lock() noexcept {
        lock();
        return true;
    }

    // Effects: closes the region that the thread opened last. Calls no deleters.
    // Requires: the thread has an open region. Complexity: constant.
    void unlock() noexcept {
        FREEHOLD_EXPECTS(detail::rcu_thread::is_open(), "the thread has no open region of RCU protection");
        detail::rcu_thread::close();
    }

private:
    friend rcu_domain& rcu_default_domain() noexcept;

    constexpr rcu_domain() noexcept = default;
};

// Returns: the domain. It is the only one, and lives until the process ends.
[[nodiscard]] inline rcu_domain& rcu_default_domain() noexcept {
    static constinit rcu_domain domain;
    return domain;
}

// Effects: blocks until all regions are closed that were open at the call; sleeps after some microseconds.
// Requires: the calling thread has no open region. Complexity: linear in the threads that have regions.
inline void rcu_synchronize(rcu_domain& = rcu_default_domain()) noexcept {
    using thread = detail::rcu_thread;
    FREEHOLD_EXPECTS(!thread::is_open(), "a thread in a region of RCU protection would wait for itself");
    thread::readers_type::grace_period(thread::shards.begin_scan()).wait(thread::shards.readers);
}

// Effects: blocks until the deleters have returned of all objects that were retired before the call, and, beyond
// [saferecl.rcu], of those that these deleters retire in turn; calls them itself. Does not wait for what other threads
// retire later. None if the caller is such a deleter. Does not return while deleters go on to retire further objects.
// Requires: the calling thread has no open region.
// Complexity: linear in the retired objects; for each generation of them, that is those which one deleter after the
// other has retired, a system call, and linear in the threads that have regions.
FREEHOLD_PER_THREAD inline void rcu_barrier(rcu_domain& = rcu_default_domain()) noexcept {
    using thread = detail::rcu_thread;
    FREEHOLD_EXPECTS(!thread::is_open(), "a thread in a region of RCU protection would wait for itself");
    thread::shards.drain(thread::retiring);
}

// Effects: from now on at most so much that was retired waits in the process, besides what open regions hold up. Any
// thread may call it, at any time. Not in C++26. Complexity: constant.
inline void set_rcu_limits(reclamation_limits most) noexcept { detail::rcu_thread::shards.limits.set(most); }

// The base of a class T whose objects regions protect. Requires: d(p) is valid for a value d of type D, which is
// Cpp17DefaultConstructible and Cpp17MoveAssignable, and a value p of type T*.
template <class T, class D = std::default_delete<T>>
class rcu_obj_base : private detail::retired_object {
public:
    // Effects: d(p), for a pointer p to this object, is called when all regions are closed that are open now, by a
    // later call of this function or of rcu_retire or rcu_barrier in any thread. May call the deleters of other retired
    // objects.
    // Requires: *this is a base of a T that is not retired, and that no region can reach any more; neither moving d nor
    // calling it throws.
    // Complexity: constant, without the deleters and what they retire. Every 4,096th call in the process, or sooner if
    // the objects are large, takes a system call of 2 to 14 microseconds.
    void retire(D d = D(), rcu_domain& = rcu_default_domain()) noexcept {
        static_assert(detail::rcu_protectable<T>,
                      "T needs exactly one base rcu_obj_base<T, D>, public and not virtual");
        FREEHOLD_EXPECTS(reclaim == nullptr, "the object is retired already");
        deleter_ = std::move(d);
        reclaim = [](detail::retired_object* retired) noexcept {
            auto* const base = static_cast<rcu_obj_base*>(retired);
            D deleter = std::move(base->deleter_);
            deleter(static_cast<T*>(base));
        };
        detail::rcu_thread::retire(*this, sizeof(T));
    }

protected:
    rcu_obj_base() = default;
    rcu_obj_base(const rcu_obj_base&) = default;
    rcu_obj_base(rcu_obj_base&&) = default;
    rcu_obj_base& operator=(const rcu_obj_base&) = default;
    rcu_obj_base& operator=(rcu_obj_base&&) = default;
    ~rcu_obj_base() = default;

private:
    [[no_unique_address]] D deleter_;
};

namespace detail {

// Returns: the size of a T; 1 if it is not known.
template <class T>
constexpr std::size_t rcu_bytes() noexcept {
    if constexpr (!std::is_void_v<T> && requires { sizeof(T); }) {
        return sizeof(T);
    } else {
        return 1;
    }
}

// Scheduled by rcu_retire.
template <class T, class D>
struct rcu_retirement : retired_object {
    rcu_retirement(T* p, D&& d) : pointer(p), deleter(std::move(d)) {
        reclaim = [](retired_object* retired) noexcept {
            const std::unique_ptr<rcu_retirement> self(static_cast<rcu_retirement*>(retired));
            self->deleter(self->pointer);
        };
    }

    T* pointer;
    [[no_unique_address]] D deleter;
};

}  // namespace detail

// Effects: d(p) is called when all regions are closed that are open now, by a later call of this function or of
// rcu_barrier or rcu_obj_base::retire in any thread. May call the deleters of other retired objects.
// Requires: no region can reach *p any more; d(p) does not throw.
// Throws: std::bad_alloc, or what moving d throws: then nothing is scheduled.
// Complexity: constant, without the deleters and what they retire; an allocation.
template <class T, class D = std::default_delete<T>>
void rcu_retire(T* p, D d = D(), rcu_domain& = rcu_default_domain()) {
    static_assert(std::is_move_constructible_v<D> && std::is_invocable_v<D&, T*>, "d(p) needs to be valid");
    auto* const scheduled = new detail::rcu_retirement<T, D>(p, std::move(d));
    detail::rcu_thread::retire(*scheduled, detail::rcu_bytes<T>());
}

}  // namespace freehold
