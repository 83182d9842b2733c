// Threads that use a place at their very end, or have no identity of their own, and many threads that come and go.

#include "families.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "support/key_destructor.hpp"

namespace contracts {

namespace {

// Takes all keys that the process has left.
class all_keys {
public:
    all_keys() {
        for (pthread_key_t key{}; pthread_key_create(&key, nullptr) == 0;) keys_.push_back(key);
    }
    all_keys(const all_keys&) = delete;
    all_keys& operator=(const all_keys&) = delete;
    ~all_keys() {
        for (const pthread_key_t key : keys_) pthread_key_delete(key);
    }

private:
    std::vector<pthread_key_t> keys_;
};

}  // namespace

CONTRACT(life_cycle, a_thread_may_begin_in_the_destructor_of_a_key) {
    typename TestFixture::place shared;
    const support::key_destructor late([&] { EXPECT_TRUE(TestFixture::use(shared)); });
    std::thread([&] { late.arm(); }).join();
    TypeParam::settle();
    EXPECT_EQ(support::tracked::alive(), TypeParam::objects);
}

CONTRACT(life_cycle, a_thread_may_go_on_in_the_destructor_of_a_key) {
    typename TestFixture::place shared;
    const support::key_destructor late([&] { EXPECT_TRUE(TestFixture::use(shared)); });
    std::thread([&] {
        late.arm();
        EXPECT_TRUE(TestFixture::use(shared));
    }).join();
    TypeParam::settle();
    EXPECT_EQ(support::tracked::alive(), TypeParam::objects);
}

CONTRACT(life_cycle, a_thread_local_object_that_is_older_than_the_first_use_may_use_it) {
    typename TestFixture::place shared;
    std::thread([&] {
        static thread_local typename TestFixture::late_user late;
        late.used = &shared;
        EXPECT_TRUE(TestFixture::use(shared));
    }).join();
    TypeParam::settle();
    EXPECT_EQ(support::tracked::alive(), TypeParam::objects);
}

CONTRACT(life_cycle, a_thread_local_object_that_is_younger_than_the_first_use_may_use_it) {
    typename TestFixture::place shared;
    std::thread([&] {
        EXPECT_TRUE(TestFixture::use(shared));
        static thread_local typename TestFixture::late_user late;
        late.used = &shared;
    }).join();
    TypeParam::settle();
    EXPECT_EQ(support::tracked::alive(), TypeParam::objects);
}

// A first use arms thread_local objects; here while the thread destroys its own.
CONTRACT(life_cycle, a_thread_may_begin_in_the_destructor_of_a_thread_local_object) {
    typename TestFixture::place shared;
    std::thread([&] {
        static thread_local typename TestFixture::late_user late;
        late.used = &shared;
    }).join();
    TypeParam::settle();
    EXPECT_EQ(support::tracked::alive(), TypeParam::objects);
}

// Of the thread_local objects, the one that holds is the last to be destroyed.
CONTRACT(life_cycle, a_thread_may_hold_until_its_thread_local_objects_end) {
    typename TestFixture::place shared;
    std::thread([&] {
        static thread_local std::unique_ptr<typename TestFixture::holding> held;
        held = std::make_unique<typename TestFixture::holding>(shared);
        shared.replace();
        EXPECT_TRUE(held->is_sound());
    }).join();
    TypeParam::settle();
    EXPECT_EQ(support::tracked::alive(), TypeParam::objects);
}

// What a thread has taken for its identity is then in no key: nothing is called at its end.
CONTRACT(life_cycle, threads_of_a_process_without_keys_may_use_it_at_all_times) {
    typename TestFixture::place shared;
    const support::key_destructor late([&] { EXPECT_TRUE(TestFixture::use(shared)); });
    const all_keys taken;
    for (int i = 0; i < 2; ++i) {
        std::thread([&] {
            static thread_local typename TestFixture::late_user older;
            older.used = &shared;
            EXPECT_TRUE(TestFixture::use(shared));
            static thread_local typename TestFixture::late_user younger;
            younger.used = &shared;
            late.arm();
        }).join();
    }
    std::thread([&] { late.arm(); }).join();
    TypeParam::settle();
    EXPECT_EQ(support::tracked::alive(), TypeParam::objects);
}

namespace {

// Returns: the bytes of addresses that the process has.
long address_space() {
    long pages = 0;
    std::FILE* const statistics = std::fopen("/proc/self/statm", "r");
    EXPECT_EQ(std::fscanf(statistics, "%ld", &pages), 1);
    std::fclose(statistics);
    return pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

// A cache line that each thread left behind would be 640,000 bytes.
CONTRACT(life_cycle, ten_thousand_threads_leave_no_memory_behind) {
    typename TestFixture::place shared;
    const auto run = [&shared](int threads) {
        for (int i = 0; i < threads; ++i) {
            std::thread([&shared] { EXPECT_TRUE(TestFixture::use(shared)); }).join();
        }
        TypeParam::settle();
    };
    run(1000);
    const long before = address_space();
    run(10'000);
#if !defined(FREEHOLD_ADDRESS_SANITIZER) && !defined(FREEHOLD_THREAD_SANITIZER)  // they keep what is freed
    EXPECT_LE(address_space() - before, 256 * 1024);
#else
    static_cast<void>(before);
#endif
    EXPECT_EQ(support::tracked::alive(), TypeParam::objects);
}

}  // namespace contracts
