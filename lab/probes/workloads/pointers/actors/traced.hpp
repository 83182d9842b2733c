#pragma once
// Messages in a traced heap that threads share.

#include <freehold/traced/traced_root.hpp>
#include <freehold/traced/traced_vector.hpp>

#include <cstdint>
#include <utility>

#include "plot.hpp"
#include "workloads/pointers/sessions.hpp"

namespace lab::actors {

struct traced_message;

struct traced_actor {
    freehold::traced_ptr<traced_message> last = {};
};

struct traced_message {
    int number;
    int hops;
    freehold::traced_ptr<traced_message> other = {};
    freehold::traced_ptr<traced_actor> from = {};
};

// The messages of a mailbox, which are in the heap, too.
template <class Strategy>
class traced_messages {
    using messages = freehold::traced_vector<freehold::traced_ptr<traced_message>>;

public:
    void push_back(const freehold::traced_local<traced_message>& posted) {
        if (!kept_) {
            kept_ = Strategy::heap().template make<messages>();
        }
        kept_->push_back(posted);
    }

    void swap(traced_messages& other) { std::swap(kept_, other.kept_); }
    bool empty() const { return !kept_ || kept_->empty(); }
    auto begin() const { return kept_ ? kept_->begin() : typename messages::iterator(); }
    auto end() const { return kept_ ? kept_->end() : typename messages::iterator(); }

private:
    freehold::traced_root<messages> kept_;
};

template <class Strategy>
struct traced : collecting<Strategy> {
    using message = traced_message;
    using actor = traced_actor;
    using session = typename Strategy::session;
    using list = traced_messages<Strategy>;

    template <class T>
    using owner = freehold::traced_local<T>;

    static std::uint64_t run(int threads) {
        return wait_for<Strategy>([threads] { return office<traced>::run(threads); });
    }

    static void clear() { Strategy::give_back(); }

    template <class T>
    static owner<T> make(const auto&... arguments) {
        return Strategy::heap().template make<T>(arguments...);
    }
};

template <class Strategy>
    requires requires { typename Strategy::session; }
using of = answered<traced<Strategy>>;

}  // namespace lab::actors
