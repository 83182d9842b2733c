// The readers of a process, where the kernel refuses membarrier.

#include <gtest/gtest.h>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/detail/atomic_pointer_domain.hpp>
#include <freehold/pointers/make_shared.hpp>

#include "support/forbidden_membarrier.hpp"

using freehold::detail::atomic_pointer_process;

// In a child process, so that no other test has registered the process with the kernel.
TEST(atomic_pointer_domain, a_thread_has_no_slots_for_a_fence_of_the_compiler_alone_where_membarrier_is_forbidden) {
    support::expect_without_membarrier([] {},
                                       [] {
                                           const freehold::atomic_shared_ptr<int> atomic(freehold::make_shared<int>(7));
                                           const auto read = atomic.snapshot();
                                           return *read == 7 && atomic_pointer_process::own() != nullptr &&
                                                  &atomic_pointer_process::light_slots() !=
                                                      atomic_pointer_process::own();
                                       });
}
