// How long single retirements take while threads read, by the wall's clock, beside a wait that does nothing; their
// mean, of processor time; and the largest number of objects that were not yet deleted. The same number for threads
// that only retire. Then how long a read takes, with membarrier and without.
//
//     g++ -std=c++20 -O2 -DNDEBUG -Iinclude -pthread tests/codegen/retirement_latency.cpp -o latency
//     ./latency [READERS [MILLIONS [OBJECTS]]]      # OBJECTS: as many may wait, and 256 bytes for each

#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "latency.hpp"

namespace {

using latency::cpu_ns;
using latency::wall_ns;

long made = 0;
long deleted = 0;  // by the one thread that retires

template <class Base>
struct counted : Base {
    counted() { ++made; }
    ~counted() { ++deleted; }

    int value = 1;
};

struct hazardous : counted<freehold::hazard_pointer_obj_base<hazardous>> {};
struct rcu_object : counted<freehold::rcu_obj_base<rcu_object>> {};

int read(const std::atomic<hazardous*>& source) {
    freehold::hazard_pointer h = freehold::make_hazard_pointer();
    return h.protect(source)->value;
}

int read(const std::atomic<rcu_object*>& source) {
    const std::scoped_lock region(freehold::rcu_default_domain());
    return source.load(std::memory_order_acquire)->value;
}

template <class T>
void measure(const char* name, int readers, std::size_t rounds) {
    std::atomic<T*> source = new T;
    std::atomic<bool> is_done = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < readers; ++i) {
        threads.emplace_back([&] {
            while (!is_done.load(std::memory_order_relaxed)) {
                if (read(source) != 1) std::abort();
            }
        });
    }
    long most = 0;
    std::vector<int> retirements(rounds);
    for (int& ns : retirements) {
        T* const old = source.exchange(new T);
        const long begin = wall_ns();
        old->retire();
        ns = static_cast<int>(wall_ns() - begin);
        most = std::max(most, made - deleted);
    }
    const long begin = cpu_ns();
    for (std::size_t i = 0; i < rounds; ++i) source.exchange(new T)->retire();
    const double each = static_cast<double>(cpu_ns() - begin) / static_cast<double>(rounds);
    is_done = true;
    for (std::thread& thread : threads) thread.join();
    std::printf("%-31s", name);
    latency::print_percentiles(retirements);
    std::printf("\n%-31s%9.1f ns in the mean, with new and delete; %ld not yet deleted at most\n", "", each, most);
}

template <template <class, class> class Base>
struct counted_by_all : Base<counted_by_all<Base>, std::default_delete<counted_by_all<Base>>> {
    counted_by_all() { alive.fetch_add(1, std::memory_order_relaxed); }
    ~counted_by_all() { alive.fetch_sub(1, std::memory_order_relaxed); }

    static inline std::atomic<long> alive = 0;
};

// Returns: the largest number of objects that were alive while the threads retired as fast as they could, for a second.
template <class T>
long most_alive(int threads) {
    std::atomic<bool> is_done = false;
    std::vector<long> most(static_cast<std::size_t>(threads));
    std::vector<std::thread> all;
    for (long& mine : most) {
        all.emplace_back([&] {
            while (!is_done.load(std::memory_order_relaxed)) {
                (new T)->retire();
                mine = std::max(mine, T::alive.load(std::memory_order_relaxed));
            }
        });
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));
    is_done = true;
    for (std::thread& thread : all) thread.join();
    return *std::ranges::max_element(most);
}

template <class T>
double ns_of_a_read() {
    T object;
    const std::atomic<T*> source = &object;
    constexpr int reads = 20'000'000;
    const long begin = cpu_ns();
    for (int i = 0; i < reads; ++i) {
        if (read(source) != 1) std::abort();
    }
    return static_cast<double>(cpu_ns() - begin) / reads;
}

void print_reads(const char* what) {
    std::printf("%-24s%9.1f ns a read by hazard_pointer, %.1f in a region\n", what, ns_of_a_read<hazardous>(),
                ns_of_a_read<rcu_object>());
}

}  // namespace

int main(int argc, char** argv) {
    const int readers = argc > 1 ? std::atoi(argv[1]) : latency::most_readers();
    const std::size_t rounds = static_cast<std::size_t>(argc > 2 ? std::atol(argv[2]) : 2) * 1'000'000;
    if (argc > 3) {
        const auto objects = static_cast<std::size_t>(std::atol(argv[3]));
        freehold::set_hazard_pointer_limits({.objects = objects, .bytes = 256 * objects});
        freehold::set_rcu_limits({.objects = objects, .bytes = 256 * objects});
    }
    std::printf("%-31s%9s%9s%9s%9s\n", "ns", "p50", "p99", "p99.9", "p99.99");
    latency::print_waits(rounds, 20);
    measure<hazardous>("hazard_pointer retire", readers, rounds);
    measure<rcu_object>("rcu_domain retire", readers, rounds);
    for (const int threads : {1, 2, 4, 16, 40}) {
        std::printf("%2d threads only retire: %ld objects alive at most of hazard_pointer, %ld of rcu_domain\n",
                    threads, most_alive<counted_by_all<freehold::hazard_pointer_obj_base>>(threads),
                    most_alive<counted_by_all<freehold::rcu_obj_base>>(threads));
    }
    print_reads("with membarrier");
    freehold::detail::hazard_pointers::shards.readers.fence.refuse_membarrier();
    freehold::detail::rcu_thread::shards.readers.fence.refuse_membarrier();
    std::thread([] { print_reads("without"); }).join();  // a thread finds it out when it begins
}
