// What malloc and its relatives promise, in a program that preloads libfreehold-malloc.so.

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <thread>
#include <vector>

#include "builds/check.hpp"
#include "support/process_memory.hpp"

namespace {

constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();

constexpr std::size_t mebibyte = std::size_t{1} << 20;

using support::measure;
using support::resident_bytes;

bool is_aligned(const void* block, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

// Otherwise the other checks prove nothing.
void check_that_it_is_preloaded() {
    for (void* const function : {reinterpret_cast<void*>(&std::malloc), reinterpret_cast<void*>(&std::free),
                                 reinterpret_cast<void*>(static_cast<void* (*)(std::size_t)>(&::operator new))}) {
        Dl_info found{};
        CHECK(dladdr(function, &found) != 0);
        CHECK(std::string_view(found.dli_fname).find("freehold-malloc") != std::string_view::npos);
    }
}

template <class Allocate>
void check_failure(int error, Allocate allocate) {
    errno = 0;
    CHECK(allocate() == nullptr);
    CHECK(errno == error);
}

void check_failures() {
    volatile std::size_t much = largest / 2;  // compilers warn of constants
    check_failure(ENOMEM, [&] { return std::malloc(much); });
    check_failure(ENOMEM, [&] { return std::malloc(2 * much); });
    check_failure(ENOMEM, [&] { return std::calloc(much + 2, 2); });  // 2 bytes, if it wrapped
    check_failure(ENOMEM, [&] { return std::calloc(much, 1); });
    check_failure(ENOMEM, [&] { return memalign(4096, much); });
    check_failure(ENOMEM, [&] { return std::aligned_alloc(much + 1, 1); });
    check_failure(ENOMEM, [&] { return pvalloc(2 * much); });
    check_failure(ENOMEM, [&] { return valloc(2 * much); });
    check_failure(EINVAL, [&] { return std::aligned_alloc(48, 96); });
    void* block = nullptr;
    CHECK(posix_memalign(&block, 3, 1) == EINVAL);
    CHECK(posix_memalign(&block, 4, 1) == EINVAL);
    CHECK(posix_memalign(&block, 4096, much) == ENOMEM);
    CHECK(block == nullptr);

    for (const std::size_t bytes : {std::size_t{30}, std::size_t{30'000}}) {
        void* const kept = std::memset(std::malloc(bytes), 7, bytes);
        check_failure(ENOMEM, [&] { return std::realloc(kept, much); });
        check_failure(ENOMEM, [&] { return reallocarray(kept, much + 2, 2); });
        for (std::size_t i = 0; i < bytes; ++i) CHECK(static_cast<unsigned char*>(kept)[i] == 7);
        std::free(kept);
    }

    bool is_thrown = false;
    try {
        static_cast<void>(::operator new(much));
    } catch (const std::bad_alloc&) {
        is_thrown = true;
    }
    CHECK(is_thrown);
    CHECK(::operator new(much, std::nothrow) == nullptr);
    CHECK(::operator new(much, std::align_val_t{64}, std::nothrow) == nullptr);
}

void check_alignments() {
    for (const std::size_t alignment : {1, 24, 48, 100, 3000}) {
        void* const block = memalign(alignment, 10);
        CHECK(block != nullptr && is_aligned(block, std::bit_ceil(alignment)));
        std::free(block);
    }
    check_failure(EINVAL, [] { return memalign(largest, 1); });
}

void check_reports() {
    void* const small = std::malloc(100);
    const struct mallinfo2 before = mallinfo2();
    CHECK(before.uordblks >= 100 && before.arena >= before.uordblks);
    void* const large = std::malloc(3 * mebibyte);
    const struct mallinfo2 after = mallinfo2();
    CHECK(after.hblks == before.hblks + 1);
    CHECK(after.hblkhd >= before.hblkhd + 3 * mebibyte);
    std::free(large);
    std::free(small);
    CHECK(mallinfo2().hblks == before.hblks);
    CHECK(mallinfo2().fordblks > before.fordblks);

    std::FILE* const file = std::tmpfile();
    CHECK(malloc_info(0, file) == 0 && std::ftell(file) > 0);
    CHECK(malloc_info(1, file) == -1 && errno == EINVAL);
    std::fclose(file);
    CHECK(mallopt(M_ARENA_MAX, 1) == 0);
}

void check_odd_requests() {
    void* const first = std::malloc(0);
    void* const second = std::malloc(0);
    CHECK(first != nullptr && second != nullptr && first != second);
    std::free(first);
    CHECK(std::realloc(second, 0) == nullptr);
    std::free(nullptr);
    CHECK(malloc_usable_size(nullptr) == 0);
    void* const fresh = std::realloc(nullptr, 100);
    CHECK(fresh != nullptr && malloc_usable_size(fresh) >= 100);
    errno = EDOM;
    std::free(fresh);
    for (std::size_t bytes = 1000; bytes < 40'000'000; bytes *= 2) {
        for (int i = 0; i < 30; ++i) std::free(std::memset(std::malloc(bytes), 1, 1000));
    }
    CHECK(errno == EDOM);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const whole = pvalloc(page + 1);
    CHECK(is_aligned(whole, page) && malloc_usable_size(whole) >= 2 * page);
    std::free(whole);
    void* const aligned = valloc(1);
    CHECK(is_aligned(aligned, page));
    std::free(aligned);
}

// The memory of a block that was written to is cleared when calloc reuses it.
void check_zeros() {
    for (std::size_t bytes = 1; bytes < 3'000'000; bytes += 1 + bytes / 2) {
        for (int round = 0; round < 3; ++round) {
            auto* const block = static_cast<unsigned char*>(std::calloc(1, bytes));
            for (std::size_t i = 0; i < bytes; ++i) CHECK(block[i] == 0);
            std::memset(block, 0xff, malloc_usable_size(block));
            std::free(block);
        }
    }
}

// A block that grows and shrinks keeps its contents.
void check_resizing() {
    std::size_t kept = 0;
    auto* block = static_cast<unsigned char*>(std::malloc(1));
    void* neighbor = nullptr;
    for (const double factor : {1.3, 0.7, 3.0, 0.2, 1.07}) {
        for (int step = 0; step < 60; ++step) {
            const auto bytes = static_cast<std::size_t>(static_cast<double>(malloc_usable_size(block)) * factor) + 1;
            if (bytes > 20'000'000) break;
            block = static_cast<unsigned char*>(std::realloc(block, bytes));
            CHECK(block != nullptr && malloc_usable_size(block) >= bytes);
            kept = kept < bytes ? kept : bytes;
            for (std::size_t i = 0; i < kept; i += 97) CHECK(block[i] == static_cast<unsigned char>(i * 31));
            // The last byte was written, unless it was beyond what is kept.
            if (kept != 0 && kept < bytes) CHECK(block[kept - 1] == static_cast<unsigned char>((kept - 1) * 31));
            for (std::size_t i = 0; i < bytes; i += 97) block[i] = static_cast<unsigned char>(i * 31);
            block[bytes - 1] = static_cast<unsigned char>((bytes - 1) * 31);
            kept = bytes;
            // So that it cannot always grow in place.
            std::free(neighbor);
            neighbor = std::malloc(bytes / 2);
        }
    }
    std::free(neighbor);
    std::free(block);
}

// Pages of several mappings do not move as one.
void check_resizing_of_divided_pages() {
    constexpr std::size_t bytes = 1'000'000;
    auto* block = static_cast<char*>(std::malloc(bytes));
    std::memset(block, 3, bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    CHECK(madvise(reinterpret_cast<void*>(address + (64U << 10)), 64U << 10, MADV_DONTDUMP) == 0);
    block = static_cast<char*>(std::realloc(block, 30 * bytes));
    for (std::size_t i = 0; i < bytes; ++i) CHECK(block[i] == 3);
    std::free(block);
}

// Large blocks and blocks in slabs at addresses that are equal modulo 4 GiB.
void check_distant_addresses() {
    std::vector<void*> large;
    for (int i = 0; i < 1000; ++i) large.push_back(std::malloc(20'000));
    // So that what follows is 4 GiB away from these: the system maps downwards.
    void* const between = std::malloc((std::size_t{4} << 30) - (std::size_t{64} << 20));
    if (between == nullptr) std::fprintf(stderr, "skipped: there is no memory of 4 GiB\n");
    std::vector<void*> small;
    for (int i = 0; i < 15'000; ++i) small.push_back(std::malloc(4096));
    for (void* const block : large) std::free(std::memset(block, 1, 20'000));
    for (void* const block : small) std::free(std::memset(block, 1, 4096));
    std::free(between);
}

// An object that is alive in the last destructors of its thread, which allocate.
void allocate_again(void* block) {
    std::free(block);
    void* more[100];
    for (std::size_t i = 0; i < 100; ++i) more[i] = std::malloc(i * 100);
    for (void* const each : more) std::free(each);
}

struct late {
    ~late() { allocate_again(block); }
    void* block = nullptr;
};

pthread_key_t key;
pthread_key_t second_key;
int rounds_left = 0;

void allocate_and_come_again(void* block) {
    allocate_again(block);
    if (rounds_left-- > 0) CHECK(pthread_setspecific(second_key, std::malloc(20)) == 0);
}

void check_ends_of_threads() {
    CHECK(pthread_key_create(&key, allocate_again) == 0);
    CHECK(pthread_key_create(&second_key, allocate_and_come_again) == 0);
    for (int i = 0; i < 50; ++i) {
        std::thread([] {
            thread_local late object;
            object.block = std::malloc(100);
            CHECK(pthread_setspecific(key, std::malloc(10'000)) == 0);
            rounds_left = 2;
            CHECK(pthread_setspecific(second_key, std::malloc(20)) == 0);
        }).join();
    }
}

// What threads have freed is not lost when they end.
void check_that_threads_leave_nothing() {
    const std::size_t before = resident_bytes();
    for (int i = 0; i < 200; ++i) {
        std::thread([] {
            std::vector<void*> blocks;
            for (std::size_t bytes = 9'000; bytes < 100'000; bytes += 2'000) blocks.push_back(std::malloc(bytes));
            for (void* const block : blocks) std::free(std::memset(block, 1, 9'000));
        }).join();
    }
    CHECK(resident_bytes() < before + 10 * mebibyte);
}

// Checks that a child which does this to a freed block ends with one line.
template <class Use>
void check_complaint(std::size_t bytes, Use use) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        void* volatile const block = std::memset(std::malloc(bytes), 3, bytes);
        std::free(block);
        use(block);
        std::_Exit(0);
    }
    close(ends[1]);
    char text[200];
    std::size_t length = 0;
    for (ssize_t more = 1; more > 0; length += static_cast<std::size_t>(more)) {
        more = read(ends[0], text + length, sizeof(text) - length);
        CHECK(more >= 0);
    }
    const std::string_view line(text, length);
    CHECK(line.starts_with("freehold: ") && line.find('\n') == line.size() - 1);
    close(ends[0]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

// Large blocks, that wait in the thread or were given back.
void check_uses_of_freed_blocks() {
    for (const std::size_t bytes : {std::size_t{10'000}, std::size_t{20'000'000}}) {
        check_complaint(bytes, [](void* block) { std::free(block); });
    }
    check_complaint(100'000, [](void* block) { block = std::realloc(block, 90'000); });
}

void check_errno() {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{10'000}, std::size_t{400'000}, 40 * mebibyte}) {
        std::vector<void*> blocks(20);
        for (void*& each : blocks) each = std::malloc(bytes);
        for (void* const each : blocks) {
            errno = 7;
            std::free(each);
            CHECK(errno == 7);
        }
    }
}

// Where the system has no room for the old block and the new one, the pages of the old one move.
void check_resizing_within_a_limit() {
    rlimit before{};
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    malloc_trim(0);
    const rlimit low{measure().mapped + 190 * mebibyte, before.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &low) == 0);
    for (int round = 0; round < 5; ++round) {
        void* block = std::memset(std::malloc(20 * mebibyte), 7, 20 * mebibyte);
        void* const held = std::malloc(120 * mebibyte);
        CHECK(held != nullptr);
        block = std::realloc(block, 40 * mebibyte);
        CHECK(block != nullptr && static_cast<char*>(block)[20 * mebibyte - 1] == 7);
        std::free(block);
        std::free(held);
    }
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
}

void fill_and_free(std::size_t bytes, std::size_t total) {
    std::vector<void*> blocks(total / bytes);
    for (void*& each : blocks) each = std::memset(std::malloc(bytes), 1, bytes);
    for (void* const each : blocks) std::free(each);
}

void check_trimming() {
    CHECK(malloc_trim(0) == 1);
    const std::size_t before = resident_bytes();
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{20'000}, 30 * mebibyte}) {
        fill_and_free(bytes, 60 * mebibyte);
        CHECK(resident_bytes() > before + 30 * mebibyte);
        CHECK(malloc_trim(0) == 1);
        CHECK(resident_bytes() < before + 3 * mebibyte);
    }
}

// A call gives back half a MiB at most, and small requests give back all that was not needed for a second.
void check_purging() {
    constexpr std::size_t bytes = 100 * mebibyte;
    void* const block = std::memset(std::malloc(bytes), 1, bytes);
    const std::size_t full = resident_bytes();
    std::free(block);
    CHECK(resident_bytes() > full - mebibyte);  // the system's numbers are not exact
    std::vector<void*> small;
    for (int pause = 0; pause < 2; ++pause) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1'100));
        for (int i = 0; i < 40; ++i) {
            const std::size_t before = resident_bytes();
            small.push_back(std::malloc(5'000));
            CHECK(resident_bytes() + mebibyte > before);
        }
    }
    for (int i = 0; i < 2'000; ++i) small.push_back(std::malloc(5'000));
    CHECK(resident_bytes() < full - 80 * mebibyte);
    for (void* const each : small) std::free(each);
}

// With no address space left a request fails, and what is freed then serves every other size.
void check_exhaustion() {
    rlimit before{};
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    const rlimit low{std::size_t{200} << 20, before.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &low) == 0);
    std::size_t first = 0;
    for (const std::size_t bytes : {300'000U, 5000U, 8U << 20, 1000U, 8176U, 3'000'000U, 47U, 70'000U}) {
        void** last = nullptr;
        std::size_t served = 0;
        while (auto** const block = static_cast<void**>(std::malloc(bytes))) {
            *block = last;
            last = block;
            served += malloc_usable_size(block);
        }
        CHECK(errno == ENOMEM);
        CHECK(served > std::size_t{100} << 20);
        if (first == 0) first = served;
        CHECK(served >=
              first / 10 * 9);  // they fit slabs and pages more or less, also with the end of a hardened block
        while (last != nullptr) {
            void** const next = static_cast<void**>(*last);
            std::free(last);
            last = next;
        }
    }
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
}

}  // namespace

int main() {
    check_that_it_is_preloaded();
    check_uses_of_freed_blocks();  // first, while a large block is the first one at its address
    check_failures();
    check_alignments();
    check_reports();
    check_odd_requests();
    check_zeros();
    check_resizing();
    check_resizing_of_divided_pages();
    check_distant_addresses();
    check_ends_of_threads();
    check_that_threads_leave_nothing();
    check_errno();
    check_resizing_within_a_limit();
    check_trimming();
    check_purging();
    check_exhaustion();
}
