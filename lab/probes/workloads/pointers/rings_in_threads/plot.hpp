#pragma once
// rings-in-threads: `x` threads make rings of ten nodes and put them into places that all of them share. The ring that
// was there before is dropped, mostly by another thread than the one that made it. The last node of a ring owns the
// first where cycles are collected, and otherwise has a weak pointer to it.

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "harness/threads.hpp"
#include "harness/workload.hpp"

namespace lab::rings_in_threads {

// A Form names ring, a variable that keeps a ring by its first node; place, what keeps one for all threads, or none;
// make(number), a ring whose nodes are numbered from there on; swap(place, ring); session, which a thread has while it
// uses rings, with lock(mutex); wait(work), which calls what waits for threads; and give_back(), for the end.
template <class Form>
struct kept {
    using ring = typename Form::ring;

    struct alignas(64) place {
        std::mutex mutex;
        typename Form::place held{};
    };

    static inline std::array<place, 64> places;
    static inline std::atomic<std::uint64_t> sum;  // of the first numbers of rings that were dropped

    static void drop(ring dropped) {
        if (dropped) sum += static_cast<std::uint64_t>(dropped->number);
    }

    static void work(int thread, long count) {
        typename Form::session session;
        for (long made = 0; made < count; ++made) {
            ring passed = Form::make(static_cast<int>(thread * count + made));
            place& chosen = places[static_cast<std::size_t>(made) % places.size()];
            {
                const auto held = session.lock(chosen.mutex);
                Form::swap(chosen.held, passed);
            }
            drop(std::move(passed));
        }
    }

    static void drop_all() {
        for (place& each : places) {
            ring dropped{};
            Form::swap(each.held, dropped);
            drop(std::move(dropped));
        }
    }

    static void clear() {
        drop_all();
        Form::give_back();
    }
};

template <class Form>
void run(int threads, long rings_of_each) {
    Form::wait([=] { run_in_threads(threads, kept<Form>::work, rings_of_each); });
}

template <class Form>
std::uint64_t checksum() {
    kept<Form>::drop_all();
    kept<Form>::sum = 0;
    run<Form>(2, 1000);
    kept<Form>::drop_all();
    return kept<Form>::sum;
}

template <class Form>
inline constexpr series plot[] = {{.name = "ring",
                                   .sizes = thread_counts,
                                   .work = run<Form>,
                                   .measured_by = clock::wall,
                                   .clear = kept<Form>::clear,
                                   .fits = has_processors,
                                   .peak_iterations = 100'000}};

}  // namespace lab::rings_in_threads
