// A fork in the middle of a store: the destructor of the value before calls it.

#include "families.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "support/deadline.hpp"
#include "support/thread_state.hpp"

namespace contracts {

CONTRACT(owning_atomic_pointer, the_destructor_of_an_old_value_may_fork) {
    support::start_first_thread();  // from now on releases are deferred
    typename TypeParam::atomic atomic(TypeParam::make(1));
    pid_t child = -1;
    atomic.load()->at_end = [&] {
        child = fork();
        if (child == 0) support::set_deadline();
        atomic.store(TypeParam::make(3));
    };
    atomic.store(TypeParam::make(2));
    freehold::flush_deferred_releases();
    if (child == 0) {
        const bool is_stored = atomic.load()->value == 3;
        for (int i = 0; i < 1000; ++i) atomic.store(TypeParam::make(i));
        freehold::flush_deferred_releases();
        _exit(is_stored && atomic.snapshot()->value == 999 && support::tracked::alive() == 1 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(atomic.load()->value, 3);
}

}  // namespace contracts
