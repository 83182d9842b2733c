// Two threads wait, each in a function of its own that owns an object on its stack. It says "ready".

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

struct Session {
    long number = 0;
};
struct Job {
    long number = 0;
};

std::atomic<bool> has_begun = false;

template <class T>
void expose(const std::shared_ptr<T>& owner) {
    asm volatile("" : : "r"(&owner) : "memory");
}

[[gnu::noinline]] void serve(int& calls) {
    const auto session = std::make_shared<Session>();
    expose(session);
    char byte;
    calls += write(STDOUT_FILENO, "ready\n", 6) + read(STDIN_FILENO, &byte, 1);
}

[[gnu::noinline]] void work() {
    const auto job = std::make_shared<Job>();
    expose(job);
    has_begun = true;
    for (;;) pause();
}

int main() {
    std::thread([] {
        pthread_setname_np(pthread_self(), "worker");
        work();
    }).detach();
    while (!has_begun) usleep(1000);
    int calls = 0;
    serve(calls);
    return calls;
}
