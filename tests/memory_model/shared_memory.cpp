// The blocks that processes share, and their counts, under the checker: no block is used twice, also where the tags of
// the lists come round, none is lost where they do not, and what one process did with a block or an object happens
// before what the next one does.
//
// Compiled alone: it has the builtins of one header checked.

#include <gtest/gtest.h>

#include "support/checked_counting.hpp"
// From here
#include "support/begin_checked_builtins.hpp"
// the builtins are the checker's,
#include <freehold/interop/detail/process_shared_counting.hpp>
// until here.
#include "support/end_checked_builtins.hpp"

#include <freehold/interop/detail/segment_blocks.hpp>
#include <freehold/interop/shared_memory.hpp>

#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"
#include "support/effort.hpp"

namespace {

namespace shm = freehold::shared_memory;

using support::for_every_execution;

const support::bounds few{support::full_effort<std::size_t>(2, 1), 1, false};
constexpr std::size_t bytes = 64;

template <unsigned tag_bits, std::size_t count>
struct memory_of {
    using blocks = freehold::detail::segment_blocks<support::checked_threading, tag_bits>;
    using block = typename blocks::block;

    block* take() {
        block* const taken = pool.allocate(bytes);
        if (taken == nullptr) return nullptr;
        EXPECT_TRUE(used.insert(taken).second) << "a block is used twice";
        support::wrote(taken->object());
        return taken;
    }

    void free(block* freed) {
        if (freed == nullptr) return;
        support::wrote(freed->object());
        used.erase(freed);
        pool.deallocate(freed, bytes);
    }

    // Effects: takes all blocks, which were used before, and frees them, the last one first.
    void use_all() {
        std::array<block*, count> all = {};
        for (block*& each : all) each = take();
        for (block* const each : all) free(each);
    }

    // Returns: how many blocks are in use or can be taken.
    std::size_t found() {
        while (take() != nullptr) continue;
        return used.size();
    }

    alignas(16) std::array<std::byte, bytes * count> memory = {};
    blocks pool{memory.data(), sizeof memory};
    std::set<block*> used;
};

struct take_and_free_at_once : memory_of<32, 2> {
    static constexpr std::size_t threads = 2;

    take_and_free_at_once() { use_all(); }

    void run(std::size_t thread) {
        block* const first = take();
        if (thread == 0) return free(first);
        static_cast<void>(take());
        free(first);
    }

    void check() { EXPECT_EQ(found(), 2U) << "a block is lost"; }
};

struct take_fresh_memory : memory_of<32, 2> {
    static constexpr std::size_t threads = 2;

    void run(std::size_t) { EXPECT_NE(take(), nullptr); }
    void check() { EXPECT_EQ(found(), 2U); }
};

struct free_what_another_takes : memory_of<32, 2> {
    static constexpr std::size_t threads = 3;

    free_what_another_takes() {
        first = take();
        second = take();
    }

    void run(std::size_t thread) {
        if (thread == 2) {
            static_cast<void>(take());
        } else {
            free(thread == 0 ? first : second);
        }
    }

    void check() { EXPECT_EQ(found(), 2U) << "a block is lost"; }

    block* first = nullptr;
    block* second = nullptr;
};

// Without a tag the head of a list can come back while another process stands still.
struct tags_that_come_round : memory_of<0, 3> {
    static constexpr std::size_t threads = 2;

    tags_that_come_round() { use_all(); }

    void run(std::size_t thread) {
        block* const first = take();
        if (thread == 0) return;
        block* const second = take();
        free(first);
        static_cast<void>(take());
        free(second);
        static_cast<void>(take());
    }

    void check() { EXPECT_LE(found(), 3U); }
};

struct frees_where_tags_come_round : memory_of<0, 3> {
    static constexpr std::size_t threads = 2;

    frees_where_tags_come_round() { use_all(); }

    void run(std::size_t) {
        block* const first = take();
        block* const second = take();
        free(first);
        free(second);
        static_cast<void>(take());
    }

    void check() { EXPECT_LE(found(), 3U); }
};

// The owners and weak pointers of one object.
struct object_scenario {
    struct object {
        explicit object(int& end) : ends(&end) {}
        ~object() {
            ++*ends;
            support::wrote(this);
        }
        int* ends;  // the threads are of one process
    };

    struct segment {
        alignas(16) std::array<std::byte, 8192> bytes = {};
        void* get_address() { return bytes.data(); }
        static std::size_t get_size() { return sizeof(bytes); }
        void* allocate_aligned(std::size_t, std::size_t) { return bytes.data() + 4096; }
    };

    void use(const shm::shared_ptr<object>& used) {
        EXPECT_EQ(ends, 0);
        support::has_read(used.get());
    }

    void lock() {
        if (const auto locked = weak.lock()) use(locked);
    }

    void check() { EXPECT_EQ(ends, 1); }

    int ends = 0;
    segment memory;
    shm::pool& pool = *::new (memory.bytes.data()) shm::pool(memory, 1024);
    shm::shared_ptr<object> owner = shm::make_shared<object>(pool, ends);
    shm::shared_ptr<object> second;
    shm::weak_ptr<object> weak;
};

struct two_owners_leave : object_scenario {
    static constexpr std::size_t threads = 2;

    two_owners_leave() { second = owner; }

    void run(std::size_t thread) {
        auto& mine = thread == 0 ? owner : second;
        use(mine);
        mine.reset();
    }
};

struct last_release_and_lock : object_scenario {
    static constexpr std::size_t threads = 2;

    last_release_and_lock() { weak = owner; }

    void run(std::size_t thread) {
        if (thread == 0) {
            use(owner);
            return owner.reset();
        }
        lock();
        weak.reset();
    }
};

struct two_owners_leave_and_a_lock : object_scenario {
    static constexpr std::size_t threads = 3;

    two_owners_leave_and_a_lock() {
        second = owner;
        weak = owner;
    }

    void run(std::size_t thread) {
        if (thread == 2) return lock();
        auto& mine = thread == 0 ? owner : second;
        use(mine);
        mine.reset();
    }
};

// What one process did before it changes a word by replace() happens before what another does that finds it by
// replace().
struct replace_after_replace {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        using counting = freehold::detail::process_shared_counting;
        freehold::count_word seen = static_cast<freehold::count_word>(thread);
        if (thread == 0) support::wrote(&data);
        if (counting::replace(word, seen, seen + 1) && thread == 1) support::has_read(&data);
    }

    void check() {}

    freehold::count_word word = 0;
    int data = 0;
};

}  // namespace

TEST(checked_shared_memory, replacing_orders) { EXPECT_GT(for_every_execution<replace_after_replace>(few), 2U); }

TEST(checked_shared_memory, two_processes_take_and_free) {
    EXPECT_GT(for_every_execution<take_and_free_at_once>(few), 10U);
}

TEST(checked_shared_memory, two_processes_take_fresh_memory) {
    EXPECT_GT(for_every_execution<take_fresh_memory>(few), 2U);
}

TEST(checked_shared_memory, two_processes_free_what_a_third_takes) {
    EXPECT_GT(for_every_execution<free_what_another_takes>(few), 10U);
}

TEST(checked_shared_memory, no_block_is_used_twice_where_tags_come_round) {
    EXPECT_GT(for_every_execution<tags_that_come_round>(few), 10U);
    EXPECT_GT(for_every_execution<frees_where_tags_come_round>(few), 10U);
}

TEST(checked_shared_memory, two_owners_leave) { EXPECT_GT(for_every_execution<two_owners_leave>(few), 2U); }

TEST(checked_shared_memory, the_last_release_and_a_lock) {
    EXPECT_GT(for_every_execution<last_release_and_lock>(few), 10U);
}

TEST(checked_shared_memory, two_owners_leave_and_a_lock_comes_between) {
    EXPECT_GT(for_every_execution<two_owners_leave_and_a_lock>(few), 10U);
}
