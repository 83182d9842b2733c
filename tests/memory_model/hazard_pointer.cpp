// A reader that protects an object by reset_protection() and reads the source again itself, under the checker. While
// the header is read, its names and those of what it synchronizes with stand for the checker's: other tests of the
// program have it as it is.

#include <gtest/gtest.h>
#include <freehold/core/thread_end.hpp>
#include <freehold/reclamation/detail/hazard_readers.hpp>
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

struct checked_reclamation : support::checked_sleep {
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

namespace std {  // NOLINT(cert-dcl58-cpp)
using support::checked_atomic;
}
#define __asm__(name)
#define atomic checked_atomic
#define reclamation_threading checked_reclamation
#define hazard_pointers checked_hazard_pointers
#define hazard_pointer checked_hazard_pointer
#define hazard_pointer_obj_base checked_obj_base
#define hazard_pointer_clean_up checked_clean_up
#define make_hazard_pointer make_checked_hazard_pointer
#define set_hazard_pointer_limits set_checked_limits
#define hazard_base_of checked_base_of
#define hazard_protectable checked_protectable
#include <freehold/reclamation/hazard_pointer.hpp>
#undef hazard_protectable
#undef hazard_base_of
#undef set_hazard_pointer_limits
#undef make_hazard_pointer
#undef hazard_pointer_clean_up
#undef hazard_pointer_obj_base
#undef hazard_pointer
#undef hazard_pointers
#undef reclamation_threading
#undef atomic
#undef __asm__

namespace {

using domain = freehold::detail::checked_hazard_pointers;

struct object;

struct mark_as_gone {
    void operator()(object* gone) const;
};

struct object : freehold::checked_obj_base<object, mark_as_gone> {
    support::plain<bool> is_alive = true;
};

void mark_as_gone::operator()(object* gone) const {
    support::execution::pass();
    gone->is_alive.set(false);
}

struct one_protects_by_hand_what_another_retires {
    static constexpr std::size_t threads = 2;

    one_protects_by_hand_what_another_retires() {
        std::destroy_at(&domain::lanes);
        ::new (static_cast<void*>(&domain::lanes)) domain::lanes_type;
    }

    void run(std::size_t thread) {
        // As a thread that has done nothing, and keeps nothing for a next execution.
        std::destroy_at(&domain::retiring);
        std::construct_at(&domain::retiring);
        domain::has_ended = true;
        if (thread == 1) {
            source.exchange(&second, std::memory_order_acq_rel)->retire();
            return freehold::checked_clean_up();
        }
        freehold::checked_hazard_pointer hazard = freehold::make_checked_hazard_pointer();
        object* const seen = source.load(std::memory_order_acquire);
        hazard.reset_protection(seen);
        if (source.load(std::memory_order_acquire) != seen) return;
        EXPECT_TRUE(seen->is_alive.get());
        support::execution::pass();
        EXPECT_TRUE(seen->is_alive.get());
    }

    void check() {}

    object first;
    object second;
    support::checked_atomic<object*> source = &first;
};

constexpr support::bounds few{.interruptions = 2, .surprises = 1, .steps_after = false};

}  // namespace

TEST(checked_hazard_pointer, what_is_read_again_is_protected) {
    EXPECT_GT(support::for_every_execution<one_protects_by_hand_what_another_retires>(few), 10);
}

TEST(checked_hazard_pointer, what_is_read_again_is_protected_without_membarrier) {
    const support::without_membarrier full;
    EXPECT_GT(support::for_every_execution<one_protects_by_hand_what_another_retires>(few), 10);
}
