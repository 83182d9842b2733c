// Regions of a domain within one another, under the checker. While the header is read, its names and those of what it
// synchronizes with stand for the checker's: other tests of the program have it as it is.

#include <gtest/gtest.h>
#include <freehold/core/thread_end.hpp>
#include <freehold/reclamation/detail/rcu_readers.hpp>
#include <freehold/reclamation/detail/reclamation_threading.hpp>
#include <freehold/reclamation/detail/retired_lanes.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "support/checked_asymmetric_fence.hpp"
#include "support/checked_atomic.hpp"
#include "support/checked_sleep.hpp"
#include "support/checker.hpp"

namespace freehold::detail {

struct checked_rcu : support::checked_sleep {
    template <class T>
    using atomic = support::checked_atomic<T>;

    struct limits {
        static constexpr std::uint64_t fence_period() { return 1; }
        static constexpr std::uint64_t chunk() { return 1; }
        static constexpr std::size_t weight_of(std::size_t) { return 1; }
        void set(reclamation_limits) noexcept {}
    };

    struct fence : support::checked_asymmetric_fence {
        void register_process() noexcept {}
        [[nodiscard]] static bool is_asymmetric() noexcept { return has_membarrier; }
    };

    static constexpr std::size_t lane_count = 2;
    static constexpr int weight_bits = 20;
    static constexpr std::uint32_t records_in_group = 3;
    static constexpr bool is_first_group_in_place = true;

    static void* allocate(std::size_t) noexcept { return nullptr; }
    static void free(void*, std::size_t) noexcept {}
    static void yield() noexcept {}
    static void rest() noexcept {}
};

}  // namespace freehold::detail

#define __asm__(name)
#define reclamation_threading checked_rcu
#define rcu_thread checked_rcu_thread
#define rcu_domain checked_rcu_domain
#define rcu_default_domain checked_default_domain
#define rcu_synchronize synchronize_checked
#define rcu_barrier checked_barrier
#define set_rcu_limits set_checked_rcu_limits
#define rcu_obj_base checked_rcu_obj_base
#define rcu_base_of checked_rcu_base_of
#define rcu_protectable checked_rcu_protectable
#define rcu_bytes checked_rcu_bytes
#define rcu_retirement checked_rcu_retirement
#define rcu_retire retire_checked
#include <freehold/reclamation/rcu_domain.hpp>
#undef rcu_retire
#undef rcu_retirement
#undef rcu_bytes
#undef rcu_protectable
#undef rcu_base_of
#undef rcu_obj_base
#undef set_rcu_limits
#undef rcu_barrier
#undef rcu_synchronize
#undef rcu_default_domain
#undef rcu_domain
#undef rcu_thread
#undef reclamation_threading
#undef __asm__

namespace {

using domain = freehold::detail::checked_rcu_thread;

struct object {
    // A reader may stop while it uses the object.
    void use() const {
        EXPECT_TRUE(is_alive.get());
        support::execution::pass();
        EXPECT_TRUE(is_alive.get());
    }

    support::plain<bool> is_alive = true;
};

struct one_reads_in_regions_what_another_replaces {
    static constexpr std::size_t threads = 2;

    one_reads_in_regions_what_another_replaces() {
        std::destroy_at(&domain::lanes);
        ::new (static_cast<void*>(&domain::lanes)) domain::lanes_type;
    }

    void run(std::size_t thread) {
        if (thread == 1) {
            object& old = *source.exchange(&second, std::memory_order_acq_rel);
            freehold::synchronize_checked();
            old.is_alive.set(false);
            return;
        }
        domain::has_ended = false;  // as of a thread that has done nothing
        freehold::checked_rcu_domain& regions = freehold::checked_default_domain();
        for (int i = 0; i != 2; ++i) {
            regions.lock();
            read();
            regions.lock();
            regions.unlock();
            read();
            regions.unlock();
        }
        domain::end();
    }

    void read() const { source.load(std::memory_order_acquire)->use(); }

    void check() {}

    object first;
    object second;
    support::checked_atomic<object*> source = &first;
};

// No step after an operation: all data is plain.
constexpr support::bounds few{.interruptions = 2, .surprises = 1, .steps_after = false};

}  // namespace

TEST(checked_rcu_domain, a_writer_waits_for_regions_within_regions) {
    EXPECT_GT(support::for_every_execution<one_reads_in_regions_what_another_replaces>(few), 10);
}

TEST(checked_rcu_domain, a_writer_waits_for_regions_within_regions_without_membarrier) {
    const support::without_membarrier full;
    EXPECT_GT(support::for_every_execution<one_reads_in_regions_what_another_replaces>(few), 10);
}
