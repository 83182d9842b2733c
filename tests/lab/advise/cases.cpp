// Programs whose allocations are known: `cases NAME ARGUMENTS`.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALONE __attribute__((noinline, noclone))

void* volatile last;  // so that no pair of calls is left out

ALONE void* take(std::size_t size) {
    void* block = std::malloc(size);
    asm volatile("" : "+r"(block));
    return block;
}

ALONE void give(void* block) {
    asm volatile("" : "+r"(block));
    std::free(block);
}

void pairs(int count) {
    for (int i = 0; i < count; ++i) give(take(24));
}

// Each function 100 times.
void kinds() {
    for (int i = 0; i < 100; ++i) {
        give(take(10));
        void* block = last = std::calloc(2, 5);
        block = last = std::realloc(block, 20000);
        last = std::realloc(block, 0);
        give(last = memalign(64, 10));
        give(last = std::aligned_alloc(64, 64));
        give(posix_memalign(const_cast<void**>(&last), 64, 10) == 0 ? last : nullptr);
        last = ::operator new(10);
        ::operator delete(last);
        last = ::operator new[](10);
        ::operator delete[](last);
        last = ::operator new(10);
        ::operator delete(last, std::size_t{10});
        last = ::operator new(128, std::align_val_t{128});
        ::operator delete(last, std::align_val_t{128});
    }
}

// The block of a free comes again from realloc(nullptr).
void reallocated_from_nothing() {
    void* (*volatile change)(void*, std::size_t) = std::realloc;
    for (int i = 0; i < 1000; ++i) {
        give(take(24));
        give(change(nullptr, 24));
    }
}

ALONE int recurse(int depth) {
    if (depth == 0) return give(take(24)), 1;
    const int more = recurse(depth - 1);
    asm volatile("");  // so that it is no loop
    return more + 1;
}

// A function that aligns its stack finds its caller in another way.
ALONE void aligned_frame(int size) {
    alignas(64) volatile char space[64];
    auto* const more = static_cast<volatile char*>(__builtin_alloca(static_cast<std::size_t>(size)));
    space[0] = more[0] = 0;
    give(take(24));
}

// Each block is freed by the thread that did not make it.
void handed_over(int count) {
    std::atomic<void*> slot{nullptr};
    std::thread other([&] {
        for (int i = 0; i < count; ++i) {
            void* block = nullptr;
            while ((block = slot.exchange(nullptr)) == nullptr) std::this_thread::yield();
            give(block);
        }
    });
    for (int i = 0; i < count; ++i) {
        void* const block = take(24);
        while (slot.load() != nullptr) std::this_thread::yield();
        slot.store(block);
    }
    other.join();
}

void threads(int count, int each) {
    std::vector<std::thread> all;
    for (int i = 0; i < count; ++i) all.emplace_back([=] { pairs(each); });
    for (std::thread& thread : all) thread.join();
}

void forked() {
    pairs(1000);
    void* const block = take(24);
    if (fork() == 0) {
        give(block);
        pairs(2000);
        _exit(0);
    }
    wait(nullptr);
    give(block);
}

void forked_amid_threads() {
    std::atomic<bool> is_done{false};
    std::thread other([&] {
        while (!is_done) pairs(100);
    });
    for (int i = 0; i < 50; ++i) {
        if (fork() == 0) {
            pairs(100);
            _exit(0);
        }
        wait(nullptr);
    }
    is_done = true;
    other.join();
}

void spawned(const char* program) {
    const char* const arguments[] = {program, "pairs", "500", nullptr};
    pid_t child = 0;
    posix_spawn(&child, program, nullptr, nullptr, const_cast<char**>(arguments), environ);
    waitpid(child, nullptr, 0);
}

void handle(int) { pairs(10); }

void in_handlers(int count) {
    signal(SIGUSR1, handle);
    const pid_t me = getpid();
    if (fork() == 0) {
        for (int i = 0; i < count; ++i) kill(me, SIGUSR1);
        _exit(0);
    }
    for (int status = 0; waitpid(-1, &status, WNOHANG) == 0;) give(take(0));
}

struct item {
    std::unique_ptr<item> next;
    long value = 0;
};

ALONE long batch(int items) {
    std::unique_ptr<item> first;
    for (int i = 0; i < items; ++i) {
        auto fresh = std::make_unique<item>();
        fresh->next = std::move(first);
        first = std::move(fresh);
    }
    long sum = 0;
    while (first) {
        sum += first->value;
        first = std::move(first->next);
    }
    return sum;
}

ALONE void grow(int count, std::size_t size) {  // for good
    for (int i = 0; i < count; ++i) last = take(size);
}

ALONE void resize(int count) {  // a block that is never larger than 4 KiB
    void* (*volatile change)(void*, std::size_t) = std::realloc;
    void* block = nullptr;
    for (int i = 0; i < count; ++i) block = change(block, i % 2 == 0 ? 64 : 4096);
    std::free(block);
}

ALONE void map(std::size_t size) {  // without malloc, for a moment
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(memory, 1, size);
    usleep(100'000);
}

ALONE void hold() {  // 1 MiB for long, and 1 MiB, then 2 MiB for a moment
    void* const whole = take(1 << 20);
    give(take(1 << 20));
    give(take(2 << 20));
    give(whole);
}

ALONE long grow(int count) {
    std::vector<long> values;
    for (int i = 0; i < count; ++i) values.push_back(i);
    return values.back();
}

ALONE std::shared_ptr<item> own() { return std::shared_ptr<item>(new item); }

ALONE long sort(int count) {
    std::map<int, long> numbers;
    for (int i = 0; i < count; ++i) {
        numbers[i % 100] = i;
        numbers.erase(i * 7 % 100);
    }
    return static_cast<long>(numbers.size());
}

void failing() {
    volatile std::size_t huge = PTRDIFF_MAX;
    last = std::malloc(huge);
    try {
        last = ::operator new(huge);
    } catch (const std::bad_alloc&) {
        pairs(10);
    }
}

void loaded(const char* first, const char* second) {
    for (const char* each : {first, second}) {
        void* const library = dlopen(each, RTLD_NOW);
        reinterpret_cast<void (*)()>(dlsym(library, "work"))();
        dlclose(library);
    }
}

int main(int count, char** arguments) {
    const auto is = [&](const char* name) { return count > 1 && std::strcmp(arguments[1], name) == 0; };
    const auto number = [&](int at) { return at < count ? std::atoi(arguments[at]) : 0; };
    if (is("pairs")) pairs(number(2));
    if (is("kinds")) kinds();
    if (is("reallocated")) reallocated_from_nothing();
    if (is("recurse")) recurse(number(2));
    if (is("aligned")) aligned_frame(number(2));
    if (is("handed")) handed_over(number(2));
    if (is("threads")) threads(number(2), number(3));
    if (is("forked")) forked();
    if (is("amid")) forked_amid_threads();
    if (is("spawned")) spawned(arguments[0]);
    if (is("exec")) pairs(300), execl(arguments[0], arguments[0], "pairs", "500", nullptr);
    if (is("killed")) pairs(number(2)), raise(SIGKILL);
    if (is("handlers")) in_handlers(number(2));
    if (is("batches"))
        for (int i = 0; i < number(2); ++i) batch(number(3));
    if (is("hold")) hold();
    for (int i = 0; is("grow") && i < number(2); ++i) grow(100);
    for (int i = 0; is("own") && i < number(2); ++i) own();
    if (is("sort")) sort(number(2));
    if (is("mixture")) pairs(700'000), grow(160'000, 100), resize(8'000);
    if (is("mapped")) map(64 << 20);
    if (is("large")) grow(50, 1 << 20);
    if (is("failing")) failing();
    if (is("loaded")) loaded(arguments[2], arguments[3]);
    if (is("left") && fork() == 0) close(1), usleep(200'000), pairs(2'000'000);
    if (is("wait")) pairs(1000), std::puts("waiting"), std::fflush(stdout), pause();
    if (is("exit")) return number(2);
    if (is("read"))
        for (char letter = 0; read(0, &letter, 1) == 1;) pairs(100);
    if (is("loop")) {
        volatile double sum = 0;
        for (int i = 0; i < number(2); ++i) sum = sum + i;
    }
    return 0;
}
