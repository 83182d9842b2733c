#pragma once
// Hazard pointers and RCU, and the fixture of the suite that both pass: an object that was retired is deleted once,
// when no thread reads it.
//
// A family provides
//   base<T, D>             the base of the objects, with retire()
//   protection(source)     reads the pointer, and protects the object until its own end; get() returns it
//   reclaim_all()          calls the deleter of each retired object that no thread reads
//   readers_made()         how many cache lines readers have
//   limit(most)            sets how much may wait

#include <gtest/gtest.h>
#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "support/contract.hpp"
#include "support/tracked.hpp"

namespace contracts {

struct hazard {
    static constexpr const char* name = "hazard_pointer";

    template <class T, class D = std::default_delete<T>>
    using base = freehold::hazard_pointer_obj_base<T, D>;

    template <class T>
    class protection {
    public:
        explicit protection(const std::atomic<T*>& source) : object_(hazard_.protect(source)) {}

        [[nodiscard]] T* get() const { return object_; }

    private:
        freehold::hazard_pointer hazard_ = freehold::make_hazard_pointer();
        T* object_;
    };

    static void reclaim_all() { freehold::hazard_pointer_clean_up(); }
    static std::size_t readers_made() { return freehold::detail::hazard_pointers::shards.readers.all_slots.made(); }
    static void limit(freehold::reclamation_limits most) { freehold::set_hazard_pointer_limits(most); }
};

struct rcu {
    static constexpr const char* name = "rcu_domain";

    template <class T, class D = std::default_delete<T>>
    using base = freehold::rcu_obj_base<T, D>;

    template <class T>
    class protection {
    public:
        explicit protection(const std::atomic<T*>& source) : object_(source.load(std::memory_order_acquire)) {}

        [[nodiscard]] T* get() const { return object_; }

    private:
        std::scoped_lock<freehold::rcu_domain> region_{freehold::rcu_default_domain()};
        T* object_;
    };

    static void reclaim_all() { freehold::rcu_barrier(); }
    static std::size_t readers_made() { return freehold::detail::rcu_thread::shards.readers.all_slots.made(); }
    static void limit(freehold::reclamation_limits most) { freehold::set_rcu_limits(most); }
};

template <class Family>
class reclamation_domain : public support::tracked_test {
protected:
    // Its two halves are complements while it is alive.
    struct object : Family::template base<object>, support::tracked {
        explicit object(unsigned n = 0) : value(n), complement(~n) {}
        object(const object&) = default;
        object& operator=(const object&) = delete;
        ~object() { value = complement = 0; }

        [[nodiscard]] bool is_alive() const { return value == ~complement; }

        unsigned value;
        unsigned complement;
    };

    using protection = typename Family::template protection<object>;

    static constexpr long bound = 9'216;

    void TearDown() override {
        Family::reclaim_all();
        Family::limit({});
        support::tracked_test::TearDown();
    }

    // Returns: the largest number of objects that were alive at once.
    static long retire(long count) {
        long most = 0;
        for (long i = 0; i < count; ++i) {
            (new object)->retire();
            most = std::max<long>(most, support::tracked::alive());
        }
        return most;
    }
};

}  // namespace contracts

template <>
struct support::implementations<contracts::reclamation_domain> {
    using types = testing::Types<contracts::hazard, contracts::rcu>;
};
