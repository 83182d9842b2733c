// N1851's use case: several threads process a stream of work out of order.
//
// A batch of items arrives as one vector, because of the wire format. A shared_ptr houses the vector: batch and count
// are one block from a pool that every thread allocates from and frees to. The processor gets each item as a
// managed_ptr, so it takes ownership without knowing whether the item is shared. The managed_ptr is an alias: it points
// to the item and keeps the batch alive. The thread that processes the last item destroys the batch.

#include <freehold/freehold.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct work_item {
    int order;
    int amount;
};

using batch = std::vector<work_item>;

// Takes ownership of items and processes each in one of its threads.
class processor {
public:
    explicit processor(int threads) {
        for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
    }

    ~processor() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        ready_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }

    void process(freehold::managed_ptr<const work_item> item) {
        {
            const std::lock_guard lock(mutex_);
            // At alternate ends, so that items finish out of order.
            if (item->order % 2 == 0) {
                items_.push_back(std::move(item));
            } else {
                items_.push_front(std::move(item));
            }
        }
        ready_.notify_one();
    }

    [[nodiscard]] long total() const { return total_.load(); }

private:
    void work() {
        for (;;) {
            freehold::managed_ptr<const work_item> item;
            {
                std::unique_lock lock(mutex_);
                ready_.wait(lock, [this] { return closed_ || !items_.empty(); });
                if (items_.empty()) return;
                item = std::move(items_.front());
                items_.pop_front();
            }
            total_ += item->amount;
        }
    }

    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<freehold::managed_ptr<const work_item>> items_;
    bool closed_ = false;
    std::atomic<long> total_ = 0;
    std::vector<std::thread> workers_;
};

// Represents the stream.
void read_items(batch& items, int first, int count) {
    for (int i = 0; i < count; ++i) items.push_back({first + i, (first + i) % 7});
}

}  // namespace

int main() {
    constexpr int batches = 200;
    constexpr int batch_size = 50;
    const freehold::small_block_allocator<batch> pool;

    long expected = 0;
    long processed = 0;
    std::vector<freehold::weak_ptr<batch>> weak_batches;
    {
        processor workers(3);
        for (int i = 0; i < batches; ++i) {
            const auto items = freehold::make_shared_object_with_alloc<batch>(pool);
            items->reserve(batch_size);
            read_items(*items, i * batch_size, batch_size);
            weak_batches.push_back(items);
            for (work_item& item : *items) {
                expected += item.amount;
                workers.process(freehold::shared_ptr<work_item>(items, &item));
            }
        }
        while (workers.total() != expected) std::this_thread::yield();
        processed = workers.total();
    }

    long alive = 0;
    for (const auto& weak : weak_batches) alive += weak.expired() ? 0 : 1;
    std::printf("%d batches, %d items each: %ld of %ld processed, %ld batches left\n", batches, batch_size, processed,
                expected, alive);
    return processed == expected && alive == 0 ? 0 : 1;
}
