// How long reads of a pointer take that another thread replaces, in thread CPU time, and how long the stores take.
//
// A store is timed by the wall's clock. The first line is a wait as long as a store, to show how often the machine
// interrupts a thread.
//
//     g++ -std=c++20 -O2 -DNDEBUG -falign-loops=64 -Iinclude -pthread tests/codegen/atomic_pointer_latency.cpp
//     ./a.out [READERS [MILLIONS]]     MILLIONS of stores; 0: no writer

#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/cached_snapshot.hpp>
#include <freehold/pointers/make_shared.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "latency.hpp"

namespace {

using latency::cpu_ns;
using latency::wall_ns;

struct object {
    explicit object(long initial) : value(initial) {}

    long value;
};

// Each has a place, that a writer replaces, and a reader for each thread.

struct raw {
    struct reader {
        explicit reader(raw& shared) : source(shared.place) {}
        long read() { return source.load(std::memory_order_acquire)->value; }
        std::atomic<object*>& source;
    };
    void replace(long value) { replaced.push_back(place.exchange(new object(value))); }  // freed by nobody

    std::atomic<object*> place = new object(0);
    std::vector<object*> replaced;
};

struct atomic_place {
    void replace(long value) { place.store(freehold::make_shared<object>(value)); }

    freehold::atomic_shared_ptr<object> place{freehold::make_shared<object>(0)};
};

struct cached : atomic_place {
    struct reader {
        explicit reader(cached& shared) : source(shared.place) {}
        long read() { return source->value; }
        freehold::cached_snapshot<object> source;
    };
};

struct snapshot : atomic_place {
    struct reader {
        explicit reader(snapshot& shared) : source(shared.place) {}
        long read() { return source.snapshot()->value; }
        freehold::atomic_shared_ptr<object>& source;
    };
};

struct load : atomic_place {
    struct reader {
        explicit reader(load& shared) : source(shared.place) {}
        long read() { return source.load()->value; }
        freehold::atomic_shared_ptr<object>& source;
    };
};

struct standard {
    struct reader {
        explicit reader(standard& shared) : source(shared.place) {}
        long read() { return source.load()->value; }
        std::atomic<std::shared_ptr<object>>& source;
    };
    void replace(long value) { place.store(std::make_shared<object>(value)); }

    std::atomic<std::shared_ptr<object>> place{std::make_shared<object>(0)};
};

template <class Shared>
void measure(const char* name, int readers, long stores) {
    constexpr long reads_at_once = 1000;
    constexpr long least_reads = 30'000'000;
    Shared shared;
    std::atomic<bool> is_over = stores == 0;
    std::latch start(readers + 1);
    std::vector<double> ns(static_cast<std::size_t>(readers));
    std::vector<std::thread> threads;
    for (double& each : ns) {
        threads.emplace_back([&] {
            typename Shared::reader reader(shared);
            long reads = 0;
            [[maybe_unused]] volatile long sink = 0;
            start.arrive_and_wait();
            const long before = cpu_ns();
            while (reads < least_reads || !is_over.load(std::memory_order_relaxed)) {
                long sum = 0;
                for (long i = 0; i < reads_at_once; ++i) sum += reader.read();
                sink = sum;
                reads += reads_at_once;
            }
            each = static_cast<double>(cpu_ns() - before) / static_cast<double>(reads);
        });
    }
    start.arrive_and_wait();
    const long before = wall_ns();
    std::vector<int> taken =
        latency::time_each(static_cast<std::size_t>(stores), [&shared](long i) { shared.replace(i); });
    const long all = wall_ns() - before;
    is_over = true;
    for (std::thread& each : threads) each.join();
    double read = 0;
    for (const double each : ns) read += each / readers;
    std::printf("%-12s read %6.2f", name, read);
    if (stores != 0) {
        std::printf("   store %5ld", all / stores);
        latency::print_percentiles(taken);
    }
    std::printf("\n");
}

// Counts those that are alive.
template <std::size_t Bytes>
struct large {
    large() { most = std::max<long>(most, ++alive); }  // one thread makes them
    large(const large&) = delete;
    large& operator=(const large&) = delete;
    ~large() { --alive; }

    static inline std::atomic<long> alive = 0;
    static inline long most = 0;

    long value = 0;
    char rest[Bytes - sizeof(long)] = {};
};

template <std::size_t Bytes, template <class> class Atomic, class Make>
void measure_large(const char* name, Make make) {
    using value = large<Bytes>;
    value::most = 0;
    Atomic<value> place(make.template operator()<value>());
    std::atomic<bool> is_over = false;
    std::thread reader([&] {
        while (!is_over.load(std::memory_order_relaxed)) {
            if (place.load()->value != 0) std::abort();
        }
    });
    constexpr long stores = 50'000;
    const long before = wall_ns();
    for (long i = 0; i < stores; ++i) place.store(make.template operator()<value>());
    const long all = wall_ns() - before;
    is_over = true;
    reader.join();
    std::printf("%-12s values of %2zu KiB: store %6ld, %5.1f MiB of them alive at most\n", name, Bytes / 1024,
                all / stores, static_cast<double>(value::most) * Bytes / (1 << 20));
}

template <class T>
using standard_atomic = std::atomic<std::shared_ptr<T>>;

template <std::size_t Bytes>
void measure_large() {
    measure_large<Bytes, freehold::atomic_shared_ptr>("load", []<class T>() { return freehold::make_shared<T>(); });
    measure_large<Bytes, standard_atomic>("std", []<class T>() { return std::make_shared<T>(); });
}

}  // namespace

int main(int argc, char** argv) {
    const int readers = argc > 1 ? std::atoi(argv[1]) : latency::most_readers();
    const long stores = (argc > 2 ? std::atol(argv[2]) : 2) * 1'000'000;
    std::printf("ns; of a store the mean, the median, p99, p99.9 and p99.99\n");
    if (stores != 0) latency::print_waits(static_cast<std::size_t>(stores), 120);
    for (int round = 0; round < 2; ++round) {
        measure<raw>("raw", readers, stores);
        measure<cached>("cached", readers, stores);
        measure<snapshot>("snapshot", readers, stores);
        measure<load>("load", readers, stores);
        measure<standard>("std", readers, stores);
    }
    if (stores == 0) return 0;
    measure_large<1024>();
    measure_large<4 * 1024>();
    measure_large<16 * 1024>();
    measure_large<64 * 1024>();
}
