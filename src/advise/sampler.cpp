// Preloaded: notes where the program is, at each tick of its CPU time, in the file FREEHOLD_SAMPLES. For programs that
// valgrind cannot run. Needs the C library alone.

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

constexpr std::uint32_t most = 1 << 16;
constexpr std::size_t most_text = 1 << 18;

struct samples {
    std::atomic<std::uint32_t> process;  // the first that is run; what it begins is not sampled
    std::atomic<std::uint32_t> count;
    std::uint64_t at[most];
    char modules[most_text];  // /proc/self/maps when it began
};

samples* shared;

void take(int, siginfo_t*, void* context) {
    // relaxed, here and below: they are read when the process has ended
    const std::uint32_t number = shared->count.fetch_add(1, std::memory_order_relaxed);
    if (number < most)
        shared->at[number] = static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}

void read_modules() {
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = 0;
    for (std::size_t at = 0; (bytes = read(file, shared->modules + at, most_text - 1 - at)) > 0;)
        at += static_cast<std::size_t>(bytes);
    close(file);
}

[[gnu::constructor]] void begin() {
    const char* const path = std::getenv("FREEHOLD_SAMPLES");
    const int file = path != nullptr ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void* const found = mmap(nullptr, sizeof(samples), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (found == MAP_FAILED) return;
    shared = static_cast<samples*>(found);
    std::uint32_t none = 0;
    if (!shared->process.compare_exchange_strong(none, static_cast<std::uint32_t>(getpid()), std::memory_order_relaxed))
        return;
    read_modules();
    struct sigaction action{};
    action.sa_sigaction = take;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigaction(SIGPROF, &action, nullptr);
    const itimerval tick{{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &tick, nullptr);
}

}
