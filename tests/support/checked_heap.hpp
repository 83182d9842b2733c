#pragma once
// A shared heap of collected objects for the scenarios of the checker, with a session for each of their threads.

#include <gtest/gtest.h>

#include "checked_counting.hpp"
// After the names of the builtins.
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "checked_threading.hpp"

namespace support {

class checked_heap {
    using domain = freehold::basic_heap_domain<checked_threading>;
    using session_state = freehold::detail::cyclic_session<checked_threading>;

public:
    using heap_type = freehold::basic_cyclic_heap<checked_threading>;

    template <class T>
    using pointer = freehold::cyclic_ptr<T, domain>;
    template <class T>
    using weak_pointer = freehold::cyclic_weak_ptr<T, domain>;

    static constexpr std::size_t sessions = 3;

    checked_heap() {
        heap.set_automatic(false);
        for (std::size_t i = 0; i < sessions; ++i) begin_session(i);
    }

    checked_heap(const checked_heap&) = delete;
    checked_heap& operator=(const checked_heap&) = delete;

    // Effects: calls work(session) in the calling thread, as the thread of the i-th session.
    template <class Work>
    void in_session(std::size_t i, Work work) {
        session_state::this_cyclic_session = state_[i];
        work(*session_[i]);
        session_state::this_cyclic_session = nullptr;
    }

    void begin_session(std::size_t i) {
        session_[i].emplace(heap);
        state_[i] = std::exchange(session_state::this_cyclic_session, nullptr);
    }

    void end_session(std::size_t i) {
        session_state::this_cyclic_session = state_[i];
        session_[i].reset();
    }

    // Effects: ends all sessions, after each has come to a safepoint.
    void end_sessions() {
        for (std::size_t i = 0; i < sessions; ++i) {
            if (session_[i]) in_session(i, [](auto& session) { session.safepoint(); });
        }
        for (std::size_t i = 0; i < sessions; ++i) {
            if (session_[i]) end_session(i);
        }
    }

    heap_type heap;

private:
    std::array<std::optional<typename heap_type::session>, sessions> session_;
    std::array<session_state*, sessions> state_{};
};

}  // namespace support
