// A queue of work for several threads. Items arrive in batches and are finished in any order (see N1851).
// The queue holds managed_ptr: it is the sole owner of each item and knows nothing of the batch.
// Look at main(): the owner of an item is an alias of its batch, so the last item to be finished frees the batch.

#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/managed_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct work_item {
    int amount;
};
using batch = std::vector<work_item>;

class work_queue {
public:
    using item_owner = freehold::managed_ptr<const work_item>;

    void push(item_owner item) {
        {
            const std::lock_guard lock(mutex_);
            items_.push_back(std::move(item));
        }
        ready_.notify_one();
    }

    // Waits for an item. Returns: null if the queue is closed and empty.
    item_owner pop() {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [this] { return closed_ || !items_.empty(); });
        if (items_.empty()) return nullptr;
        item_owner next = std::move(items_.front());
        items_.pop_front();
        return next;
    }

    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        ready_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<item_owner> items_;
    bool closed_ = false;
};

}  // namespace

int main() {
    work_queue queue;
    std::atomic<long> total = 0;
    std::vector<std::thread> workers;
    for (int i = 0; i < 3; ++i) {
        workers.emplace_back([&] {
            while (const auto item = queue.pop()) total += item->amount;
        });
    }

    std::vector<freehold::weak_ptr<const batch>> sent;
    for (int i = 0; i < 200; ++i) {
        const auto items = freehold::make_shared<const batch>(50U, work_item{i});
        for (const work_item& item : *items) queue.push(freehold::shared_ptr<const work_item>(items, &item));
        sent.push_back(items);
    }
    queue.close();
    for (std::thread& worker : workers) worker.join();

    int alive = 0;
    for (const auto& each : sent) alive += each.expired() ? 0 : 1;
    std::printf("%ld done, %d batches alive\n", total.load(), alive);
    return total == 50 * 199 * 200 / 2 && alive == 0 ? 0 : 1;
}
