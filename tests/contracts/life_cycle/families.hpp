#pragma once
// What several threads read and replace, by each type that is for it, and the fixture of the suite about threads,
// processes and programs that begin and end meanwhile.
//
// A family provides
//   place             what the threads share; it owns an object
//   place::replace()  gives it another object
//   holding(place)    reads the object, and keeps it until its own end
//   objects           the number of objects that a place owns once one was replaced
//   settle()          destroys what the calling thread can destroy. Requires: it holds nothing.

#include <gtest/gtest.h>
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

#include "support/contract.hpp"
#include "support/thread_state.hpp"
#include "support/tracked.hpp"

namespace contracts {

template <class Base>
struct living : Base, support::tracked {
    living() = default;
    living(const living&) = delete;
    living& operator=(const living&) = delete;
    ~living() { state = 0; }

    [[nodiscard]] bool is_sound() const { return state == sound; }

    static constexpr int sound = 0x50f7;
    int state = sound;
};

struct no_base {};

using object = living<no_base>;

struct intrusive_object : living<freehold::ref_counted<intrusive_object>> {};
struct hazardous_object : living<freehold::hazard_pointer_obj_base<hazardous_object>> {};
struct rcu_object : living<freehold::rcu_obj_base<rcu_object>> {};

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
inline freehold::shared_ptr<object> make_shared_object() {
    static std::atomic<unsigned> made = 0;
    if (made.fetch_add(1, std::memory_order_relaxed) % 2 == 0) return freehold::make_shared<object>();
    return freehold::shared_ptr<object>(new object);
}

struct atomic_shared : atomic_family<freehold::shared_ptr<object>, &make_shared_object> {
    static constexpr const char* name = "atomic_shared_ptr";
};

struct atomic_intrusive
    : atomic_family<freehold::intrusive_ptr<intrusive_object>, &freehold::make_intrusive<intrusive_object>> {
    static constexpr const char* name = "atomic_intrusive_ptr";
};

struct atomic_thin : atomic_family<freehold::thin_ptr<object>, &freehold::make_thin<object>> {
    static constexpr const char* name = "atomic_thin_ptr";
};

struct cached : atomic_shared {
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

    struct place {
        void replace() {
            pointer.store(make_shared_object());
            pointer.store(owner);
        }

        const freehold::shared_ptr<object> owner = make_shared_object();
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

// Threads copy one owner. What they make is released by other threads.
template <class Owner, auto make>
struct counted_family {
    static constexpr int objects = 2;

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
};

struct counted : counted_family<freehold::shared_ptr<object>, &make_shared_object> {
    static constexpr const char* name = "shared_ptr";

    static void settle() {}
};

inline freehold::biased_shared_ptr<object> make_biased_object() { return freehold::make_biased_shared<object>(); }

struct biased : counted_family<freehold::biased_shared_ptr<object>, &make_biased_object> {
    static constexpr const char* name = "biased_shared_ptr";

    static void settle() { freehold::merge_biased_counts(); }
};

inline freehold::sharded_shared_ptr<object> make_sharded_object() {
    auto made = freehold::make_sharded_shared<object>();
    freehold::open_shards(made);
    return made;
}

struct sharded : counted_family<freehold::sharded_shared_ptr<object>, &make_sharded_object> {
    static constexpr const char* name = "sharded_shared_ptr";

    static void settle() {}
};

template <class Object>
struct retiring_place {
    retiring_place() = default;
    retiring_place(const retiring_place&) = delete;
    retiring_place& operator=(const retiring_place&) = delete;
    ~retiring_place() { pointer.exchange(nullptr)->retire(); }

    void replace() { pointer.exchange(new Object)->retire(); }

    std::atomic<Object*> pointer = new Object;
};

struct hazard {
    static constexpr const char* name = "hazard_pointer";
    static constexpr int objects = 1;

    using place = retiring_place<hazardous_object>;

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

struct rcu {
    static constexpr const char* name = "rcu_domain";
    static constexpr int objects = 1;

    using place = retiring_place<rcu_object>;

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

template <class Family>
class life_cycle : public support::tracked_test {
protected:
    using place = typename Family::place;
    using holding = typename Family::holding;

    void SetUp() override {
        support::tracked_test::SetUp();
        support::start_first_thread();
    }

    void TearDown() override {
        Family::settle();
        support::tracked_test::TearDown();
    }

    // What a thread does with a place. Returns: whether all that it has read is alive.
    static bool use(place& used) {
        holding held(used);
        used.replace();
        used.replace();
        return held.is_sound() && holding(used).is_sound();
    }

    // The destructor uses the place.
    struct late_user {
        late_user() = default;
        late_user(const late_user&) = delete;
        late_user& operator=(const late_user&) = delete;
        ~late_user() {
            EXPECT_TRUE(used == nullptr || use(*used));
        }

        place* used = nullptr;
    };
};

}  // namespace contracts

template <>
struct support::implementations<contracts::life_cycle> {
    using types = testing::Types<contracts::atomic_shared, contracts::atomic_weak, contracts::atomic_intrusive,
                                 contracts::atomic_thin, contracts::cached, contracts::counted, contracts::biased,
                                 contracts::sharded, contracts::hazard, contracts::rcu>;
};
