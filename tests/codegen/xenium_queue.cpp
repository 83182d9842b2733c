// Michael and Scott's queue of xenium over Freehold's hazard pointers and RCU, and over xenium's own; not a test.
//
//     git clone https://github.com/mpoeter/xenium
//     g++ -std=c++20 -O2 -DNDEBUG -Iinclude -Ixenium -pthread tests/codegen/xenium_queue.cpp -o xenium_queue
//     ./xenium_queue 2 [OBJECTS]     # threads, each pushes and pops in turn; as many retired objects may wait
//
// Prints nanoseconds of the wall's clock for a push and a pop of each thread, the median of 11 rounds in which all take
// turns, and the median of the ratios to xenium's hazard pointers in the same round.

#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <xenium/michael_scott_queue.hpp>
#include <xenium/policy.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>
#include <xenium/reclamation/hazard_pointer.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

// What xenium's containers ask of a reclaimer. Family has base<T, D> and guard<T, MarkedPtr>.
template <class Family>
struct reclaimer {
    template <class T, class MarkedPtr>
    using guard_ptr = typename Family::template guard<T, MarkedPtr>;

    template <class T, std::size_t N = T::number_of_mark_bits>
    using concurrent_ptr = xenium::reclamation::detail::concurrent_ptr<T, N, guard_ptr>;

    template <class T, std::size_t N = 0, class D = std::default_delete<T>>
    struct enable_concurrent_ptr : Family::template base<T, D> {
        static constexpr std::size_t number_of_mark_bits = N;
    };
};

struct hazard_family {
    template <class T, class D>
    using base = freehold::hazard_pointer_obj_base<T, D>;

    template <class T, class MarkedPtr>
    class guard : public xenium::reclamation::detail::guard_ptr<T, MarkedPtr, guard<T, MarkedPtr>> {
        using plain = xenium::reclamation::detail::guard_ptr<T, MarkedPtr, guard>;

    public:
        explicit guard(const MarkedPtr& p = MarkedPtr()) noexcept : plain(p), hazard_(freehold::make_hazard_pointer()) {
            hazard_.reset_protection(p.get());
        }
        guard(guard&& other) noexcept
            : plain(std::exchange(other.ptr, MarkedPtr())), hazard_(std::move(other.hazard_)) {}
        ~guard() { reset(); }  // before its members end: the base calls it again, when there is nothing left to do
        guard& operator=(guard&& other) noexcept {
            this->ptr = std::exchange(other.ptr, MarkedPtr());
            hazard_ = std::move(other.hazard_);
            return *this;
        }

        template <class Source>
        void acquire(const Source& source, std::memory_order order) noexcept {
            MarkedPtr seen = source.load(std::memory_order_relaxed);
            do {
                this->ptr = seen;
                hazard_.reset_protection(seen.get());
                seen = source.load(order);
            } while (!(seen == this->ptr));
        }

        void reset() noexcept {
            if (this->ptr.get() != nullptr) hazard_.reset_protection();
            this->ptr = MarkedPtr();
        }

        void reclaim() noexcept {
            T* const retired = this->ptr.get();
            reset();
            retired->retire();
        }

    private:
        freehold::hazard_pointer hazard_;
    };
};

struct rcu_family {
    template <class T, class D>
    using base = freehold::rcu_obj_base<T, D>;

    template <class T, class MarkedPtr>
    class guard : public xenium::reclamation::detail::guard_ptr<T, MarkedPtr, guard<T, MarkedPtr>> {
        using plain = xenium::reclamation::detail::guard_ptr<T, MarkedPtr, guard>;

    public:
        explicit guard(const MarkedPtr& p = MarkedPtr()) noexcept : plain(p) { open(); }
        guard(guard&& other) noexcept
            : plain(std::exchange(other.ptr, MarkedPtr())), is_open_(std::exchange(other.is_open_, false)) {}
        ~guard() { reset(); }
        guard& operator=(guard&& other) noexcept {
            reset();
            this->ptr = std::exchange(other.ptr, MarkedPtr());
            is_open_ = std::exchange(other.is_open_, false);
            return *this;
        }

        template <class Source>
        void acquire(const Source& source, std::memory_order order) noexcept {
            open();
            this->ptr = source.load(order);
        }

        void reset() noexcept {
            if (std::exchange(is_open_, false)) freehold::rcu_default_domain().unlock();
            this->ptr = MarkedPtr();
        }

        void reclaim() noexcept {
            T* const retired = this->ptr.get();
            reset();
            retired->retire();
        }

    private:
        void open() noexcept {
            if (!std::exchange(is_open_, true)) freehold::rcu_default_domain().lock();
        }

        bool is_open_ = false;
    };
};

template <class Reclaimer>
using queue_of = xenium::michael_scott_queue<int, xenium::policy::reclaimer<Reclaimer>>;

// Returns: nanoseconds for a push and a pop.
template <class Reclaimer>
double run(int threads) {
    constexpr int pairs = 400'000;
    queue_of<Reclaimer> queue;
    for (int i = 0; i != 100; ++i) queue.push(i);
    std::latch begin(threads + 1);
    std::vector<std::thread> all;
    for (int i = 0; i != threads; ++i) {
        all.emplace_back([&] {
            begin.arrive_and_wait();
            int value = 0;
            for (int pair = 0; pair != pairs / threads; ++pair) {
                queue.push(pair);
                static_cast<void>(queue.try_pop(value));
            }
        });
    }
    begin.arrive_and_wait();
    const auto from = std::chrono::steady_clock::now();
    for (std::thread& each : all) each.join();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - from).count() / pairs;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
    const int threads = count > 1 ? std::atoi(arguments[1]) : 2;
    if (count > 2) {
        const auto objects = static_cast<std::size_t>(std::atol(arguments[2]));
        freehold::set_hazard_pointer_limits({.objects = objects, .bytes = 256 * objects});
        freehold::set_rcu_limits({.objects = objects, .bytes = 256 * objects});
    }
    using own = xenium::reclamation::hazard_pointer<>;
    struct contender {
        const char* name;
        double (*run)(int);
        std::vector<double> times{};
        std::vector<double> ratios{};
    };
    std::array<contender, 5> contenders{{{"xenium, hazard pointers", &run<own>},
                                         {"xenium, the same again", &run<own>},
                                         {"xenium, epochs", &run<xenium::reclamation::epoch_based<>>},
                                         {"Freehold, hazard pointers", &run<reclaimer<hazard_family>>},
                                         {"Freehold, RCU", &run<reclaimer<rcu_family>>}}};
    for (int round = 0; round != 11; ++round) {
        for (contender& each : contenders) each.times.push_back(each.run(threads));
        for (contender& each : contenders) each.ratios.push_back(each.times.back() / contenders[0].times.back());
    }
    for (const contender& each : contenders) {
        std::printf("%-28s %7.1f ns %6.2f\n", each.name, median(each.times), median(each.ratios));
    }
}
