// A plug-in shares the library's variables with the program, but has functions of its own, and uses what needs a
// handler of forks before the program does. Then it is unloaded, and its handlers go with it: the program has its own.

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freehold/memory/detail/static_mutex.hpp>
#include <freehold/memory/page_cache_thread.hpp>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <chrono>
#include <cstddef>
#include <latch>
#include <thread>

#include "check.hpp"
#include "library_that_is_unloaded.hpp"

namespace {

using freehold::detail::atomic_pointers;

// Returns: the status of a child that calls work(), which returns whether all is well.
template <class Work>
int forked(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(work() ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

// Returns: that of a child that is forked while another thread, which it does not have, is in the middle of work(), and
// there has called its argument.
template <class Work, class Child>
int forked_in(Work work, Child child) {
    std::latch begun(1);
    std::latch is_over(1);
    std::thread other([&] {
        work([&] {
            begun.count_down();
            is_over.wait();
        });
    });
    begun.wait();
    const int status = forked(child);
    is_over.count_down();
    other.join();
    return status;
}

void use(freehold::page_cache& pages) {
    freehold::atomic_shared_ptr<int> shared(freehold::make_shared<int>(7));
    CHECK(*shared.load() == 7);
    freehold::rcu_default_domain().lock();
    freehold::rcu_default_domain().unlock();
    pages.deallocate(pages.allocate(100'000), 100'000);
}

void check_forks(const freehold::page_cache_thread& beside) {
    // A slot that a thread has claimed, which the child does not have.
    const void* claimed = nullptr;
    CHECK(forked_in(
              [&](auto fork_here) {
                  claimed = &atomic_pointers.claim_shared();
                  fork_here();
              },
              [&] {
                  for (std::size_t i = 0; i < freehold::detail::atomic_pointer_process::shared_slots; ++i) {
                      if (&atomic_pointers.claim_shared() == claimed) return true;
                  }
                  return false;
              }) == 0);

    // A region that is open in such a thread.
    CHECK(forked_in(
              [](auto fork_here) {
                  freehold::rcu_default_domain().lock();
                  fork_here();
                  freehold::rcu_default_domain().unlock();
              },
              [] {
                  static bool is_deleted = false;
                  freehold::rcu_retire(&is_deleted, [](bool* deleted) { *deleted = true; });
                  freehold::rcu_barrier();
                  return is_deleted;
              }) == 0);

    // A thread that gives pages back.
    CHECK(forked_in([](auto fork_here) { fork_here(); }, [&] { return !beside.is_running(); }) == 0);

    // A mutex that such a thread has locked for a moment.
    for (freehold::detail::static_mutex& each : freehold::detail::pool_mutexes) {
        std::latch is_locked(1);
        std::thread holder([&] {
            const freehold::detail::static_lock held(each);
            is_locked.count_down();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        });
        is_locked.wait();
        CHECK(forked([&] {
                  const freehold::detail::static_lock held(each);
                  return true;
              }) == 0);
        holder.join();
    }
}

}  // namespace

int main() {
    freehold::page_cache& pages = freehold::page_cache::shared();
    void* const handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != nullptr);
    const auto* const library_uses = static_cast<const builds::fork_user*>(dlsym(handle, "offered"));
    CHECK(library_uses != nullptr);
    (*library_uses)(pages);
    use(pages);
    const freehold::page_cache_thread beside(pages);
    check_forks(beside);
    CHECK(dlclose(handle) == 0);
    CHECK(dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD) == nullptr);
    check_forks(beside);
}
