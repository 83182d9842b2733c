#pragma once
// producer-consumer: of `x` threads one half allocates blocks of 48 bytes, and each of them passes its blocks on to one
// of the other half, which frees them; as they are, or with a message in each that the one writes and the other reads;
// or blocks of 16 bytes to 4 KiB.

#include <atomic>
#include <cstdint>
#include <thread>

#include "../../harness/threads.hpp"
#include "../../harness/workload.hpp"
#include "blocks.hpp"

namespace lab::producer_consumer {

inline constexpr std::size_t words = 6;

// A queue between two threads. Each side tells the other its position only once for `group` blocks and when it ends,
// and looks at the other's only when it must: it is in the other processor's cache, and asking for it would be most of
// what is measured.
class ring {
public:
    void push(word* block) {
        for (int asked = 0; pushing_ - popped_seen_ == capacity; ++asked) {
            wait(asked);
            popped_seen_ = popped_.load(std::memory_order_acquire);  // with the release in pop: the places are free
        }
        places_[pushing_ % capacity] = block;
        if (++pushing_ % group == 0) {
            publish();
        }
    }

    void publish() {
        pushed_.store(pushing_, std::memory_order_release);  // with the acquire in pop: the blocks are there
    }

    word* pop() {
        for (int asked = 0; popping_ == pushed_seen_; ++asked) {
            wait(asked);
            pushed_seen_ = pushed_.load(std::memory_order_acquire);  // with the release in publish
        }
        word* const block = places_[popping_ % capacity];
        if (++popping_ % group == 0) {
            popped_.store(popping_, std::memory_order_release);  // with the acquire in push
        }
        return block;
    }

private:
    static constexpr std::size_t capacity = 1024;
    static constexpr std::size_t group = 32;

    // Spins, but leaves the processor to the other side where that may have none.
    static void wait(int asked) {
        if (asked >= 1000) {
            std::this_thread::yield();
        }
    }

    alignas(128) std::atomic<std::size_t> pushed_ = 0;
    alignas(128) std::size_t pushing_ = 0;
    std::size_t popped_seen_ = 0;
    alignas(128) std::atomic<std::size_t> popped_ = 0;
    alignas(128) std::size_t popping_ = 0;
    std::size_t pushed_seen_ = 0;
    alignas(128) word* places_[capacity];
};

inline ring rings[most_threads / 2];
inline std::atomic<std::uint64_t> received;

template <class Strategy>
void produce(ring& blocks, long count) {
    auto& arena = *kept_arena<Strategy>::arena;
    for (; count > 0; --count) {
        blocks.push(arena.template allocator<word>().allocate(words));
    }
    blocks.publish();
}

template <class Strategy>
void consume(ring& blocks, long count) {
    auto& arena = *kept_arena<Strategy>::arena;
    for (; count > 0; --count) {
        arena.template allocator<word>().deallocate(blocks.pop(), words);
    }
}

template <class Strategy>
void write_messages(ring& blocks, long count) {
    auto& arena = *kept_arena<Strategy>::arena;
    for (; count > 0; --count) {
        blocks.push(allocate_block(arena, words, static_cast<word>(count)));
    }
    blocks.publish();
}

template <class Strategy>
void read_messages(ring& blocks, long count) {
    auto& arena = *kept_arena<Strategy>::arena;
    std::uint64_t sum = 0;
    for (; count > 0; --count) {
        sum += free_block(arena, blocks.pop(), words);
    }
    received += sum;
}

// From 16 bytes to 4 KiB; as many of each power of two.
template <class Strategy>
void write_any_size(ring& blocks, long count) {
    auto& arena = *kept_arena<Strategy>::arena;
    random_numbers random(48);
    for (; count > 0; --count) {
        const std::size_t least = std::size_t{2} << random.below(8);
        const std::size_t words = least + random.below(least);
        blocks.push(allocate_block(arena, words, words));
    }
    blocks.publish();
}

template <class Strategy>
void read_any_size(ring& blocks, long count) {
    auto& arena = *kept_arena<Strategy>::arena;
    std::uint64_t sum = 0;
    for (; count > 0; --count) {
        word* const block = blocks.pop();
        sum += free_block(arena, block, *block);
    }
    received += sum;
}

using part = void (*)(ring& blocks, long count);

// Two threads share a ring.
template <part Producer, part Consumer>
void take_part(int thread, long count) {
    (thread % 2 == 0 ? Producer : Consumer)(rings[thread / 2], count);
}

template <class Strategy>
void pass_on(int threads, long iterations) {
    kept_arena<Strategy>::get();  // before there are threads
    run_in_threads(threads, take_part<produce<Strategy>, consume<Strategy>>, iterations);
}

template <class Strategy>
void pass_messages(int threads, long iterations) {
    kept_arena<Strategy>::get();
    run_in_threads(threads, take_part<write_messages<Strategy>, read_messages<Strategy>>, iterations);
}

template <class Strategy>
void pass_any_size(int threads, long iterations) {
    kept_arena<Strategy>::get();
    run_in_threads(threads, take_part<write_any_size<Strategy>, read_any_size<Strategy>>, iterations);
}

template <class Strategy>
std::uint64_t checksum() {
    received = 0;
    pass_messages<Strategy>(2, 10'000);
    kept_arena<Strategy>::clear();
    return received;
}

template <class Strategy>
inline constexpr series plot[] = {
    {.name = "passed on",
     .sizes = several_threads,
     .work = pass_on<Strategy>,
     .measured_by = clock::wall,
     .clear = kept_arena<Strategy>::clear,
     .fits = has_processors,
     .peak_iterations = 100'000},
    {.name = "with a message",
     .sizes = several_threads,
     .work = pass_messages<Strategy>,
     .measured_by = clock::wall,
     .clear = kept_arena<Strategy>::clear,
     .fits = has_processors,
     .peak_iterations = 100'000},
    {.name = "of any size",
     .sizes = several_threads,
     .work = pass_any_size<Strategy>,
     .measured_by = clock::wall,
     .clear = kept_arena<Strategy>::clear,
     .fits = has_processors,
     .peak_iterations = 100'000,
     .rest = kept_arena<Strategy>::rest},
};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::producer_consumer
