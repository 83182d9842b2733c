#include "thread_state.hpp"

#include <sys/single_threaded.h>

namespace lab {

bool single_threaded() { return __libc_single_threaded; }

parked_thread::parked_thread() : thread_([this] { end_.acquire(); }) {}

parked_thread::~parked_thread() {
    end_.release();
    thread_.join();
}

}  // namespace lab
