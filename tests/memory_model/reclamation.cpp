// Hazard pointers and RCU under the checker: what a reader protects is not reclaimed, what is retired is reclaimed
// once, and what a reader did with an object happens before its reclamation.

#include <gtest/gtest.h>
#include <freehold/reclamation/detail/hazard_readers.hpp>
#include <freehold/reclamation/detail/rcu_readers.hpp>
#include <freehold/reclamation/detail/retired_shards.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <source_location>
#include <vector>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using freehold::detail::retired_object;
using freehold::detail::retired_shards;
using freehold::detail::retiring_thread;
using support::checked_atomic;
using support::checked_threading;
using support::for_every_execution;
using support::for_random_executions;
using support::plain;

// Two threads share two shards. A scan begins after that weight was retired.
template <std::uint64_t FencePeriod>
struct few_shards {
    struct adjustable {
        static constexpr std::uint64_t fence_period() { return FencePeriod; }
        static constexpr std::uint64_t chunk() { return 1; }
        static constexpr std::size_t weight_of(std::size_t bytes) { return bytes; }
    };

    static constexpr int weight_bits = 20;
    static constexpr std::size_t shard_count = 2;
    static constexpr std::uint32_t records_in_group = 3;
    static constexpr bool is_first_group_in_place = true;

    static void* allocate(std::size_t) noexcept { return nullptr; }  // the first slots are in place
    static void free(void*, std::size_t) noexcept {}
};

using often = few_shards<1>;
using rarely_due = few_shards<1000>;
using hazard_readers = freehold::detail::hazard_readers<checked_threading, often>;
using rcu_readers = freehold::detail::rcu_readers<checked_threading, often>;

struct object : retired_object {
    object() noexcept {
        reclaim = [](retired_object* retired) noexcept { static_cast<object*>(retired)->end(); };
    }

    // Others go on between the decision that it ends and the end.
    void end() noexcept {
        support::execution::pass();
        is_alive.set(false);
        ++reclaimed;
    }
    // A reader may stop while it uses the object.
    void use() const {
        EXPECT_TRUE(is_alive.get());
        support::execution::pass();
        EXPECT_TRUE(is_alive.get());
    }

    plain<bool> is_alive = true;
    int reclaimed = 0;
};

// What thread 0 reads is replaced by the others.
template <class Readers, class Limits = often, class Threading = checked_threading>
struct scenario {
    static constexpr std::size_t objects_of_a_thread = 5;

    void retire(std::size_t writer, object& retired) { shards.retire(retired, 1, threads_of[writer]); }

    void replace_and_retire(std::size_t writer) {
        auto& own = objects[writer];
        own[0].is_alive.set(true);
        retire(writer, *source.exchange(&own[0], std::memory_order_acq_rel));
        // Others, that it is looked at.
        for (std::size_t i = 1; i != own.size(); ++i) retire(writer, own[i]);
    }

    void check() {
        retire(0, *source.load());
        shards.drain(threads_of[0]);
        EXPECT_EQ(first.reclaimed, 1);
        for (std::size_t writer = 1; writer != used; ++writer) {
            for (const object& each : objects[writer]) EXPECT_EQ(each.reclaimed, 1);
        }
    }

    std::size_t used = 2;
    object first;
    std::array<std::array<object, objects_of_a_thread>, 3> objects;
    std::array<retiring_thread, 3> threads_of{};
    checked_atomic<object*> source = &first;
    retired_shards<Threading, Readers, Limits> shards;
};

struct a_protected_object_is_replaced : scenario<hazard_readers> {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 1) return replace_and_retire(1);
        read();
    }

    void read() {
        auto& slot = *shards.readers.all_slots.acquire();
        object* seen = &objects[1][0];  // a guess: nothing has been acquired
        while (!shards.readers.try_protect(slot, seen, seen, source)) {
        }
        seen->use();
        hazard_readers::protect(slot, nullptr);
        shards.readers.all_slots.release(slot);
    }
};

// No fence of a later scan comes between the last look at the readers and the end of the object.
struct a_protected_object_is_reclaimed : a_protected_object_is_replaced {
    void run(std::size_t thread) {
        if (thread == 0) return read();
        retire(1, *source.exchange(&objects[1][0], std::memory_order_acq_rel));
        shards.drain(threads_of[1]);
    }

    void check() {
        shards.drain(threads_of[0]);
        EXPECT_EQ(first.reclaimed, 1);
    }
};

// The reader looks at the source again itself.
struct an_object_is_protected_by_hand : a_protected_object_is_reclaimed {
    void run(std::size_t thread) {
        if (thread == 1) return a_protected_object_is_reclaimed::run(thread);
        auto& slot = *shards.readers.all_slots.acquire();
        const object* const seen = source.load(std::memory_order_acquire);
        shards.readers.protect_before_reading(slot, seen);
        if (source.load(std::memory_order_acquire) == seen) seen->use();
        hazard_readers::protect(slot, nullptr);
        shards.readers.all_slots.release(slot);
    }
};

struct an_object_is_replaced_in_a_region : scenario<rcu_readers> {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 1) return replace_and_retire(1);
        auto& slot = *shards.readers.all_slots.acquire();
        shards.readers.open(slot);
        source.load(std::memory_order_acquire)->use();
        shards.readers.close(slot);
        shards.readers.all_slots.release(slot);
    }
};

struct an_object_is_replaced_in_a_region_without_memory : scenario<rcu_readers> {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 1) return replace_and_retire(1);
        shards.readers.open_without_slot();
        source.load(std::memory_order_acquire)->use();
        shards.readers.close_without_slot();
    }
};

// The end of a grace period orders what the writer does next after what the readers did.
struct a_writer_synchronizes : scenario<rcu_readers> {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 1) {
            object& old = *source.exchange(&objects[1][0], std::memory_order_acq_rel);
            rcu_readers::grace_period(shards.begin_scan()).wait(shards.readers);
            return old.end();
        }
        shards.readers.open_without_slot();
        source.load(std::memory_order_acquire)->use();
        shards.readers.close_without_slot();
        auto& slot = *shards.readers.all_slots.acquire();
        for (int i = 0; i < 2; ++i) {
            shards.readers.open(slot);
            source.load(std::memory_order_acquire)->use();
            shards.readers.close(slot);
        }
        shards.readers.all_slots.release(slot);
    }

    void check() { EXPECT_EQ(first.reclaimed, 1); }
};

// Regions within one another, as a thread of rcu_domain.hpp opens and closes them.
struct a_writer_synchronizes_with_nested_regions : scenario<rcu_readers> {
    static constexpr std::size_t threads = 2;

    using slot = rcu_readers::slot;

    void run(std::size_t thread) {
        if (thread == 1) {
            object& old = *source.exchange(&objects[1][0], std::memory_order_acq_rel);
            rcu_readers::grace_period(shards.begin_scan()).wait(shards.readers);
            return old.end();
        }
        slot& mine = *shards.readers.all_slots.acquire();
        for (int i = 0; i != 2; ++i) {
            open(mine);
            read();
            open(mine);
            close(mine);
            read();
            close(mine);
        }
        shards.readers.all_slots.release(mine);
    }

    void open(slot& mine) {
        if (is_asymmetric() && rcu_readers::is_closed(mine)) return shards.readers.open_light(mine);
        rcu_readers::open_in(mine) == 0 ? shards.readers.open(mine) : rcu_readers::open_another(mine);
    }

    void close(slot& mine) {
        if (rcu_readers::open_in(mine) != rcu_readers::one_region) return rcu_readers::close_inner(mine);
        is_asymmetric() ? rcu_readers::close_light(mine) : shards.readers.close(mine);
    }

    static bool is_asymmetric() { return support::checked_asymmetric_fence::has_membarrier; }

    void read() const { source.load(std::memory_order_acquire)->use(); }

    void check() { EXPECT_EQ(first.reclaimed, 1); }
};

// The scan that frees an object is begun by a thread that knows nothing of it.
template <template <class, class> class Readers>
struct another_begins_a_scan : scenario<Readers<checked_threading, rarely_due>, rarely_due> {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 1) return this->replace_and_retire(1);
        if (thread == 2) return static_cast<void>(this->shards.begin_scan());
        auto& readers = this->shards.readers;
        auto& slot = *readers.all_slots.acquire();
        if constexpr (requires { readers.open(slot); }) {
            readers.open(slot);
            this->source.load(std::memory_order_acquire)->use();
            readers.close(slot);
        } else {
            object* seen = &this->first;
            if (readers.try_protect(slot, seen, seen, this->source)) seen->use();
            readers.protect(slot, nullptr);
        }
        readers.all_slots.release(slot);
    }
};

// The heavy half of the fence, once a reader has come between it and the scan that needs it.
struct late_fence : support::checked_asymmetric_fence {
    static void heavy(std::source_location where = std::source_location::current()) {
        if (support::execution* const run = support::execution::mine()) {
            run->wait_until([] { return has_read; }, "wait", nullptr, where);
        }
        checked_asymmetric_fence::heavy(where);
    }

    static inline bool has_read;
};

struct late_threading : checked_threading {
    using fence = late_fence;
};

// A reader that sees a scan sees what was unlinked before it, also if it is another thread's.
struct a_region_opens_before_the_fence
    : scenario<freehold::detail::rcu_readers<late_threading, rarely_due>, rarely_due, late_threading> {
    static constexpr std::size_t threads = 3;

    a_region_opens_before_the_fence() { late_fence::has_read = false; }

    void run(std::size_t thread) {
        if (thread == 1) return replace_and_retire(1);
        if (thread == 2) return static_cast<void>(shards.begin_scan());
        auto& slot = *shards.readers.all_slots.acquire();
        shards.readers.open(slot);
        const object& seen = *source.load(std::memory_order_acquire);
        late_fence::has_read = true;
        seen.use();
        shards.readers.close(slot);
        shards.readers.all_slots.release(slot);
    }
};

// A thread may reclaim what another has retired.
template <class Readers>
struct one_reclaims_what_another_retires : scenario<Readers> {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) return this->shards.drain(this->threads_of[0]);
        for (object& each : this->objects[1]) {
            each.use();
            this->retire(1, each);
        }
    }

    void check() {
        this->shards.drain(this->threads_of[0]);
        for (const object& each : this->objects[1]) EXPECT_EQ(each.reclaimed, 1);
    }
};

// While all shards are locked, an object is sent to one.
struct one_retires_while_another_forks : scenario<hazard_readers> {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) {
            shards.lock_for_fork();
            shards.unlock_after_fork();
            return shards.drain(threads_of[0]);
        }
        first.use();
        retire(1, first);
    }

    void check() {
        shards.drain(threads_of[0]);
        EXPECT_EQ(first.reclaimed, 1);
    }
};

// What another thread has taken out of a shard is reclaimed, too, when drain() returns.
struct one_reclaims_what_another_works_on : scenario<hazard_readers> {
    static constexpr std::size_t threads = 2;

    one_reclaims_what_another_works_on() { retire(2, first); }

    void run(std::size_t thread) {
        if (thread == 0) {
            for (object& each : objects[1]) retire(2, each);  // in the shard of the first one
        } else {
            shards.drain(threads_of[0]);
            EXPECT_FALSE(first.is_alive.get());
        }
    }

    void check() {
        shards.drain(threads_of[0]);
        for (const object& each : objects[1]) EXPECT_EQ(each.reclaimed, 1);
    }
};

// What a deleter retires that another thread calls is reclaimed, too. A drain in a deleter waits for nothing.
struct one_reclaims_what_a_deleter_of_another_retires : scenario<hazard_readers> {
    static constexpr std::size_t threads = 2;

    struct outer_object : retired_object {
        explicit outer_object(one_reclaims_what_a_deleter_of_another_retires& its) noexcept : all(&its) {
            reclaim = [](retired_object* retired) noexcept {
                auto& scenario = *static_cast<outer_object*>(retired)->all;
                scenario.shards.retire(scenario.first, 1, *calling);
                scenario.shards.drain(*calling);
            };
        }

        one_reclaims_what_a_deleter_of_another_retires* all;
    };

    one_reclaims_what_a_deleter_of_another_retires() { shards.retire(outer, 1, threads_of[2]); }

    void run(std::size_t thread) {
        calling = &threads_of[2 - 2 * thread];
        if (thread == 0) {
            for (object& each : objects[1]) retire(2, each);  // in the shard of the first one
        } else {
            shards.drain(threads_of[0]);
            EXPECT_FALSE(first.is_alive.get());
        }
    }

    void check() {
        calling = threads_of.data();
        shards.drain(threads_of[0]);
        for (const object& each : objects[1]) EXPECT_EQ(each.reclaimed, 1);
    }

    outer_object outer{*this};
    static inline thread_local retiring_thread* calling = nullptr;
};

// Says when a shard is in use.
struct observed_readers : hazard_readers {
    struct scan : hazard_readers::scan {
        bool step(observed_readers& readers, freehold::detail::retired_list& free,
                  freehold::detail::retired_list& kept) noexcept {
            readers.is_in_use.set(true);
            support::execution::pass();
            readers.is_in_use.set(false);
            return hazard_readers::scan::step(readers, free, kept);
        }
    };

    plain<bool> is_in_use = false;
};

// Both copy the process while no thread uses a shard.
struct two_fork_while_another_retires : scenario<observed_readers> {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 2) return replace_and_retire(1);
        shards.lock_for_fork();
        EXPECT_FALSE(shards.readers.is_in_use.get());
        shards.unlock_after_fork();
    }
};

// Both return after all that was retired before is reclaimed.
struct two_threads_reclaim : scenario<hazard_readers> {
    static constexpr std::size_t threads = 2;

    two_threads_reclaim() { retire(2, first); }

    void run(std::size_t thread) {
        shards.drain(threads_of[thread]);
        EXPECT_FALSE(first.is_alive.get());
    }

    void check() { EXPECT_EQ(first.reclaimed, 1); }
};

template <class Readers>
struct two_threads_retire : scenario<Readers> {
    static constexpr std::size_t threads = 2;

    two_threads_retire() { this->used = 3; }

    void run(std::size_t thread) { this->replace_and_retire(thread + 1); }
};

template <class Readers>
struct two_threads_retire_in_one_shard : two_threads_retire<Readers> {
    two_threads_retire_in_one_shard() {
        for (retiring_thread& each : this->threads_of) each.shard = 1;
    }
};

// No step after an operation: all data is plain.
constexpr support::bounds some{.interruptions = 2, .surprises = 2, .steps_after = false};
constexpr support::bounds rarely{.interruptions = 1, .surprises = 1, .steps_after = false};
constexpr support::bounds hardly{.interruptions = 1, .surprises = 2, .steps_after = false};
constexpr support::bounds few{.interruptions = 2, .surprises = 1, .steps_after = false};

}  // namespace

TEST(reclamation, a_protected_object_is_replaced) {
    EXPECT_GT(for_every_execution<a_protected_object_is_replaced>(few), 10);
}

TEST(reclamation, a_protected_object_is_reclaimed) {
    EXPECT_GT(for_every_execution<a_protected_object_is_reclaimed>(few), 10);
}

TEST(checked_hazard_pointer, what_is_read_again_is_protected) {
    EXPECT_GT(for_every_execution<an_object_is_protected_by_hand>(few), 10);
}

TEST(checked_hazard_pointer, what_is_read_again_is_protected_without_membarrier) {
    const support::without_membarrier full;
    EXPECT_GT(for_every_execution<an_object_is_protected_by_hand>(few), 10);
}

TEST(reclamation, an_object_is_replaced_in_a_region) {
    EXPECT_GT(for_every_execution<an_object_is_replaced_in_a_region>(few), 10);
}

TEST(reclamation, an_object_is_replaced_in_a_region_without_memory) {
    EXPECT_GT(for_every_execution<an_object_is_replaced_in_a_region_without_memory>(few), 10);
}

TEST(reclamation, an_object_is_read_by_a_full_fence_without_membarrier) {
    const support::without_membarrier full;
    EXPECT_GT(for_every_execution<a_protected_object_is_reclaimed>(few), 10);
    EXPECT_GT(for_every_execution<another_begins_a_scan<freehold::detail::hazard_readers>>(hardly), 10);
    for_random_executions<an_object_is_replaced_in_a_region>(5'000, 17, some);
    for_random_executions<an_object_is_replaced_in_a_region_without_memory>(5'000, 17, some);
    for_random_executions<a_writer_synchronizes>(5'000, 17, some);
}

TEST(reclamation, another_begins_a_scan) {
    EXPECT_GT(for_every_execution<another_begins_a_scan<freehold::detail::rcu_readers>>(hardly), 10);
}

TEST(reclamation, a_region_opens_before_the_fence) {
    EXPECT_GT(for_every_execution<a_region_opens_before_the_fence>(few), 10);
}

TEST(reclamation, a_writer_synchronizes) { EXPECT_GT(for_every_execution<a_writer_synchronizes>(few), 10); }

TEST(checked_rcu_domain, a_writer_waits_for_regions_within_regions) {
    EXPECT_GT(for_every_execution<a_writer_synchronizes_with_nested_regions>(few), 10);
}

TEST(checked_rcu_domain, a_writer_waits_for_regions_within_regions_without_membarrier) {
    const support::without_membarrier full;
    EXPECT_GT(for_every_execution<a_writer_synchronizes_with_nested_regions>(few), 10);
}

TEST(reclamation, one_reclaims_what_another_retires) {
    for_random_executions<one_reclaims_what_another_retires<hazard_readers>>(15'000, 17, some);
    for_random_executions<one_reclaims_what_another_retires<rcu_readers>>(15'000, 17, some);
}

TEST(reclamation, one_reclaims_what_another_works_on) {
    EXPECT_GT(for_every_execution<one_reclaims_what_another_works_on>(rarely), 10);
}

TEST(reclamation, one_reclaims_what_a_deleter_of_another_retires) {
    EXPECT_GT(for_every_execution<one_reclaims_what_a_deleter_of_another_retires>(rarely), 10);
}

TEST(reclamation, one_retires_while_another_forks) {
    EXPECT_GT(for_every_execution<one_retires_while_another_forks>(few), 10);
}

TEST(reclamation, two_fork_while_another_retires) {
    for_random_executions<two_fork_while_another_retires>(3'000, 17, some);
}

TEST(reclamation, two_threads_reclaim) { EXPECT_GT(for_every_execution<two_threads_reclaim>(few), 10); }

TEST(reclamation, two_threads_retire) {
    for_random_executions<two_threads_retire<hazard_readers>>(15'000, 17, some);
    for_random_executions<two_threads_retire<rcu_readers>>(15'000, 17, some);
}

TEST(reclamation, two_threads_retire_in_one_shard) {
    for_random_executions<two_threads_retire_in_one_shard<hazard_readers>>(15'000, 17, some);
}

namespace {

// While the shards are locked for a fork, objects are sent to their inboxes. Shards of one thread, without the checker.
struct locked_shards {
    using readers = freehold::detail::hazard_readers<checked_threading, rarely_due>;
    using shards_type = retired_shards<checked_threading, readers, rarely_due>;

    static constexpr std::size_t enough = rarely_due::adjustable::fence_period();  // for a scan

    explicit locked_shards(std::size_t count) : objects(count) { shards.lock_for_fork(); }

    void retire(std::size_t begin, std::size_t end, std::size_t weight) {
        for (std::size_t i = begin; i != end; ++i) shards.retire(objects[i], weight, thread);
    }

    [[nodiscard]] std::ptrdiff_t reclaimed() const {
        return std::ranges::count_if(objects, [](const object& each) { return each.reclaimed != 0; });
    }

    std::vector<object> objects;
    retiring_thread thread;
    shards_type shards;
};

}  // namespace

TEST(reclamation, what_was_retired_in_a_fork_counts_for_the_next_scan) {
    locked_shards locked(locked_shards::enough + 100);
    locked.retire(0, locked_shards::enough, 1);
    locked.shards.unlock_after_fork();
    EXPECT_EQ(locked.reclaimed(), 0);
    locked.retire(locked_shards::enough, locked_shards::enough + 100, 1);
    EXPECT_GT(locked.reclaimed(), 100);
    locked.shards.drain(locked.thread);
}

// The weight of what was retired has some bits of a word, and the number the others.
TEST(reclamation, what_was_retired_in_a_fork_begins_no_scan_by_its_weight_alone) {
    constexpr std::size_t heavy = 2 * ((std::size_t{1} << rarely_due::weight_bits) / locked_shards::enough + 1);
    locked_shards locked(heavy + 1);
    const std::uint64_t before = locked.shards.begin_scan();
    locked.retire(0, heavy, locked_shards::enough);
    locked.shards.unlock_after_fork();
    locked.retire(heavy, heavy + 1, 1);
    EXPECT_EQ(locked.shards.begin_scan(), before + 2);
    locked.shards.drain(locked.thread);
}

// Each of two forks, of two modules or threads, locks them.
TEST(reclamation, shards_stay_locked_until_the_last_of_several_forks_is_over) {
    locked_shards locked(3 * locked_shards::enough);
    locked.shards.lock_for_fork();
    locked.retire(0, locked_shards::enough, 1);
    locked.shards.unlock_after_fork();
    locked.retire(locked_shards::enough, 3 * locked_shards::enough, 1);
    EXPECT_EQ(locked.reclaimed(), 0);
    locked.shards.unlock_after_fork();
    locked.shards.drain(locked.thread);
    EXPECT_EQ(locked.reclaimed(), std::ssize(locked.objects));
}
