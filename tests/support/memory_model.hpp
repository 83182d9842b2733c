#pragma once
// memory_model: what threads may read under the memory model of C++20, as a machine of histories and views.
//
// Each atomic location keeps its history: all values ever written, in modification order. Each thread has a view: for
// each location the oldest value that it may still read, and for each thread how much of it happened before. A load
// reads any value that its view allows; a store takes any place in the modification order that its view allows, not
// between a read-modify-write and what that read. A released value carries the view of its writer to those who acquire
// it; read-modify-writes pass on what they read, as a release sequence does. A relaxed load keeps what it would have
// acquired for a later fence; a release fence keeps the view that later relaxed stores carry. The sequentially
// consistent order S is the order of execution: an operation may not read or write before, in modification order, what
// an earlier operation of S on the location has read or written, and fences extend this to what happens before or
// after them ([atomics.order]/4).
//
// Weaker than hardware in nothing. Stronger than the standard in two points: no value comes out of the future (a load
// is executed before the stores that follow it, so "load buffering" is never seen), and S, as the order of execution,
// agrees with all of happens before and with what operations outside of S read, not only with the strong part of
// happens before. No other thread's order of execution makes a difference. tests/genmc/ compares it with GenMC, whose S
// is weaker.
//
// A model of the machine of Kang, Hur, Lahav, Vafeiadis and Dreyer, "A promising semantics for relaxed-memory
// concurrency" (POPL 2017), without promises, and of Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing sequential
// consistency in C/C++11" (PLDI 2017).

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace support {

inline constexpr std::size_t most_threads = 4;

// The value of an atomic object, of at most 16 bytes.
using atomic_bits = std::array<std::uint64_t, 2>;

// A moment in one thread; 0 is before the execution.
struct moment {
    std::size_t thread = 0;
    std::uint32_t clock = 0;
};

// How much of each thread happened before.
struct clocks {
    std::array<std::uint32_t, most_threads> of{};

    void join(const clocks& other) {
        for (std::size_t i = 0; i < most_threads; ++i) of[i] = std::max(of[i], other.of[i]);
    }
    [[nodiscard]] bool contain(moment m) const { return of[m.thread] >= m.clock; }
    [[nodiscard]] bool contain(const clocks& other) const {
        for (std::size_t i = 0; i < most_threads; ++i) {
            if (of[i] < other.of[i]) return false;
        }
        return true;
    }
};

// A place in the modification order of a location. The numbers leave gaps for what is written between.
using place_in_order = std::uint64_t;

// The oldest place that may be read, for each location.
class places {
public:
    [[nodiscard]] place_in_order at(std::size_t location) const {
        return location < places_.size() ? places_[location] : 0;
    }
    void raise(std::size_t location, place_in_order place) {
        if (location >= places_.size()) places_.resize(location + 1);
        places_[location] = std::max(places_[location], place);
    }
    void join(const places& other) {
        if (other.places_.size() > places_.size()) places_.resize(other.places_.size());
        for (std::size_t i = 0; i < other.places_.size(); ++i) places_[i] = std::max(places_[i], other.places_[i]);
    }

private:
    std::vector<place_in_order> places_;
};

struct view {
    places seen;
    clocks happened;

    void join(const view& other) {
        seen.join(other.seen);
        happened.join(other.happened);
    }
};

struct message {
    place_in_order place;
    atomic_bits value;
    view carried;
    bool is_tied;  // a read-modify-write of the one before it
};

struct location {
    std::vector<message> history;  // in modification order

    // Where a read of history[i] has been made by a read-modify-write, nothing can be written after it.
    [[nodiscard]] bool is_open_after(std::size_t i) const { return i + 1 == history.size() || !history[i + 1].is_tied; }
};

[[nodiscard]] constexpr bool acquires(std::memory_order order) {
    return order == std::memory_order_acquire || order == std::memory_order_consume ||
           order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

[[nodiscard]] constexpr bool releases(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

[[nodiscard]] constexpr bool is_sequential(std::memory_order order) { return order == std::memory_order_seq_cst; }

class memory_model {
public:
    // Returns: the number of a new location that had the value before all threads.
    [[nodiscard]] std::size_t add(atomic_bits initial) {
        locations_.push_back({{{1, initial, {}, false}}});
        return locations_.size() - 1;
    }

    // Effects: the location has the value, which the thread has written plainly: nobody acquires anything by it.
    void begin(std::size_t thread, std::size_t l, atomic_bits initial) {
        const place_in_order place = locations_[l].history.back().place + gap;
        locations_[l].history.push_back({place, initial, {}, false});
        threads_[thread].now.seen.raise(l, place);
    }

    [[nodiscard]] const location& at(std::size_t l) const { return locations_[l]; }

    // Returns: the first message of the location that the thread may read with the order.
    [[nodiscard]] std::size_t first_readable(std::size_t thread, std::size_t l, std::memory_order order) const {
        place_in_order oldest = threads_[thread].now.seen.at(l);
        if (is_sequential(order)) oldest = std::max({oldest, sequential_.at(l), fenced_.at(l)});
        const std::vector<message>& history = locations_[l].history;
        std::size_t first = history.size() - 1;
        while (first > 0 && history[first - 1].place >= oldest) --first;
        return first;
    }

    // Requires, here and below: the message is readable.
    void read(std::size_t thread, std::size_t l, std::size_t chosen, std::memory_order order) {
        state& reader = threads_[thread];
        const message& found = locations_[l].history[chosen];
        reader.now.seen.raise(l, found.place);
        (acquires(order) ? reader.now : reader.acquired_by_fence).join(found.carried);
        if (is_sequential(order)) sequential_.raise(l, found.place);
    }

    // Effects: writes after the message; with `reads`, as a read-modify-write of it.
    // Requires: is_open_after(chosen). Returns: whether it is the last in modification order.
    bool write(std::size_t thread, std::size_t l, std::size_t chosen, atomic_bits value, std::memory_order order,
               bool reads) {
        state& writer = threads_[thread];
        std::vector<message>& history = locations_[l].history;
        const bool is_last = chosen + 1 == history.size();
        const place_in_order before = history[chosen].place;
        const place_in_order place = is_last ? before + gap : before + (history[chosen + 1].place - before) / 2;
        writer.now.seen.raise(l, place);
        message written{place, value, releases(order) ? writer.now : writer.released_by_fence, reads};
        written.carried.seen.raise(l, place);
        if (reads) written.carried.join(history[chosen].carried);
        if (is_sequential(order)) sequential_.raise(l, place);
        history.insert(history.begin() + static_cast<std::ptrdiff_t>(chosen) + 1, std::move(written));
        return is_last;
    }

    void fence(std::size_t thread, std::memory_order order) {
        state& self = threads_[thread];
        if (acquires(order)) self.now.join(self.acquired_by_fence);
        if (is_sequential(order)) {
            // Places alone: the order S makes nothing happen before.
            self.now.seen.join(sequential_);
            self.now.seen.join(fenced_);
            fenced_.join(self.now.seen);
        }
        if (releases(order)) self.released_by_fence = self.now;
    }

    // A moment in the thread, which nothing else has.
    moment tick(std::size_t thread) { return {thread, ++threads_[thread].now.happened.of[thread]}; }

    [[nodiscard]] view& now(std::size_t thread) { return threads_[thread].now; }

private:
    static constexpr place_in_order gap = place_in_order{1} << 32;

    struct state {
        view now;
        view acquired_by_fence;
        view released_by_fence;
    };

    std::vector<location> locations_;
    std::array<state, most_threads> threads_;
    places sequential_;  // what operations of S have read or written
    places fenced_;      // what had been seen before the fences of S
};

}  // namespace support
