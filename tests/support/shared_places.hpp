#pragma once
// What several threads read and replace, by each type of Freehold that is for it.
//
// A family provides
//   place             what the threads share; it owns an object
//   place::replace()  gives it another object
//   holding(place)    reads the object, and keeps it until its own end
//   object            the type of the objects, which counts them
//   objects           the number of objects that a place owns once one was replaced
//   settle()          destroys what the calling thread can destroy. Requires: it holds nothing.

#include <freehold/pointers/atomic_intrusive_ptr.hpp>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/atomic_thin_ptr.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/cached_snapshot.hpp>
#include <freehold/pointers/deferred_releases.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/ref_counted.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <atomic>
#include <mutex>

#include "tracked.hpp"

namespace support {

struct no_base {};

// Its destructor overwrites it: who reads it afterwards notices, and AddressSanitizer notices who reads it once the
// memory is freed.
template <class Family, class Base = no_base>
class living : public Base, public tracked {
public:
    living() { made_.fetch_add(1, std::memory_order_relaxed); }
    living(const living&) = delete;
    living& operator=(const living&) = delete;
    ~living() {
        state_ = 0xdead;
        destroyed_.fetch_add(1, std::memory_order_relaxed);
    }

    [[nodiscard]] bool is_sound() const { return state_ == sound; }

    // How many objects of the family there were in the process.
    [[nodiscard]] static long made() { return made_.load(std::memory_order_relaxed); }
    [[nodiscard]] static long destroyed() { return destroyed_.load(std::memory_order_relaxed); }

private:
    static constexpr int sound = 0x50f7;

    static inline std::atomic<long> made_ = 0;
    static inline std::atomic<long> destroyed_ = 0;

    volatile int state_ = sound;  // or the compiler leaves out what the destructor writes
};

template <class Pointer, auto make>
struct atomic_family {
    static constexpr int objects = 1;

    struct place {
        void replace() { pointer.store(make()); }

        std::atomic<Pointer> pointer{make()};
    };

    class holding {
    public:
        explicit holding(const place& from) : snapshot_(from.pointer.snapshot()) {}

        [[nodiscard]] bool is_sound() const { return snapshot_->is_sound() && snapshot_.share()->is_sound(); }

    private:
        decltype(place().pointer.snapshot()) snapshot_;
    };

    static void settle() { freehold::flush_deferred_releases(); }
};

// Every second one is not where its count is: its word is that of a record.
template <class Object>
freehold::shared_ptr<Object> make_somewhere() {
    static std::atomic<unsigned> made = 0;
    if (made.fetch_add(1, std::memory_order_relaxed) % 2 == 0) return freehold::make_shared<Object>();
    return freehold::shared_ptr<Object>(new Object);
}

template <class Family>
struct atomic_shared_family : atomic_family<freehold::shared_ptr<living<Family>>, &make_somewhere<living<Family>>> {
    using object = living<Family>;
};

struct atomic_shared : atomic_shared_family<atomic_shared> {
    static constexpr const char* name = "atomic_shared_ptr";
};

struct cached : atomic_shared_family<cached> {
    static constexpr const char* name = "cached_snapshot";

    class holding {
    public:
        explicit holding(const place& from) : cache_(from.pointer) {}

        [[nodiscard]] bool is_sound() { return cache_->is_sound(); }

    private:
        freehold::cached_snapshot<object> cache_;
    };
};

// Every second object has no owner but the place that made it.
struct atomic_weak {
    static constexpr const char* name = "atomic_weak_ptr";
    static constexpr int objects = 1;

    using object = living<atomic_weak>;

    struct place {
        void replace() {
            pointer.store(make_somewhere<object>());
            pointer.store(owner);
        }

        const freehold::shared_ptr<object> owner = make_somewhere<object>();
        freehold::atomic_weak_ptr<object> pointer{owner};
    };

    class holding {
    public:
        explicit holding(const place& from) : owner_(from.pointer.load().lock()) {}

        [[nodiscard]] bool is_sound() const { return owner_ == nullptr || owner_->is_sound(); }

    private:
        freehold::shared_ptr<object> owner_;
    };

    static void settle() { freehold::flush_deferred_releases(); }
};

struct intrusive_object : living<struct atomic_intrusive, freehold::ref_counted<intrusive_object>> {};

struct atomic_intrusive
    : atomic_family<freehold::intrusive_ptr<intrusive_object>, &freehold::make_intrusive<intrusive_object>> {
    static constexpr const char* name = "atomic_intrusive_ptr";

    using object = intrusive_object;
};

struct atomic_thin : atomic_family<freehold::thin_ptr<living<atomic_thin>>, &freehold::make_thin<living<atomic_thin>>> {
    static constexpr const char* name = "atomic_thin_ptr";

    using object = living<atomic_thin>;
};

// Threads copy one owner. What they make is released by other threads.
template <class Owner, auto make>
struct counted_family {
    static constexpr int objects = 2;

    using object = typename Owner::element_type;

    struct place {
        place() = default;
        place(const place&) = delete;
        place& operator=(const place&) = delete;
        ~place() { delete shelf.exchange(nullptr); }

        void replace() { delete shelf.exchange(new Owner(make())); }

        const Owner owner = make();
        std::atomic<Owner*> shelf = nullptr;
    };

    class holding {
    public:
        explicit holding(const place& from) : owner_(from.owner) {}

        [[nodiscard]] bool is_sound() const {
            const typename Owner::weak_type weak = owner_;
            return owner_->is_sound() && weak.lock() == owner_;
        }

    private:
        Owner owner_;
    };

    static void settle() {}
};

struct counted : counted_family<freehold::shared_ptr<living<counted>>, &make_somewhere<living<counted>>> {
    static constexpr const char* name = "shared_ptr";
};

template <class Object>
freehold::biased_shared_ptr<Object> make_biased() {
    return freehold::make_biased_shared<Object>();
}

struct biased : counted_family<freehold::biased_shared_ptr<living<biased>>, &make_biased<living<biased>>> {
    static constexpr const char* name = "biased_shared_ptr";

    static void settle() { freehold::merge_biased_counts(); }
};

template <class Object>
freehold::sharded_shared_ptr<Object> make_with_shards() {
    auto made = freehold::make_sharded_shared<Object>();
    freehold::open_shards(made);
    return made;
}

struct sharded : counted_family<freehold::sharded_shared_ptr<living<sharded>>, &make_with_shards<living<sharded>>> {
    static constexpr const char* name = "sharded_shared_ptr";
};

template <class Object>
struct retiring_family {
    static constexpr int objects = 1;

    using object = Object;

    struct place {
        place() = default;
        place(const place&) = delete;
        place& operator=(const place&) = delete;
        ~place() { pointer.exchange(nullptr)->retire(); }

        void replace() { pointer.exchange(new Object)->retire(); }

        std::atomic<Object*> pointer = new Object;
    };
};

struct hazardous_object : living<struct hazard, freehold::hazard_pointer_obj_base<hazardous_object>> {};
struct rcu_object : living<struct rcu, freehold::rcu_obj_base<rcu_object>> {};

struct hazard : retiring_family<hazardous_object> {
    static constexpr const char* name = "hazard_pointer";

    class holding {
    public:
        explicit holding(const place& from) : object_(hazard_.protect(from.pointer)) {}

        [[nodiscard]] bool is_sound() const { return object_->is_sound(); }

    private:
        freehold::hazard_pointer hazard_ = freehold::make_hazard_pointer();
        const hazardous_object* object_;
    };

    static void settle() { freehold::hazard_pointer_clean_up(); }
};

struct rcu : retiring_family<rcu_object> {
    static constexpr const char* name = "rcu_domain";

    class holding {
    public:
        explicit holding(const place& from) : object_(from.pointer.load(std::memory_order_acquire)) {}

        [[nodiscard]] bool is_sound() const { return object_->is_sound(); }

    private:
        std::scoped_lock<freehold::rcu_domain> region_{freehold::rcu_default_domain()};
        const rcu_object* object_;
    };

    static void settle() { freehold::rcu_barrier(); }
};

}  // namespace support
