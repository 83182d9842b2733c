// Threads that allocate, resize and free each other's blocks at random, begin and end, and fork meanwhile, in a program
// that preloads libfreehold-malloc.so. Each block is filled with a pattern of its own, which is checked.

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "builds/check.hpp"

namespace {

using generator = std::linear_congruential_engine<std::uint32_t, 48271, 0, 2147483647>;

class slot {
public:
    // Effects: does one operation at random on the block of the slot.
    void step(generator& random) {
        const std::lock_guard held(mutex_);
        check();
        const std::size_t bytes = size(random);
        switch (random() % 8) {
            case 0:
            case 1: resize(bytes, random()); return;
            case 2:
                free();
                fill(std::calloc(1, bytes), bytes, random());
                return;
            case 3: {
                free();
                const std::size_t alignment = std::size_t{1} << random() % 17;
                void* const block = memalign(alignment, bytes);
                CHECK(reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
                fill(block, bytes, random());
                return;
            }
            case 4:
                free();
                fill(::operator new(bytes), bytes, random());
                is_new_ = true;
                return;
            case 5: free(); return;
            default: free(); fill(std::malloc(bytes), bytes, random());
        }
    }

    void free() {
        check();
        if (is_new_) {
            ::operator delete(block_);
        } else {
            std::free(block_);
        }
        block_ = nullptr;
        bytes_ = 0;
        is_new_ = false;
    }

private:
    // Mostly small, sometimes large, seldom very large.
    [[nodiscard]] static std::size_t size(generator& random) {
        const unsigned kind = random() % 1000;
        if (kind < 800) return random() % 500 + 1;
        if (kind < 980) return random() % 9'000 + 1;
        if (kind < 998) return random() % 100'000 + 1;
        return random() % 3'000'000 + 1;
    }

    // Effects: fills some places of the block, among them the last byte that may be used.
    void fill(void* block, std::size_t bytes, unsigned pattern) {
        CHECK(block != nullptr);
        block_ = static_cast<unsigned char*>(block);
        bytes_ = malloc_usable_size(block);
        CHECK(bytes_ >= bytes);
        pattern_ = static_cast<unsigned char>(pattern);
        for (std::size_t i = 0; i < bytes_; i += stride()) block_[i] = pattern_;
        block_[bytes_ - 1] = pattern_;
    }

    void check() const {
        for (std::size_t i = 0; i < bytes_; i += stride()) CHECK(block_[i] == pattern_);
        if (bytes_ > 0) CHECK(block_[bytes_ - 1] == pattern_);
    }

    void resize(std::size_t bytes, unsigned pattern) {
        if (is_new_) free();  // what operator new has given is not resized
        const std::size_t before = bytes_;
        const std::size_t step = stride();
        block_ = static_cast<unsigned char*>(std::realloc(block_, bytes));
        CHECK(block_ != nullptr);
        for (std::size_t i = 0; i < before && i < bytes; i += step) CHECK(block_[i] == pattern_);
        if (before > 0 && before <= bytes) CHECK(block_[before - 1] == pattern_);
        fill(block_, bytes, pattern);
    }

    [[nodiscard]] std::size_t stride() const { return bytes_ / 64 + 1; }

    std::mutex mutex_;
    unsigned char* block_ = nullptr;
    std::size_t bytes_ = 0;
    unsigned char pattern_ = 0;
    bool is_new_ = false;
};

constexpr std::size_t slot_count = 2000;
slot slots[slot_count];

void work(unsigned seed, int steps) {
    generator random(seed);
    for (int i = 0; i < steps; ++i) slots[random() % slot_count].step(random);
}

// Effects: checks in a child that every size can be allocated and freed, whatever the other threads were doing.
void fork_and_allocate() {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        for (std::size_t bytes = 1; bytes < 1'000'000; bytes += bytes / 8 + 1) {
            for (int i = 0; i < 20; ++i) std::free(std::memset(std::malloc(bytes), 1, bytes));
        }
        std::thread([] { delete[] new int[1000]; }).join();
        std::_Exit(0);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

}  // namespace

int main() {
    constexpr unsigned threads = 4;
    constexpr int waves = 30;
    constexpr int steps = 4'000;
    for (int wave = 0; wave < waves; ++wave) {
        std::vector<std::thread> running;
        for (unsigned i = 0; i < threads; ++i) {
            // Some end while others allocate.
            running.emplace_back(work, static_cast<unsigned>(wave) * threads + i, steps / static_cast<int>(1 + i % 3));
        }
        if (wave % 5 == 0) fork_and_allocate();
        if (wave % 5 == 2) malloc_trim(0);
        for (std::thread& each : running) each.join();
    }
    for (slot& each : slots) each.free();
}
