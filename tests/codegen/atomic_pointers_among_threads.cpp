// What atomic pointers cost beside threads that have ended, or that hold snapshots; not a test.
//
//     g++ -std=c++20 -O2 -DNDEBUG -Iinclude -pthread tests/codegen/atomic_pointers_among_threads.cpp -o among
//     ./among ended 1000      # a queue of atomic pointers, before and after 1,000 threads have ended
//     ./among alive 1000      # a store, without threads and beside 1,000 that hold eight snapshots each
//
// Each figure is the least of 9 loops, in nanoseconds of the thread's clock. With a third argument that many operations
// are done without a clock, for callgrind: `before`, `after`.

#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/snapshot_ptr.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <latch>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

template <class T>
struct freehold_pointers {
    using pointer = freehold::shared_ptr<T>;
    static pointer make() { return freehold::make_shared<T>(); }
};

template <class T>
struct std_pointers {
    using pointer = std::shared_ptr<T>;
    static pointer make() { return std::make_shared<T>(); }
};

// Michael and Scott's queue, whose links are atomic pointers.
template <template <class> class Library>
class linked_queue {
public:
    linked_queue() {
        auto first = Library<node>::make();
        head_.store(first);
        tail_.store(first);
    }

    void push(int value) {
        auto added = Library<node>::make();
        added->value = value;
        while (true) {
            auto last = tail_.load();
            pointer none;
            if (last->next.compare_exchange_strong(none, added)) {
                tail_.compare_exchange_strong(last, added);
                return;
            }
            tail_.compare_exchange_strong(last, none);
        }
    }

    bool pop(int& value) {
        auto first = head_.load();
        while (true) {
            auto next = first->next.load();
            if (next == nullptr) return false;
            const int found = next->value;
            if (!head_.compare_exchange_strong(first, next)) continue;
            value = found;
            return true;
        }
    }

    [[nodiscard]] auto first() { return head_.load(); }

private:
    struct node;
    using pointer = typename Library<node>::pointer;
    struct node {
        int value = 0;
        std::atomic<pointer> next;
    };

    std::atomic<pointer> head_;
    std::atomic<pointer> tail_;
};

double now() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Returns: nanoseconds of the fastest loop, for one operation.
template <class Operation>
double least(int operations, Operation operation) {
    double least = std::numeric_limits<double>::max();
    for (int loop = 0; loop != 9; ++loop) {
        const double begin = now();
        for (int i = 0; i != operations; ++i) operation();
        least = std::min(least, (now() - begin) / operations);
    }
    return least;
}

// Effects: `threads` threads exist at once, call the function and end.
template <class Function>
void let_end(int threads, Function function) {
    std::latch all(threads);
    std::vector<std::jthread> running;
    for (int i = 0; i != threads; ++i) {
        running.emplace_back([&all, &function] {
            function();
            all.arrive_and_wait();
        });
    }
}

template <template <class> class Library>
void among_ended(const char* name, int threads) {
    linked_queue<Library> queue;
    int value = 0;
    const auto push_and_pop = [&] {
        queue.push(1);
        queue.pop(value);
    };
    std::jthread([] {}).join();
    const double before = least(200'000, push_and_pop);
    let_end(threads, [&queue] { static_cast<void>(queue.first()); });
    const double after = least(200'000, push_and_pop);
    std::printf("%-10s push and pop: %6.1f ns before, %6.1f after, ratio %.2f\n", name, before, after, after / before);
}

void count_among_ended(int threads, int operations, const std::string& when) {
    linked_queue<freehold_pointers> queue;
    int value = 0;
    std::jthread([] {}).join();
    if (when == "after") let_end(threads, [&queue] { static_cast<void>(queue.first()); });
    for (int i = 0; i != operations; ++i) {
        queue.push(1);
        queue.pop(value);
    }
}

void among_alive(int threads) {
    freehold::atomic_shared_ptr<int> current(freehold::make_shared<int>(0));
    std::array<freehold::atomic_shared_ptr<int>, 8> read;
    const auto store = [&current, i = 0]() mutable { current.store(freehold::make_shared<int>(++i)); };
    std::jthread([] {}).join();
    const double before = least(200'000, store);
    std::latch holding(threads);
    std::latch done(1);
    std::vector<std::jthread> running;
    for (int i = 0; i != threads; ++i) {
        running.emplace_back([&] {
            std::array<freehold::snapshot_ptr<int>, 8> held;
            for (std::size_t each = 0; each != held.size(); ++each) {
                read[each].store(freehold::make_shared<int>(0));  // all threads protect other values
                held[each] = read[each].snapshot();
            }
            holding.count_down();
            done.wait();
        });
    }
    holding.wait();
    const double beside = least(200'000, store);
    done.count_down();
    std::printf("store: %.1f ns, beside %d threads with eight snapshots each %.1f\n", before, threads, beside);
}

}  // namespace

int main(int count, char** arguments) {
    const std::string what = count > 1 ? arguments[1] : "";
    const int threads = count > 2 ? std::atoi(arguments[2]) : 1000;
    if (what == "ended" && count > 4) {
        count_among_ended(threads, std::atoi(arguments[4]), arguments[3]);
    } else if (what == "ended") {
        among_ended<freehold_pointers>("Freehold", threads);
        among_ended<std_pointers>("std", threads);
    } else if (what == "alive") {
        among_alive(threads);
    } else {
        std::fputs("usage: among ended|alive THREADS [before|after OPERATIONS]\n", stderr);
        return 2;
    }
}
