// Actors that each own a heap of objects in cycles, and a few threads that run whichever actor has a message.
// No thread owns an actor: its heap is attached to the one that runs it, and is detached when that goes on.
// Look at run(): the mutex of the queue also hands the heap over.

#include <freehold/traced.hpp>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace {

// A station and the next one, around a line.
struct station {
    int number = 0;
    freehold::traced_ptr<station> next = {};
};

// Knows a circular line, and where its train is. The heap comes last, so it is destroyed first, and empties the root.
struct actor {
    explicit actor(int stations) {
        train = heap.make<station>();
        train->next = train;
        for (int i = 1; i < stations; ++i) train->next = heap.make<station>(i, train->next);
        heap.detach();
    }

    // Effects: moves the train, and builds the line anew behind it: what it leaves is garbage.
    void handle(int steps) {
        for (; steps > 0; --steps) {
            const freehold::traced_local<station> here = train->next;
            train->next = heap.make<station>(here->number, here->next);
            train = train->next;
            ++travelled;
        }
    }

    freehold::traced_root<station> train;
    freehold::traced_heap heap;
    std::vector<int> messages;  // guarded by the scheduler's mutex
    long travelled = 0;
};

class scheduler {
public:
    void post(actor& to, int message) {
        const std::lock_guard lock(mutex_);
        to.messages.push_back(message);
        if (to.messages.size() > 1) return;  // it waits already
        ready_.push_back(&to);
        changed_.notify_one();
    }

    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

    // Effects: runs actors until the scheduler is closed and none is ready.
    void run() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return closed_ || !ready_.empty(); });
            if (ready_.empty()) return;
            actor& next = *ready_.front();
            ready_.pop_front();
            const std::vector<int> messages = next.messages;
            lock.unlock();
            {
                const freehold::traced_heap::attachment here(next.heap);
                for (const int each : messages) next.handle(each);
            }
            lock.lock();
            const auto handled = static_cast<std::ptrdiff_t>(messages.size());
            next.messages.erase(next.messages.begin(), next.messages.begin() + handled);
            if (!next.messages.empty()) ready_.push_back(&next);
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<actor*> ready_;
    bool closed_ = false;
};

}  // namespace

int main() {
    std::deque<actor> actors;
    for (int i = 0; i < 10; ++i) actors.emplace_back(3 + i);
    scheduler queue;
    std::array<std::thread, 3> threads;
    for (std::thread& each : threads) each = std::thread([&queue] { queue.run(); });
    for (int round = 0; round < 100; ++round) {
        for (actor& each : actors) queue.post(each, 100);
    }
    queue.close();
    for (std::thread& each : threads) each.join();

    long travelled = 0;
    bool closed = true;
    int expected = 3;
    for (actor& each : actors) {
        const freehold::traced_heap::attachment here(each.heap);
        freehold::traced_view<station> place = each.train;
        int stations = 0;
        do {
            place = place->next;
            ++stations;
        } while (place != each.train && stations < 100);
        closed = closed && stations == expected++;
        travelled += each.travelled;
    }
    std::printf("%ld steps, all lines %s\n", travelled, closed ? "closed" : "broken");
    return travelled == 100'000 && closed ? 0 : 1;
}
