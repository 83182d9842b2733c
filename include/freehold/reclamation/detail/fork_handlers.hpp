#pragma once
// What happens to retired objects at a fork: the child has one thread, and lanes that other threads had locked.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace freehold::detail {

// Effects: from now on a child of fork can use Shared::lanes: no other thread changes a lane during the fork, and
// Shared::forget_other_threads(is_first) is called in the child, by each module that called this; is_first is true in
// one of them. A second call has no effect.
template <class Shared>
void handle_forks() noexcept {
    static const int armed = ::pthread_atfork([] { Shared::lanes.lock_for_fork(); },  //
                                              [] { Shared::lanes.unlock_after_fork(); },
                                              [] { Shared::forget_other_threads(Shared::lanes.restart_in_child()); });
    static_cast<void>(armed);  // without memory for the handlers, a fork in the middle of a retirement may lose a lane
}

}  // namespace freehold::detail
