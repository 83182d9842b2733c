#pragma once
// Kinds of objects that are held, or expired. Each function makes a few of one kind.

#include <functional>
#include <map>
#include <string>

#include "coroutines.hpp"
#include "ground.hpp"

namespace held {

using ground::Kept;
using ground::label;

struct Item {
    std::uint64_t value = 1;
    sp::shared_ptr<Item> next;
#if defined _LIBCPP_VERSION
    std::uint64_t filler = 1;  // else its chunk has a word behind it, which may lead from a stack to what leaks
#endif
};
using Owner = sp::shared_ptr<Item>;

inline constexpr int count = 12;

// Returns: an owner of a new object of that kind.
inline Owner made(const char* kind) {
    auto owner = sp::make_shared<Item>();
    label(owner, "held", kind);
    return owner;
}

// Returns: an owner of a ring of four.
inline Owner made_ring(const char* kind) {
    const auto first = made(kind);
    Owner last = first;
    for (int i = 0; i < 3; ++i) last = last->next = made(kind);
    last->next = first;
    return first;
}

inline Kept<std::array<Owner, count>> globals;
inline void global() {
    for (Owner& each : globals.value) each = made("global");
}

inline void function_static() {
    static Kept<std::array<Owner, count>> owners;
    for (Owner& each : owners.value) each = made("static in a function");
}

inline Kept<std::vector<Owner>> vector;
inline Kept<std::map<std::string, Owner>> map;
inline Kept<std::vector<std::function<std::uint64_t()>>> functions;
inline void containers() {
    for (int i = 0; i < count; ++i) {
        vector.value.push_back(made("vector"));
        map.value[std::to_string(i)] = made("map");
        functions.value.push_back([owner = made("function")] { return owner->value; });
    }
}

struct Server;
struct Session {
    Server* server;
    std::string client = "a name that is longer than a string has room for";
};
struct Server {
    std::vector<sp::shared_ptr<Session>> sessions;
};
inline Kept<sp::shared_ptr<Server>> server;
inline void raw_back_pointers() {
    server.value = sp::make_shared<Server>();
    label(server.value, "held", "server with sessions");
    for (int i = 0; i < count; ++i) {
        server.value->sessions.push_back(sp::make_shared<Session>(Session{server.value.get()}));
        label(server.value->sessions.back(), "held", "server with sessions");
    }
}

struct Family : sp::enable_shared_from_this<Family> {
    sp::weak_ptr<Family> parent;
    std::vector<sp::shared_ptr<Family>> children;
};
inline Kept<sp::shared_ptr<Family>> family;
inline void weak_back_pointers() {
    family.value = sp::make_shared<Family>();
    label(family.value, "held", "parent with children");
    for (int i = 0; i < count; ++i) {
        const auto child = sp::make_shared<Family>();
        child->parent = family.value;
        family.value->children.push_back(child);
        label(child, "held", "parent with children");
    }
}

inline Kept<std::array<Owner, 3>> rings;
inline void ring() {
    for (Owner& each : rings.value) each = made_ring("ring from a global");
}

inline thread_local Kept<std::array<Owner, 4>> of_thread;
inline void thread_local_owner() {
    for (Owner& each : of_thread.value) each = made("thread_local");
}

// Its address is nowhere in memory: an owner that cannot be found, so that these must not be called leaked. They are
// few, since an analysis that finds too few owners calls nothing leaked.
struct Encoded {
    std::array<std::uint64_t, 2> words;
};
inline Kept<std::vector<Encoded>> encoded;
inline void encode() {
    for (int i = 0; i < 4; ++i) {
        const Kept<Owner> owner(made("encoded"));
        Encoded& place = encoded.value.emplace_back();
        std::memcpy(place.words.data(), static_cast<const void*>(&owner), sizeof place);
        for (std::uint64_t& each : place.words) each ^= ground::key;
    }
}

// The slots behind the vector's end still have the handles.
inline Kept<std::vector<Owner>> shrunk;
inline Kept<std::vector<Owner>> moved;
inline void popped() {
    for (int i = 0; i < count; ++i) shrunk.value.push_back(made("popped"));
    for (int i = 0; i < count; ++i) {
        moved.value.push_back(shrunk.value.back());
        shrunk.value.pop_back();
    }
}

#if __cpp_impl_coroutine
inline Kept<std::vector<std::coroutine_handle<>>> frames;
inline void coroutine() {
    for (int i = 0; i < count; ++i) frames.value.push_back(coroutines::pause_with(made("coroutine frame")));
}
#endif

struct LargeItem {
    sp::shared_ptr<Item> item;
    char bytes[8'000] = {};
};
inline Kept<std::vector<sp::weak_ptr<LargeItem>>> observers;
inline void expired() {
    for (int i = 0; i < count; ++i) {
        const auto large = sp::make_shared<LargeItem>();
        large->item = sp::make_shared<Item>();
        observers.value.push_back(large);
        label(large, "expired", "expired");
    }
}

// Effects: has owners and a ring on the stack of this thread, and calls the function, which does not return.
[[noreturn, gnu::noinline]] inline void on_stack(const char* kind, const char* ring_kind, void (*then)()) {
    std::array<Owner, count> owners;
    for (Owner& each : owners) each = made(kind);
    const Owner ring = made_ring(ring_kind);
    ground::expose(&owners);
    ground::expose(&ring);
    then();
    std::abort();
}

}
