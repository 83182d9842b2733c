#pragma once
// key_destructor: work for a thread that is destroying what its pthread keys hold, when its thread_local objects are
// gone.

#include <pthread.h>

#include <functional>
#include <utility>

namespace support {

class key_destructor {
public:
    explicit key_destructor(std::function<void()> work) : work_(std::move(work)) { pthread_key_create(&key_, &run); }
    key_destructor(const key_destructor&) = delete;
    key_destructor& operator=(const key_destructor&) = delete;
    ~key_destructor() { pthread_key_delete(key_); }

    // Effects: the calling thread will do the work at its end. Requires: the thread ends before *this does.
    void arm() const { pthread_setspecific(key_, this); }

private:
    static void run(void* self) { static_cast<key_destructor*>(self)->work_(); }

    std::function<void()> work_;
    pthread_key_t key_{};
};

}  // namespace support
