#pragma once
// The depot of small blocks: batches that no thread holds, and the memory that blocks are first cut from.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "free_block.hpp"

namespace freehold::detail {

class block_depot {
public:
    // Returns: the first of a list of at least one and at most batch_length blocks of the class, linked by `next`, or
    // a null pointer if there is no memory.
    [[nodiscard]] free_block* take(std::size_t block_class) noexcept {
        const lock held(mutex_);
        if (free_block* const batch = batches_[block_class]) {
            batches_[block_class] = link_of(batch).next_batch;
            return batch;
        }
        return cut(block_class);
    }

    // Effects: takes over a list of blocks of the class that starts with `batch` and continues with `rest`.
    void give(std::size_t block_class, free_block* batch, free_block* rest) noexcept {
        const lock held(mutex_);
        batches_[block_class] = make_batch(batch, block_class, rest, batches_[block_class]);
    }

private:
    static constexpr std::size_t chunk_bytes = std::size_t{64} * 1024;

    // Chunks are linked through their first 16 bytes, so that leak checkers can reach them.
    struct chunk {
        chunk* previous;
    };

    free_block* cut(std::size_t block_class) noexcept {
        const std::size_t bytes = bytes_of(block_class);
        if (left_ < bytes) {
            // Not from operator new: a program that replaces it to count would take what the pool keeps for a leak.
            void* const memory = std::malloc(chunk_bytes);
            if (memory == nullptr) return nullptr;
            if (chunks_ == nullptr) survive_fork();
            chunks_ = ::new (memory) chunk{chunks_};
            cursor_ = static_cast<std::byte*>(memory) + block_granularity;
            left_ = chunk_bytes - block_granularity;
            annotate_free(cursor_, left_);
        }
        free_block* first = nullptr;
        // In address order: neighbours in the list are neighbours in the cache.
        std::size_t blocks = std::min(left_ / bytes, std::size_t{batch_length});
        std::byte* const begin = cursor_;
        cursor_ += blocks * bytes;
        left_ -= blocks * bytes;
        while (blocks > 0) {
            first = make_free(begin + --blocks * bytes, block_class, first);
        }
        return first;
    }

    // A child that is forked while another thread holds the mutex would wait for ever.
    static void survive_fork() noexcept;

    // std::mutex may have a destructor, and then the depot would be destroyed.
    class lock {
    public:
        explicit lock(pthread_mutex_t& mutex) noexcept : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
        lock(const lock&) = delete;
        lock& operator=(const lock&) = delete;
        ~lock() { pthread_mutex_unlock(&mutex_); }

    private:
        pthread_mutex_t& mutex_;
    };

    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    free_block* batches_[block_classes] = {};
    std::byte* cursor_ = nullptr;
    std::size_t left_ = 0;
    chunk* chunks_ = nullptr;
};

// Constant-initialised and never destroyed: objects with static storage may use it before and after everything.
inline constinit block_depot depot;

static_assert(std::is_trivially_destructible_v<block_depot>);

inline void block_depot::survive_fork() noexcept {
    pthread_atfork([] { pthread_mutex_lock(&depot.mutex_); }, [] { pthread_mutex_unlock(&depot.mutex_); },
                   [] { pthread_mutex_unlock(&depot.mutex_); });
}

}  // namespace freehold::detail
