#pragma once
// The types of nodes of graphs.cpp: each has owners of others, weak and raw pointers to others, in places of its own.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "handles.hpp"

namespace graphs {

using Owner = sp::shared_ptr<void>;
using Weak = sp::weak_ptr<void>;

struct Listing {
    std::vector<Owner> owners;
    std::vector<Weak> weak;
    std::vector<void*> raw;
    void own(const Owner& other) { owners.push_back(other); }
    void watch(const Weak& other) { weak.push_back(other); }
    void mention(void* other) { raw.push_back(other); }
    void clear() { *this = Listing(); }
};

struct Mapping {
    std::map<std::string, Owner> owners;
    std::map<int, Weak> weak;
    void* raw[2] = {};
    void own(const Owner& other) { owners["number " + std::to_string(owners.size())] = other; }
    void watch(const Weak& other) { weak[static_cast<int>(weak.size())] = other; }
    void mention(void* other) { raw[raw[0] != nullptr] = other; }
    void clear() { *this = Mapping(); }
};

struct Perhaps {
    std::optional<Owner> first;
    std::deque<Owner> rest;
    std::optional<Weak> weak;
    std::deque<Weak> more_weak;
    std::optional<void*> raw;
    void own(const Owner& other) { first ? rest.push_back(other) : static_cast<void>(first = other); }
    void watch(const Weak& other) { weak ? more_weak.push_back(other) : static_cast<void>(weak = other); }
    void mention(void* other) { raw = other; }
    void clear() { *this = Perhaps(); }
};

struct Chaining {
    struct Part {
        std::unique_ptr<Part> next;
        Owner owner;
        Weak weak;
        void* raw = nullptr;
    };
    std::unique_ptr<Part> first;
    Part& add() {
        auto part = std::make_unique<Part>();
        part->next = std::move(first);
        first = std::move(part);
        return *first;
    }
    void own(const Owner& other) { add().owner = other; }
    void watch(const Weak& other) { add().weak = other; }
    void mention(void* other) { add().raw = other; }
    void clear() { first = nullptr; }
};

struct Calling {
    virtual ~Calling() = default;
    std::vector<std::function<void*()>> calls;
    void own(const Owner& other) {
        calls.push_back([other] { return other.get(); });
    }
    void watch(const Weak& other) {
        calls.push_back([other] { return other.lock().get(); });
    }
    void mention(void* other) {
        calls.push_back([other] { return other; });
    }
    void clear() { calls.clear(); }
};

struct Choosing : Calling {
    std::vector<std::variant<std::string, Owner, Weak, void*>> values;
    void own(const Owner& other) { values.push_back(other); }
    void watch(const Weak& other) { values.push_back(other); }
    void mention(void* other) { values.push_back(other); }
    void clear() { values.clear(); }
};

inline constexpr int types = 6;

// Returns: what f returns for the pointer to the node as what it is.
template <class F>
decltype(auto) visit(int type, void* node, F f) {
    switch (type) {
        case 0: return f(static_cast<Listing*>(node));
        case 1: return f(static_cast<Mapping*>(node));
        case 2: return f(static_cast<Perhaps*>(node));
        case 3: return f(static_cast<Chaining*>(node));
        case 4: return f(static_cast<Calling*>(node));
        default: return f(static_cast<Choosing*>(node));
    }
}

}
