// Children of fork, and programs that end while static objects and other threads still use a place.

#include "families.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "support/deadline.hpp"
#include "support/thread_sanitizer.hpp"

namespace contracts {

namespace {

// Returns: what work() returns in a child process; -1 if the child does not end.
template <class Work>
int in_child(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        support::set_deadline();
        _exit(work());
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns: the exit code of a child that does the work, and then exits as programs do; -1 if it does not end.
template <class Work>
int exits_after(Work work) {
    return in_child([&work] {
        work();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
        return 1;
    });
}

}  // namespace

CONTRACT(life_cycle, a_child_that_was_forked_while_others_read_and_replace_may_use_it_and_fork_again) {
    typename TestFixture::place shared;
    EXPECT_TRUE(TestFixture::use(shared));  // a fork must not interrupt the first use
    std::atomic<bool> is_done = false;
    std::vector<std::thread> others;
    for (int i = 0; i < 2; ++i) {
        others.emplace_back([&] {
            while (!is_done.load(std::memory_order_relaxed)) {
                for (int k = 0; k < 100; ++k) EXPECT_TRUE(TestFixture::use(shared));
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            }
        });
    }
    for (int i = 0; i < 20; ++i) {
        const int status = in_child([&shared] {
            const auto use = [&shared] {
                bool is_sound = true;
                for (int k = 0; k < 1000; ++k) is_sound = TestFixture::use(shared) && is_sound;
                TypeParam::settle();
                return is_sound ? 0 : 1;
            };
            return use() + in_child(use);
        });
        ASSERT_EQ(status, 0) << i;
    }
    is_done = true;
    for (std::thread& other : others) other.join();
}

CONTRACT(life_cycle, a_child_holds_what_its_thread_held_at_the_fork) {
    typename TestFixture::place shared;
    {
        typename TestFixture::holding held(shared);
        const int status = in_child([&] {
            for (int i = 0; i < 40'000; ++i) shared.replace();
            return held.is_sound() ? 0 : 1;
        });
        EXPECT_EQ(status, 0);
        for (int i = 0; i < 40'000; ++i) shared.replace();
        EXPECT_TRUE(held.is_sound());
    }
}

CONTRACT(life_cycle, a_child_destroys_what_its_parent_has_replaced) {
    typename TestFixture::place shared;
    for (int i = 0; i < 1000; ++i) shared.replace();
    const int status = in_child([&] {
        for (int i = 0; i < 1000; ++i) shared.replace();
        TypeParam::settle();
        return support::tracked::alive() == TypeParam::objects ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
}

CONTRACT(life_cycle, a_child_may_start_threads) {
#ifdef THREAD_SANITIZER
    GTEST_SKIP() << "a child of several threads cannot start threads under ThreadSanitizer";
#endif
    typename TestFixture::place shared;
    EXPECT_TRUE(TestFixture::use(shared));
    const int status = in_child([&] {
        std::atomic<bool> is_sound = true;
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&] {
                for (int k = 0; k < 2000; ++k) is_sound = TestFixture::use(shared) && is_sound;
            });
        }
        for (std::thread& thread : threads) thread.join();
        TypeParam::settle();
        return is_sound && support::tracked::alive() == TypeParam::objects ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
}

// The place is destroyed last: its users are younger.
CONTRACT(life_cycle, a_static_object_may_use_an_older_place_at_its_end) {
    EXPECT_EQ(exits_after([] {
                  static typename TestFixture::place shared;
                  static typename TestFixture::late_user late;
                  late.used = &shared;
                  EXPECT_TRUE(TestFixture::use(shared));
              }),
              0);
}

// All static objects of Freehold are destroyed before the one that uses it.
CONTRACT(life_cycle, a_static_object_that_is_older_than_the_first_use_may_use_it_at_its_end) {
    EXPECT_EQ(exits_after([] {
                  static typename TestFixture::late_user late;
                  static typename TestFixture::place* const never_destroyed = new typename TestFixture::place;
                  late.used = never_destroyed;
                  EXPECT_TRUE(TestFixture::use(*never_destroyed));
              }),
              0);
}

CONTRACT(life_cycle, a_place_may_be_destroyed_at_exit_while_a_detached_thread_holds_from_it) {
#ifdef THREAD_SANITIZER
    GTEST_SKIP() << "a child of several threads cannot start threads under ThreadSanitizer";
#endif
    EXPECT_EQ(exits_after([] {
                  static std::atomic<int> holding = 0;
                  static typename TestFixture::place shared;
                  for (int i = 0; i < 2; ++i) {
                      std::thread([] {
                          typename TestFixture::holding held(shared);
                          ++holding;
                          // A cache reads the place again, which it must not do now.
                          while (std::is_same_v<TypeParam, support::cached> || held.is_sound())
                              std::this_thread::yield();
                          std::abort();
                      }).detach();
                  }
                  while (holding != 2) std::this_thread::yield();
              }),
              0);
}

// The program may exit at any step of theirs, and static objects start others when those of Freehold are destroyed.
CONTRACT(life_cycle, detached_threads_may_read_and_replace_while_the_program_exits) {
#ifdef THREAD_SANITIZER
    GTEST_SKIP() << "a child of several threads cannot start threads under ThreadSanitizer";
#endif
    struct starts_another {
        starts_another() = default;
        starts_another(const starts_another&) = delete;
        starts_another& operator=(const starts_another&) = delete;
        ~starts_another() {
            std::thread([this] {
                for (int i = 0; i < 100; ++i) EXPECT_TRUE(TestFixture::use(*shared));
            }).join();
            if (testing::Test::HasFailure()) _exit(1);
        }

        typename TestFixture::place* shared = nullptr;
    };
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(exits_after([] {
                      static starts_another at_exit;
                      static typename TestFixture::place* const never_destroyed = new typename TestFixture::place;
                      static std::atomic<int> running = 0;
                      at_exit.shared = never_destroyed;
                      for (int k = 0; k < 2; ++k) {
                          std::thread([] {
                              ++running;
                              while (TestFixture::use(*never_destroyed)) {
                              }
                              std::abort();
                          }).detach();
                      }
                      while (running != 2) std::this_thread::yield();
                  }),
                  0);
    }
}

}  // namespace contracts
