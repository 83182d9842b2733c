#pragma once
// execution: one execution of a few threads under the memory model, in an order and with values that decisions choose.
//
// One thread works at a time. A step ends before each operation of the code under test and another one after it; at the
// end of a step the decisions name the thread that goes on. They also name the value that a load reads, the place
// of a store in the modification order, and whether a weak compare_exchange fails. Plain data that is declared by
// plain<T> or wrote() is checked for races, and atomics for access outside of their lifetime.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <semaphore>
#include <source_location>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decisions.hpp"
#include "memory_model.hpp"

namespace support {

// How far an exploration goes. What is ordinary costs nothing: the same thread goes on and reads the newest value.
struct bounds {
    static constexpr std::size_t any = static_cast<std::size_t>(-1);

    std::size_t interruptions = any;  // of a thread that could go on
    std::size_t surprises = any;      // older values read, stores not last in modification order, spurious failures
    bool steps_after = true;          // a step after each operation, too: for data that is not declared plain
};

// Thrown in each thread of an execution that can't go on, if the failure is expected.
struct abandoned_execution {};

class execution {
public:
    using condition = std::function<bool()>;
    using place = std::source_location;

    execution(std::size_t threads, bounds limits, decisions& decided)
        : limits_(limits), decided_(decided), turn_(threads) {
        // A thread is always a little past the others, so that none takes another's moments for its own.
        for (std::size_t i = 0; i < threads; ++i) static_cast<void>(model_.tick(i));
    }
    execution(const execution&) = delete;
    execution& operator=(const execution&) = delete;

    // Returns: the execution that the calling thread belongs to, or null.
    [[nodiscard]] static execution* mine() { return current_; }

    // Returns: the number of the calling thread in its execution; 0 if it belongs to none.
    [[nodiscard]] static std::size_t thread() { return self_; }

    // Effects: gives the address a name in reports.
    static void name(const void* address, std::string text) { names()[address] = std::move(text); }

    // Effects: ends a step of the calling thread, if it belongs to an execution.
    static void pass() {
        if (current_ != nullptr) current_->step();
    }

    // Effects: calls body(i) as the i-th thread. Called once in each thread.
    template <class Body>
    void run_thread(std::size_t i, Body body) {
        turn_[i].gate.acquire();
        current_ = this;
        self_ = i;
        in_turn_ = 0;
        try {
            if (!is_abandoned_) body(i);
        } catch (const abandoned_execution&) {
        }
        current_ = nullptr;
        turn_[i].is_done = true;
        if (is_over()) {
            over_.release();
        } else if (is_abandoned_) {
            wake_another();
        } else {
            static_cast<void>(pass_on());
        }
    }

    // Effects: lets the threads run, and returns when all have ended.
    void run() {
        turn_[decided_.choose(turn_.size())].gate.release();
        over_.acquire();
    }

    // Requires, from here on: mine() == this. The first are operations on an atomic object of `size` bytes.
    atomic_bits load(const void* address, std::size_t size, std::memory_order order, place where) {
        step();
        const std::size_t l = atomic_at(address, size, where).location;
        const std::size_t first = model_.first_readable(self_, l, order);
        const std::size_t newest = model_.at(l).history.size() - 1;
        const std::size_t chosen = newest - choose_surprise(newest - first + 1);
        const atomic_bits value = model_.at(l).history[chosen].value;
        model_.read(self_, l, chosen, order);
        record("load", address, text_of(order), "reads #", where, value);
        events_.back().newer = newest - chosen;
        step_after();
        return value;
    }

    void store(void* address, std::size_t size, atomic_bits value, std::memory_order order, place where) {
        step();
        const std::size_t l = atomic_at(address, size, where).location;
        const std::vector<message>& history = model_.at(l).history;
        std::vector<std::size_t> open;  // the newest first
        for (std::size_t i = history.size(); i-- > model_.first_readable(self_, l, order);) {
            if (model_.at(l).is_open_after(i)) open.push_back(i);
        }
        const std::size_t chosen = open[choose_surprise(open.size())];
        const bool is_newest = model_.write(self_, l, chosen, value, order, false);
        if (is_newest) put(address, size, value);
        record("store", address, text_of(order), is_newest ? "writes #" : "writes #, before a newer value", where,
               value);
        step_after();
    }

    // Effects: replaces the value by change(value). Returns: the former one.
    template <class Change>
    atomic_bits update(void* address, std::size_t size, Change change, std::memory_order order, const char* what,
                       place where) {
        step();
        const std::size_t l = atomic_at(address, size, where).location;
        std::vector<std::size_t> open;
        for (std::size_t i = model_.at(l).history.size(); i-- > model_.first_readable(self_, l, order);) {
            if (model_.at(l).is_open_after(i)) open.push_back(i);
        }
        const std::size_t chosen = open[choose_surprise(open.size())];
        const atomic_bits before = model_.at(l).history[chosen].value;
        const atomic_bits after = change(before);
        replace(address, size, l, chosen, after, order);
        record(what, address, text_of(order), "reads #, writes #", where, before, after);
        step_after();
        return before;
    }

    bool compare_exchange(void* address, std::size_t size, atomic_bits& expected, atomic_bits desired, bool is_weak,
                          std::memory_order success, std::memory_order failure, place where) {
        step();
        const std::size_t l = atomic_at(address, size, where).location;
        struct outcome {
            std::size_t read;
            bool succeeds;
        };
        std::vector<outcome> possible;
        const std::vector<message>& history = model_.at(l).history;
        const std::size_t first_replaced = model_.first_readable(self_, l, success);
        const std::size_t first_read = model_.first_readable(self_, l, failure);
        for (std::size_t i = history.size(); i-- > std::min(first_replaced, first_read);) {
            const bool is_expected = history[i].value == expected;
            if (is_expected && i >= first_replaced && model_.at(l).is_open_after(i)) possible.push_back({i, true});
            if (!is_expected && i >= first_read) possible.push_back({i, false});
        }
        for (std::size_t i = history.size(); is_weak && i-- > first_read;) {
            if (history[i].value == expected) possible.push_back({i, false});
        }
        const outcome chosen = possible[choose_surprise(possible.size())];
        const atomic_bits before = history[chosen.read].value;
        if (chosen.succeeds) {
            replace(address, size, l, chosen.read, desired, success);
            record("compare_exchange", address, text_of(success), "reads #, writes #", where, before, desired);
        } else {
            model_.read(self_, l, chosen.read, failure);
            const char* const why = before == expected ? "reads #, fails spuriously" : "reads #, fails";
            record("compare_exchange", address, text_of(failure), why, where, before);
        }
        expected = before;
        step_after();
        return chosen.succeeds;
    }

    // Returns: a value that a relaxed load may read now; no step ends.
    atomic_bits peek(const void* address, std::size_t size, place where = place::current()) {
        const std::size_t l = atomic_at(address, size, where).location;
        const std::size_t first = model_.first_readable(self_, l, std::memory_order_relaxed);
        const std::size_t newest = model_.at(l).history.size() - 1;
        const std::size_t chosen = newest - choose_surprise(newest - first + 1);
        model_.read(self_, l, chosen, std::memory_order_relaxed);
        return model_.at(l).history[chosen].value;
    }

    void fence(std::memory_order order, place where) {
        step();
        model_.fence(self_, order);
        record("fence", nullptr, text_of(order), "", where);
        step_after();
    }

    // Effects: a seq_cst fence in the calling thread, then one in each other thread wherever that is, and another in
    // the calling thread. The threads go on in between.
    void fence_in_all_threads(place where) {
        step();
        model_.fence(self_, std::memory_order_seq_cst);
        for (std::size_t i = 0; i < turn_.size(); ++i) {
            if (i == self_) continue;
            record("membarrier", nullptr, "", "in thread #", where, {i});
            model_.fence(i, std::memory_order_seq_cst);
            step();
        }
        model_.fence(self_, std::memory_order_seq_cst);
    }

    // Effects: the lifetime of an atomic object begins.
    void begin_lifetime(const void* address, std::size_t size, place where) {
        static_cast<void>(write_plain(address, where, "construction of an atomic races with"));
        object& made = objects_[address];
        const atomic_bits value = read_memory(address, size);
        if (made.is_atomic) {
            model_.begin(self_, made.location, value);
        } else {
            made.location = model_.add(value);
            made.is_atomic = true;
        }
        made.is_dead = false;
    }

    // Effects: the lifetime of a plain object begins.
    void begin_plain(const void* address, place where) {
        write_plain(address, where, "construction races with").is_dead = false;
    }

    // Effects: the lifetime of all objects in the bytes ends.
    void end_lifetime(const void* address, std::size_t size, place where) {
        bytes_between(address, size, [&](const void* each) {
            static_cast<void>(write_plain(each, where, "the end of its lifetime races with"));
            objects_[each].is_dead = true;
        });
        blocks_.erase(address);
    }

    // Effects: the bytes are fresh: nobody else may know of them.
    void begin_bytes(const void* address, std::size_t size, place where) {
        bytes_between(address, size, [&](const void* each) {
            static_cast<void>(write_plain(each, where, "a new use of the memory races with"));
        });
        std::erase_if(objects_, [&](const auto& each) { return is_within(each.first, address, size); });
        blocks_[address] = {size, model_.tick(self_)};
    }

    void read_plain(const void* address, place where) {
        object& found = plain_at(address);
        expect(!found.is_dead, "plain read after the end of the lifetime", address, where);
        expect(model_.now(self_).happened.contain(found.begun), "plain read races with a write", address, where);
        found.access.of[self_] = model_.tick(self_).clock;
    }

    void wrote_plain(const void* address, place where) {
        expect(!write_plain(address, where, "plain write races with").is_dead,
               "plain write after the end of the lifetime", address, where);
    }

    // Effects: the thread goes on when the condition holds; if it holds, no step ends.
    void wait_until(condition holds, const char* what, const void* address, place where) {
        record(what, address, "", "", where);
        if (holds()) return;
        turn_[self_].may_go_on = std::move(holds);
        turn_[self_].waits_for = address;
        if (!pass_on()) return leave();
        await_turn();
        turn_[self_].may_go_on = nullptr;
    }

    // All that happened before the calling thread's next operation.
    [[nodiscard]] view& now() { return model_.now(self_); }

    // Returns: what no other execution has; not 0.
    [[nodiscard]] std::uint64_t number() const { return number_; }

    // Effects: remembers what the calling thread does, for a report. Each # in `detail` is one of the values.
    // Requires: the texts are literals.
    void record(const char* what, const void* address, const char* order, const char* detail, place where,
                const atomic_bits& first = {}, const atomic_bits& second = {}) {
        events_.push_back({self_, what, address, order, detail, where, first[0], second[0], 0});
    }

    void step_after() {
        if (limits_.steps_after) step();
    }

    // Effects: the thread may be interrupted here.
    void step() {
        if (is_abandoned_) return leave();
        static_cast<void>(model_.tick(self_));
        if (++steps_ > most_steps) {
            fail("livelock: no end after " + std::to_string(most_steps) + " steps");
            abandon();
            return leave();
        }
        if (++in_turn_ > longest_turn) {
            const std::size_t other = able(self_ + 1).all[0];
            if (other != self_) give_turn(other);
            in_turn_ = 0;
            return;
        }
        // It has just been chosen.
        if (!std::exchange(turn_[self_].has_begun, true) && !limits_.steps_after) return;
        if (limits_.interruptions == 0) return;
        const thread_list able_now = able(self_);
        const std::size_t next = able_now.all[decided_.choose(able_now.count)];
        if (next == self_) return;
        --limits_.interruptions;
        give_turn(next);
    }

    // Effects: notes what is wrong. The execution goes on if it can.
    void fail(const std::string& why) {
        if (failure_.empty()) failure_ = why + "\n" + story();
    }

    // Effects: says why the test fails, and ends the program: what failed has left nothing that could be cleaned up.
    [[noreturn]] static void end_program(const std::string& why) {
        const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
        std::printf("%s\n[  FAILED  ] %s.%s\n", why.c_str(), test.test_suite_name(), test.name());
        std::fflush(stdout);
        std::_Exit(EXIT_FAILURE);
    }

    // Returns: why it failed and what each thread did, or nothing.
    [[nodiscard]] const std::string& failure() const { return failure_; }

    // Returns: what the threads did, a line for each operation.
    [[nodiscard]] std::string story() const {
        constexpr std::size_t most_told = 200;
        std::string told;
        for (std::size_t i = events_.size() < most_told ? 0 : events_.size() - most_told; i < events_.size(); ++i) {
            const event& each = events_[i];
            std::string file = each.where.file_name();
            file.erase(0, file.rfind('/') + 1);
            char line[256];
            static_cast<void>(std::snprintf(line, sizeof line, "  thread %zu  %-17s %-14s %-8s %s  (%s:%u)\n",
                                            each.thread, each.what, each.address ? named(each.address).c_str() : "",
                                            each.order, text_of(each).c_str(), file.c_str(), each.where.line()));
            told += line;
        }
        return told;
    }

    // Whether a failure is expected: then an execution that can't go on is abandoned by an exception. Else the program
    // ends, since no exception passes through code that is noexcept.
    static inline bool expects_failure = false;

private:
    static constexpr std::size_t most_steps = 20'000;
    static constexpr std::size_t longest_turn = 200;  // then a thread that spins lets the others go on

    struct thread_turn {
        std::binary_semaphore gate{0};
        condition may_go_on;
        const void* waits_for = nullptr;
        bool has_begun = false;
        bool is_done = false;
    };

    // What is known of an address.
    struct object {
        std::size_t location = 0;
        bool is_atomic = false;
        bool is_dead = false;
        moment begun = {};   // when it was written plainly: constructed, assigned or destroyed
        clocks access = {};  // the last access of each thread; of plain objects the last read
    };

    struct block {
        std::size_t size;
        moment begun;
    };

    struct event {
        std::size_t thread;
        const char* what;
        const void* address;
        const char* order;
        const char* detail;
        place where;
        std::uint64_t first;
        std::uint64_t second;
        std::size_t newer;  // the values newer than the one that was read
    };

    static std::unordered_map<const void*, std::string>& names() {
        static std::unordered_map<const void*, std::string> all;
        return all;
    }

    [[nodiscard]] static std::string named(const void* address) {
        const auto found = names().find(address);
        if (found != names().end()) return found->second;
        char text[24];
        static_cast<void>(std::snprintf(text, sizeof text, "%p", address));
        return text;
    }

    [[nodiscard]] static std::string text_of(std::uint64_t value) {
        char text[24];
        const auto printed = static_cast<unsigned long long>(value);
        static_cast<void>(std::snprintf(text, sizeof text, printed < 100'000 ? "%llu" : "%#llx", printed));
        return text;
    }

    [[nodiscard]] static std::string text_of(const event& told) {
        std::string text;
        std::uint64_t next = told.first;
        for (const char* c = told.detail; *c != '\0'; ++c) {
            text += *c != '#' ? std::string(1, *c) : text_of(std::exchange(next, told.second));
        }
        if (told.newer != 0) text += ", " + std::to_string(told.newer) + " before the newest";
        return text;
    }

    [[nodiscard]] static const char* text_of(std::memory_order order) {
        switch (order) {
            case std::memory_order_relaxed: return "relaxed";
            case std::memory_order_consume: return "consume";
            case std::memory_order_acquire: return "acquire";
            case std::memory_order_release: return "release";
            case std::memory_order_acq_rel: return "acq_rel";
            case std::memory_order_seq_cst: return "seq_cst";
        }
        return "";
    }

    [[nodiscard]] bool is_over() const {
        return std::ranges::all_of(turn_, [](const thread_turn& each) { return each.is_done; });
    }

    // A few threads, or none.
    struct thread_list {
        void push_back(std::size_t thread) { all[count++] = thread; }

        std::array<std::size_t, most_threads> all{};
        std::size_t count = 0;
    };

    // Returns: the threads that can go on, from the given one on.
    [[nodiscard]] thread_list able(std::size_t first) const {
        thread_list found;
        for (std::size_t i = 0; i < turn_.size(); ++i) {
            const std::size_t each = (first + i) % turn_.size();
            const thread_turn& its = turn_[each];
            if (!its.is_done && (!its.may_go_on || its.may_go_on())) found.push_back(each);
        }
        return found;
    }

    // Effects: lets another thread go on, as the calling one can't. Returns: false if no thread can.
    bool pass_on() {
        const thread_list others = able(self_);
        if (others.count == 0) {
            fail("deadlock" + waiting());
            abandon();
            if (turn_[self_].is_done) wake_another();
            return false;
        }
        in_turn_ = 0;
        turn_[others.all[decided_.choose(others.count)]].gate.release();
        return true;
    }

    void give_turn(std::size_t next) {
        in_turn_ = 0;
        turn_[next].gate.release();
        await_turn();
    }

    void await_turn() {
        turn_[self_].gate.acquire();
        if (is_abandoned_) leave();
    }

    // Effects: the execution can't go on: one thread after the other leaves it.
    void abandon() {
        is_abandoned_ = true;
        if (!expects_failure) end_program(failure_);
    }

    // Effects: leaves the execution, which was abandoned. What is unwound runs on without steps.
    static void leave() {
        if (std::uncaught_exceptions() == 0) throw abandoned_execution();
    }

    void wake_another() {
        for (std::size_t i = 0; i < turn_.size(); ++i) {
            if (i != self_ && !turn_[i].is_done) return turn_[i].gate.release();
        }
    }

    [[nodiscard]] std::string waiting() const {
        std::string text;
        for (std::size_t i = 0; i < turn_.size(); ++i) {
            if (!turn_[i].is_done && turn_[i].waits_for) {
                text += ", thread " + std::to_string(i) + " waits for " + named(turn_[i].waits_for);
            }
        }
        return text;
    }

    // Returns: a number less than `options`, at which 0 is the ordinary.
    std::size_t choose_surprise(std::size_t options) {
        if (limits_.surprises == 0) return 0;
        const std::size_t chosen = decided_.choose(options);
        if (chosen != 0) --limits_.surprises;
        return chosen;
    }

    void expect(bool holds, const char* what, const void* address, place where) {
        if (holds) return;
        record(what, address, "", "", where);
        fail("data race: " + std::string(what) + ": " + named(address));
    }

    [[nodiscard]] static bool is_within(const void* address, const void* begin, std::size_t size) {
        const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin);
        return offset < size;
    }

    template <class Use>
    void bytes_between(const void* begin, std::size_t size, Use use) {
        for (const auto& each : objects_) {
            if (is_within(each.first, begin, size)) use(each.first);
        }
    }

    [[nodiscard]] static atomic_bits read_memory(const void* address, std::size_t size) {
        atomic_bits value{};
        std::memcpy(&value, address, size);
        return value;
    }

    void put(void* address, std::size_t size, const atomic_bits& value) {
        if (!objects_[address].is_dead) std::memcpy(address, &value, size);
    }

    void replace(void* address, std::size_t size, std::size_t l, std::size_t chosen, atomic_bits value,
                 std::memory_order order) {
        model_.read(self_, l, chosen, order);
        if (model_.write(self_, l, chosen, value, order, true)) put(address, size, value);
    }

    object& plain_at(const void* address) {
        const auto [found, is_new] = objects_.try_emplace(address);
        if (is_new) found->second.begun = begin_of(address);
        return found->second;
    }

    // Returns: when the block was allocated in which the address is; the beginning if that is not known.
    [[nodiscard]] moment begin_of(const void* address) const {
        auto after = blocks_.upper_bound(address);
        if (after == blocks_.begin()) return {};
        --after;
        return is_within(address, after->first, after->second.size) ? after->second.begun : moment{};
    }

    object& write_plain(const void* address, place where, const char* races) {
        object& found = plain_at(address);
        const clocks& happened = model_.now(self_).happened;
        expect(happened.contain(found.begun) && happened.contain(found.access), races, address, where);
        found.begun = model_.tick(self_);
        return found;
    }

    object& atomic_at(const void* address, std::size_t size, place where) {
        object& found = plain_at(address);
        if (!found.is_atomic) {
            found.location = model_.add(read_memory(address, size));
            found.is_atomic = true;
        }
        expect(!found.is_dead, "use after the end of the lifetime", address, where);
        expect(model_.now(self_).happened.contain(found.begun), "use races with construction or plain write", address,
               where);
        found.access.of[self_] = model_.tick(self_).clock;
        // A word that is also written plainly, by a thread that alone knows of it.
        if (!found.is_dead) {
            const atomic_bits value = read_memory(address, size);
            if (value != model_.at(found.location).history.back().value) model_.begin(self_, found.location, value);
        }
        return found;
    }

    static inline thread_local execution* current_ = nullptr;
    static inline thread_local std::size_t self_ = 0;

    static inline std::uint64_t last_number_ = 0;

    std::uint64_t number_ = ++last_number_;
    bounds limits_;
    decisions& decided_;
    std::vector<thread_turn> turn_;
    std::binary_semaphore over_{0};
    bool is_abandoned_ = false;
    std::size_t steps_ = 0;
    std::size_t in_turn_ = 0;
    memory_model model_;
    std::unordered_map<const void*, object> objects_;
    std::map<const void*, block> blocks_;
    std::vector<event> events_;
    std::string failure_;
};

}  // namespace support
