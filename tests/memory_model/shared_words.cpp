// Readers and writers of shared words under the checker: what a slot protects is not released, everything else is,
// once, and what a reader did with it happens before.

#include <gtest/gtest.h>
#include <freehold/pointers/detail/reader_domain.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#include "support/checked_ring.hpp"
#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using support::for_every_execution;

constexpr support::bounds some{.interruptions = 2, .surprises = 2};
constexpr support::bounds ordinary{.interruptions = 2, .surprises = 0};
constexpr support::bounds few{.interruptions = 2, .surprises = 1};
constexpr support::bounds thrice{.interruptions = 3, .surprises = 0};

// What the readers have of their process: a slot for each thread, and one for all, and no memory.
struct checked_reading {
    using record = freehold::detail::reader_record<support::checked_threading, checked_reading>;
    using ring = support::checked_ring<checked_reading>;

    static constexpr std::size_t own_slots = 1;
    static constexpr std::size_t shared_slots = 1;
    static constexpr std::uint32_t records_in_group = 5;
    static constexpr bool is_first_group_in_place = true;

    static std::uint32_t now() { return time += 1000; }  // a fence is always due
    static bool is_alone() { return false; }
    static void* allocate(std::size_t) { return nullptr; }
    static void free(void*, std::size_t) {}
    static record* own() { return mine; }
    static void set_own(record* its) { mine = its; }
    static bool at_thread_end() { return !is_ending; }

    static inline std::uint32_t time;  // one thread works at a time
    static inline thread_local record* mine = nullptr;
    static inline thread_local bool is_ending = false;
};

using domain = freehold::detail::reader_domain<support::checked_threading, checked_reading>;

// A word that names one of a few objects.
struct scenario {
    scenario() {
        checked_reading::time = 0;
        current = this;
    }
    scenario(const scenario&) = delete;
    scenario& operator=(const scenario&) = delete;
    ~scenario() = default;

    static constexpr std::uintptr_t name(std::size_t object) { return 16 * (object + 1); }

    static void begin() {
        checked_reading::mine = nullptr;
        checked_reading::is_ending = false;
    }
    void end() { readers.leave(); }

    void use(std::uintptr_t protected_word) { EXPECT_EQ(objects[protected_word / 16 - 1].get(), 0); }

    void read() {
        domain::record* const own = readers.own();
        domain::slot* const slot = own != nullptr ? own->find_free() : nullptr;
        read_through(slot != nullptr ? *slot : readers.claim_shared());
    }

    void read_through(domain::slot& slot) {
        use(readers.protect(slot, word));
        domain::unprotect(slot);
    }

    void replace(std::size_t object) {
        objects[object].set(0);
        readers.defer({word.exchange(name(object), std::memory_order_seq_cst), &release});
    }

    static void release(std::uintptr_t released) noexcept {
        current->objects[released / 16 - 1].set(1);
        ++current->released[released / 16 - 1];
    }

    void check() {
        begin();
        static_cast<void>(readers.own());
        readers.flush();
        end();
        for (std::size_t i = 0; i < released.size(); ++i) {
            EXPECT_EQ(released[i], i < replaced && word.load() != name(i) ? 1 : 0) << i;
        }
    }

    static inline scenario* current;
    domain readers;
    support::checked_atomic<std::uintptr_t> word = name(0);
    std::array<support::plain<int>, 3> objects;
    std::array<int, 3> released{};
    std::size_t replaced = 2;  // objects that were in the word
};

struct one_reads_what_another_replaces : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        begin();
        thread == 0 ? read() : replace(1);
        end();
    }
};

struct one_reads_through_a_slot_of_all_what_another_replaces : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        begin();
        thread == 0 ? read_through(readers.claim_shared()) : replace(1);
        end();
    }
};

// The slot says what its second reader has read, and that the first one is done.
struct two_read_through_a_slot_of_all_what_one_replaces : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        begin();
        read_through(readers.claim_shared());
        if (thread == 1) {
            replace(1);
            end();
        }
    }
};

// The same, if a third thread replaces it: the fence of a reader acquires nothing then.
struct two_read_through_a_slot_of_all_what_a_third_replaces : scenario {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        begin();
        if (thread != 2) return read_through(readers.claim_shared());
        replace(1);
        end();
    }
};

struct two_replace_what_a_third_reads : scenario {
    static constexpr std::size_t threads = 3;

    two_replace_what_a_third_reads() { replaced = 3; }

    void run(std::size_t thread) {
        begin();
        thread == 0 ? read() : replace(thread);
        end();
    }
};

// The slot of the first snapshot is the thread's; the second one takes one of all threads.
struct a_thread_has_two_snapshots : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        begin();
        if (thread == 1) {
            replace(1);
        } else {
            domain::slot& slot = *readers.own()->find_free();
            const std::uintptr_t first = readers.protect(slot, word);
            EXPECT_EQ(readers.own()->find_free(), nullptr);
            read();
            use(first);
            domain::unprotect(slot);
        }
        end();
    }
};

// What a reader found when it looked again is not what its slot protects, if the word was replaced between.
struct one_reads_what_another_replaces_twice : scenario {
    static constexpr std::size_t threads = 2;

    one_reads_what_another_replaces_twice() { replaced = 3; }

    void run(std::size_t thread) {
        begin();
        if (thread == 0) {
            read();
        } else {
            replace(1);
            replace(2);
        }
        end();
    }
};

// The second word in a slot says that the reading of the first is over. The reader does not end: that is a fence.
struct one_reads_twice_what_another_replaces : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        begin();
        if (thread == 0) {
            read();
            read();
        } else {
            replace(1);
            end();
        }
    }
};

// An object is protected, by a slot of no thread's, until one of the threads ends that.
struct one_object_is_protected : scenario {
    explicit one_object_is_protected(std::size_t object) {
        begin();
        slot = readers.own()->find_free();
        slot->store(name(object));
    }

    domain::slot* slot;
};

// One ends while the object that it has replaced is protected, and the other releases that.
struct one_releases_what_another_has_deferred : one_object_is_protected {
    static constexpr std::size_t threads = 2;

    one_releases_what_another_has_deferred() : one_object_is_protected(1) { replaced = 3; }

    void run(std::size_t thread) {
        begin();
        if (thread == 0) {
            replace(1);
            replace(2);
        } else {
            domain::unprotect(*slot);
            static_cast<void>(readers.own());
            readers.flush();
        }
        end();
    }
};

// A flush tells what is left, which the other thread may take over as soon as the flush is done.
struct one_flushes_what_another_takes_over : one_object_is_protected {
    static constexpr std::size_t threads = 2;

    one_flushes_what_another_takes_over() : one_object_is_protected(0) {}

    void run(std::size_t thread) {
        begin();
        static_cast<void>(readers.own());
        if (thread == 0) {
            replace(1);
            EXPECT_LE(readers.flush(), 1U);
        } else {
            readers.flush();
            domain::unprotect(*slot);
            end();
        }
    }
};

// The thread that ends has no record. It looks for one that is free while the other thread makes its own.
struct one_begins_while_another_ends : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        begin();
        if (thread == 0) {
            read();
        } else {
            checked_reading::is_ending = true;
            replace(1);
        }
    }
};

// The first thread has no memory for a record, and so releases at once what is not protected.
struct one_reads_what_another_replaces_without_memory : scenario {
    static constexpr std::size_t threads = 2;

    one_reads_what_another_replaces_without_memory() {
        for (std::uint32_t i = 0; i != checked_reading::records_in_group; ++i) {
            begin();
            static_cast<void>(readers.own());
        }
    }

    void run(std::size_t thread) {
        begin();
        thread == 0 ? read() : replace(1);
    }

    void check() { EXPECT_LE(released[0], 1) << "never, if it was protected"; }
};

// The last destructors of a thread read something when its record may be another thread's.
struct one_reads_after_its_end_what_another_replaces : scenario {
    static constexpr std::size_t threads = 2;

    one_reads_after_its_end_what_another_replaces() { replaced = 3; }

    void run(std::size_t thread) {
        begin();
        replace(1 + thread);
        end();
        if (thread == 0) return;
        checked_reading::is_ending = true;
        read();
        EXPECT_EQ(readers.own(), nullptr);
    }
};

// Both may take over what a thread that has ended deferred.
struct two_release_what_a_third_has_deferred : scenario {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        begin();
        if (thread == 0) {
            replace(1);
        } else {
            static_cast<void>(readers.own());
            readers.flush();
        }
        end();
    }
};

// A flush waits while another thread has claimed a record, whose owner begins to use it meanwhile, and then does not.
struct one_waits_for_a_claim_and_for_a_use : scenario {
    static constexpr std::size_t threads = 3;

    one_waits_for_a_claim_and_for_a_use() { EXPECT_TRUE(waited_for.claim()); }

    void run(std::size_t thread) {
        if (thread == 0) {
            waited_for.passed_on.wait(barrier,
                                      [this] { return !waited_for.is_in_use_now() && !waited_for.is_claimed_now(); });
        } else if (thread == 1) {
            waited_for.unclaim(barrier);
        } else if (waited_for.begin(barrier)) {
            waited_for.end(barrier);
        }
    }

    void check() {}

    support::checked_asymmetric_fence barrier;
    checked_reading::record waited_for;
};

}  // namespace

TEST(shared_words, what_one_reads_another_may_replace) {
    EXPECT_GT(for_every_execution<one_reads_what_another_replaces>(some), 10);
}

TEST(shared_words, what_one_reads_through_a_slot_of_all_another_may_replace) {
    EXPECT_GT(for_every_execution<one_reads_through_a_slot_of_all_what_another_replaces>(some), 10);
}

TEST(shared_words, what_two_read_through_a_slot_of_all_one_may_replace) {
    EXPECT_GT(for_every_execution<two_read_through_a_slot_of_all_what_one_replaces>(few), 10);
}

TEST(shared_words, what_two_read_through_a_slot_of_all_a_third_may_replace) {
    EXPECT_GT(for_every_execution<two_read_through_a_slot_of_all_what_a_third_replaces>(ordinary), 10);
}

TEST(shared_words, two_may_replace_what_a_third_reads) {
    support::for_random_executions<two_replace_what_a_third_reads>(5'000, 17, some);
}

TEST(shared_words, a_thread_may_have_more_snapshots_than_slots) {
    EXPECT_GT(for_every_execution<a_thread_has_two_snapshots>(few), 10);
}

TEST(shared_words, one_may_release_what_another_has_deferred) {
    EXPECT_GT(for_every_execution<one_releases_what_another_has_deferred>(ordinary), 10);
}

TEST(shared_words, one_may_flush_what_another_takes_over) {
    EXPECT_GT(for_every_execution<one_flushes_what_another_takes_over>(ordinary), 10);
}

TEST(shared_words, one_may_begin_while_another_ends) {
    EXPECT_GT(for_every_execution<one_begins_while_another_ends>(few), 10);
}

TEST(shared_words, one_may_begin_while_another_ends_without_membarrier) {
    const support::without_membarrier full;
    EXPECT_GT(for_every_execution<one_begins_while_another_ends>(few), 10);
}

TEST(shared_words, what_one_reads_another_may_replace_without_memory) {
    EXPECT_GT(for_every_execution<one_reads_what_another_replaces_without_memory>(few), 10);
}

TEST(shared_words, what_one_reads_another_may_replace_without_memory_and_without_membarrier) {
    const support::without_membarrier full;
    EXPECT_GT(for_every_execution<one_reads_what_another_replaces_without_memory>(few), 10);
}

TEST(shared_words, a_thread_that_has_left_its_record_has_none) {
    EXPECT_GT(for_every_execution<one_reads_after_its_end_what_another_replaces>(ordinary), 10);
}

TEST(shared_words, two_may_release_what_a_third_has_deferred) {
    support::for_random_executions<two_release_what_a_third_has_deferred>(5'000, 17, some);
}

TEST(shared_words, two_may_release_what_a_third_has_deferred_without_membarrier) {
    const support::without_membarrier full;
    support::for_random_executions<two_release_what_a_third_has_deferred>(5'000, 17, some);
}

TEST(shared_words, what_one_reads_another_may_replace_twice) {
    support::for_random_executions<one_reads_what_another_replaces_twice>(2'000, 17, thrice);
}

// Whoever looks for what idle threads have left reads the clock first.
TEST(shared_words, a_thread_that_had_a_fence_after_another_read_the_clock_is_not_idle) {
    scenario words;
    words.begin();
    domain::record* const first = words.readers.own();
    first->find_free()->store(scenario::name(0));  // so the release is deferred
    words.replace(1);
    first->last_fence.store(checked_reading::time + 50'000);
    words.begin();
    words.replace(2);
    EXPECT_EQ(first->deferred.size(), 1U);
    domain::unprotect(first->all_slots[0]);
    words.end();
}

// A snapshot that another thread has is in the slot of a thread that ends. A thread that begins has all slots.
TEST(shared_words, a_thread_that_begins_takes_the_record_that_another_has_left_once_its_slots_are_free) {
    scenario words;
    words.begin();
    domain::record* const first = words.readers.own();
    first->find_free()->store(scenario::name(0));
    words.replace(1);
    words.end();
    words.begin();
    EXPECT_NE(words.readers.own(), first);
    domain::unprotect(first->all_slots[0]);
    words.begin();
    EXPECT_EQ(words.readers.own(), first);
    words.end();
    EXPECT_EQ(words.released[0], 1);
}

TEST(shared_words, a_record_that_was_left_is_free_after_a_fence_when_its_slot_is) {
    scenario words;
    words.begin();
    domain::record* const going_on = words.readers.own();
    words.begin();
    domain::record* const left = words.readers.own();
    left->find_free()->store(scenario::name(0));
    words.end();
    EXPECT_EQ(left->use.load(), domain::record::left);
    domain::unprotect(left->all_slots[0]);
    checked_reading::mine = going_on;
    words.replace(1);
    EXPECT_EQ(left->use.load(), domain::record::taken);
    words.end();
}

TEST(shared_words, what_one_reads_twice_another_may_replace) {
    EXPECT_GT(for_every_execution<one_reads_twice_what_another_replaces>(few), 10);
}

TEST(shared_words, what_one_reads_by_a_full_fence_another_may_replace_without_membarrier) {
    const support::without_membarrier full;
    EXPECT_GT(for_every_execution<one_reads_what_another_replaces>(few), 10);
}

TEST(shared_words, one_may_wait_for_a_claim_and_for_a_use) {
    EXPECT_GT(for_every_execution<one_waits_for_a_claim_and_for_a_use>(thrice), 10);
}
