#pragma once
// observers: weak pointers to `x` objects, one to each, are locked one after the other, and the owners so obtained are
// released: while the objects are alive, and after they have expired.

#include <cstdint>
#include <vector>

#include "../keep.hpp"
#include "harness/workload.hpp"
#include "pointer_strategy.hpp"

namespace lab::observers {

// They stay in the cache, and no lock has to wait for the one before it.
inline constexpr int objects[] = {100};

template <class Strategy>
struct observed : Strategy::template base<observed<Strategy>> {
    int number;

    explicit observed(int number) : number(number) {}

    void trace(auto&) const {}  // holds no pointers
};

// The weak pointers, and their objects' owners if those are alive.
template <class Strategy, bool Alive>
struct kept {
    static inline std::vector<typename Strategy::template pointer<observed<Strategy>>> owners;
    static inline std::vector<typename Strategy::template weak<observed<Strategy>>> observers;

    static void lock(int count, long iterations) {
        if (observers.empty()) {
            fill(count);
        }
        for (; iterations > 0; --iterations) {
            for (const auto& observer : observers) {
                auto owner = observer.lock();
                keep(owner);
            }
        }
    }

    static void clear() {
        observers.clear();
        owners.clear();
    }

    // Returns the sum of the numbers of all objects that are found.
    static std::uint64_t found(int count) {
        fill(count);
        std::uint64_t sum = 0;
        for (const auto& observer : observers) {
            if (const auto owner = observer.lock()) {
                sum += static_cast<std::uint64_t>((*owner).number);
            }
        }
        clear();
        return sum;
    }

private:
    static void fill(int count) {
        for (int number = 1; number <= count; ++number) {
            owners.push_back(make_owner<Strategy, observed<Strategy>>(number));
            observers.emplace_back(owners.back());
        }
        if (!Alive) {
            owners.clear();
        }
    }
};

template <class Strategy>
std::uint64_t checksum() {
    return kept<Strategy, true>::found(100) * 10'000 + kept<Strategy, false>::found(100);
}

template <class Strategy, class Alive = kept<Strategy, true>, class Expired = kept<Strategy, false>>
inline constexpr series plot[] = {
    {.name = "alive", .sizes = objects, .work = Alive::lock, .clear = Alive::clear},
    {.name = "expired", .sizes = objects, .work = Expired::lock, .clear = Expired::clear},
};

template <class Strategy>
    requires has_weak<Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::observers
