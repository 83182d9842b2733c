// A program's own handlers of a fork, which may allocate while Freehold's hold its mutexes: those that were registered
// before Freehold's run inside of them.

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/page_cache.hpp>
#include <freehold/pointers/make_shared.hpp>

#include <cstddef>
#include <list>
#include <memory_resource>

namespace {

bool is_busy = false;  // otherwise the handlers are for the forks of other tests

freehold::concurrent_pool_resource& resource() {
    static freehold::concurrent_pool_resource made;
    return made;
}

struct node {
    std::byte bytes[100];
    freehold::shared_ptr<node> next;
};

// Effects: takes every mutex that an allocation can: a new slab of each pool, a large block, a slab of pages.
void allocate() {
    if (!is_busy) return;
    std::pmr::list<node> nodes(&resource());
    nodes.resize(2000);
    for (node& each : nodes) each.next = freehold::make_shared<node>();
    resource().deallocate(resource().allocate(100'000), 100'000);
    freehold::page_cache& pages = freehold::page_cache::shared();
    pages.deallocate(pages.allocate(100'000), 100'000);
}

// Before any other static object, and so before Freehold's.
struct registration {
    registration() { pthread_atfork(&allocate, &allocate, &allocate); }
};
[[gnu::init_priority(101)]] const registration registered;

}  // namespace

TEST(fork_handlers, a_handler_that_was_registered_before_may_allocate) {
    is_busy = true;
    allocate();
    alarm(60);  // a process that waits for a mutex for ever is ended
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        alarm(60);
        allocate();
        _exit(0);
    }
    allocate();
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    alarm(0);
    is_busy = false;
}
