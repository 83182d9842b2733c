#pragma once
// Whether this process has ever had a second thread: the state that glibc reports and that libraries depend on.

#include <semaphore>
#include <thread>

namespace lab {

// True until the first thread is started, and false ever after.
bool single_threaded();

// A second thread that does nothing for as long as this object lives.
class parked_thread {
public:
    parked_thread();
    ~parked_thread();

private:
    std::binary_semaphore end_{0};
    std::thread thread_;
};

}  // namespace lab
