// Where the kernel refuses membarrier, as in a sandbox: from the beginning, and from some moment on.

#include "families.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "support/forbidden_membarrier.hpp"
#include "support/thread_sanitizer.hpp"

namespace contracts {

namespace {

// Whether readers leave the fence to whoever reclaims, in one of the three domains of Freehold.
bool is_asymmetric() {
    return freehold::detail::atomic_pointers.barrier.is_asymmetric() ||
           freehold::detail::hazard_pointers::shards.readers.fence.is_asymmetric() ||
           freehold::detail::rcu_thread::shards.readers.fence.is_asymmetric();
}

// Returns: whether what threads read while another replaces it is alive.
template <class Family>
bool is_sound_under_writes(int writes) {
    typename Family::place shared;
    std::atomic<bool> is_done = false;
    std::atomic<bool> is_sound = true;
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i) {
        readers.emplace_back([&] {
            while (!is_done.load(std::memory_order_relaxed)) {
                typename Family::holding held(shared);
                if (!held.is_sound()) is_sound = false;
            }
        });
    }
    for (int i = 0; i < writes; ++i) shared.replace();
    is_done = true;
    for (std::thread& reader : readers) reader.join();
    return is_sound;
}

}  // namespace

CONTRACT(life_cycle, threads_may_read_and_replace_where_membarrier_is_forbidden) {
#ifdef THREAD_SANITIZER
    GTEST_SKIP() << "a child of several threads cannot start threads under ThreadSanitizer";
#endif
    if (is_asymmetric()) GTEST_SKIP() << "another test has registered the process with the kernel";
    support::expect_without_membarrier([] {},
                                       [] {
                                           const bool is_sound = is_sound_under_writes<TypeParam>(20'000);
                                           TypeParam::settle();
                                           return is_sound && !is_asymmetric() && support::tracked::alive() == 0;
                                       });
}

CONTRACT(life_cycle, threads_may_read_and_replace_when_membarrier_is_forbidden_later) {
#ifdef THREAD_SANITIZER
    GTEST_SKIP() << "a child of several threads cannot start threads under ThreadSanitizer";
#endif
    bool was_sound = false;
    support::expect_without_membarrier([&] { was_sound = is_sound_under_writes<TypeParam>(1000); },
                                       [&] {
                                           const bool is_sound = is_sound_under_writes<TypeParam>(20'000);
                                           TypeParam::settle();
                                           return was_sound && is_sound && support::tracked::alive() == 0;
                                       });
}

}  // namespace contracts
