#pragma once
// Brings the process into the state in which counts must be atomic.

#include <thread>

namespace support {

// Effects: the process has had a second thread; glibc never takes that back.
inline void start_first_thread() {
    std::thread([] {}).join();
}

}  // namespace support
