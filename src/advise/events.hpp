#pragma once
// The events of a thread, in order, and of all threads, merged by their time stamps.

#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "../recorder/kinds.hpp"
#include "recording_file.hpp"

namespace advise {

using recorder::kind;

struct event {
    kind what;
    std::uint64_t time;
    std::uint64_t block;
    bool is_half = false;  // the start of a realloc, which frees `block`
    std::uint64_t size = 0;
    std::uint32_t site = 0;
    std::uint64_t alignment = 0;
    std::uint64_t blocks = 1;  // that it stands for, where only a sample is recorded
};

struct place {
    std::uint32_t module;  // 0: none; else one more than its number
    std::uint64_t offset;
    bool operator==(const place&) const = default;
};

// What events refer to by number.
class definitions {
public:
    virtual ~definitions() = default;
    virtual void define_site(std::uint32_t number, const std::vector<place>& callers) = 0;
    virtual void define_module(std::uint32_t number, std::string name) = 0;
};

class thread_events {
public:
    thread_events(recording_file& file, std::vector<placed_frame> frames, definitions& told)
        : file_(file), frames_(std::move(frames)), told_(told) {}

    const event& now() const { return now_; }

    // Goes on to the next event. Returns false at the end.
    bool advance() {
        if (now_.is_half) {  // its second half
            now_ = second_;
            return true;
        }
        while (at_ != end_ || next_chunk()) {
            const auto what = static_cast<kind>(*at_++);
            if (what == recorder::site)
                read_site();
            else if (what == recorder::module_name)
                read_module();
            else
                return read_event(what), true;
        }
        return false;
    }

private:
    bool next_chunk() {
        if (next_ == frames_.size()) return false;
        file_.read(frames_[next_++], bytes_);
        at_ = bytes_.data();
        end_ = at_ + bytes_.size();
        time_ = block_ = 0;
        return true;
    }

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            const std::uint8_t byte = *at_++;
            value |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return value;
        }
    }

    std::uint64_t time() { return time_ += number(); }

    std::uint64_t address() {
        const std::uint64_t value = number();
        return block_ += (value >> 1 ^ (0 - (value & 1))) << 3;
    }

    void read_event(kind what) {
        now_ = {.what = what, .time = time(), .block = address()};
        if (recorder::is_free(what)) return;
        if (what == recorder::reallocated) {
            now_.is_half = true;
            second_ = {.what = what, .time = time(), .block = address()};
            second_.size = number();
            second_.site = static_cast<std::uint32_t>(number());
            return;
        }
        now_.size = number();
        now_.site = static_cast<std::uint32_t>(number());
        if (recorder::has_alignment(what)) now_.alignment = number();
    }

    void read_site() {
        const auto which = static_cast<std::uint32_t>(number());
        std::vector<place> callers(number());
        for (place& each : callers) {
            each.module = static_cast<std::uint32_t>(number());
            each.offset = number();
        }
        told_.define_site(which, callers);
    }

    void read_module() {
        const auto which = static_cast<std::uint32_t>(number());
        const std::uint64_t letters = number();
        told_.define_module(which, std::string(reinterpret_cast<const char*>(at_), letters));
        at_ += letters;
    }

    recording_file& file_;
    std::vector<placed_frame> frames_;
    definitions& told_;
    std::size_t next_ = 0;
    std::vector<std::uint8_t> bytes_;
    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    std::uint64_t time_ = 0, block_ = 0;
    event now_{}, second_{};
};

// Calls `take(event, thread)` for each event of a process, in order; threads are numbered from 0.
template <class Take>
std::uint32_t merge(recording_file& file, std::uint32_t process, definitions& told, Take take) {
    std::vector<std::unique_ptr<thread_events>> threads;
    for (auto& [thread, frames] : file.threads_of(process))
        threads.push_back(std::make_unique<thread_events>(file, std::move(frames), told));
    using entry = std::pair<std::uint64_t, std::uint32_t>;  // when, and the thread
    std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting;
    for (std::uint32_t i = 0; i < threads.size(); ++i)
        if (threads[i]->advance()) waiting.push({threads[i]->now().time, i});
    while (!waiting.empty()) {
        const std::uint32_t thread = waiting.top().second;
        waiting.pop();
        bool has_more = true;
        // Many events of one thread usually follow one another.
        while (has_more && (waiting.empty() || threads[thread]->now().time <= waiting.top().first)) {
            take(threads[thread]->now(), thread);
            has_more = threads[thread]->advance();
        }
        if (has_more) waiting.push({threads[thread]->now().time, thread});
    }
    return static_cast<std::uint32_t>(threads.size());
}

}
