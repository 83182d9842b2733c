#pragma once
// Kinds of leaks: how the owners are made and what the handles point to. Each function makes one structure.

#include <memory_resource>

#include "ground.hpp"

namespace leaked {

using ground::leak;

struct Node {
    sp::shared_ptr<Node> next;
    std::uint64_t value = 1;
};

// Effects: makes both own each other, and labels them.
inline void close(const char* kind, const sp::shared_ptr<Node>& a, const sp::shared_ptr<Node>& b) {
    a->next = b;
    b->next = a;
    leak(kind, [&] { a->next.reset(); }, a, b);
}

inline void pair() { close("make_shared pair", sp::make_shared<Node>(), sp::make_shared<Node>()); }

inline void by_new() { close("shared_ptr(new T)", sp::shared_ptr<Node>(new Node), sp::shared_ptr<Node>(new Node)); }

inline void deleter() {
    const auto make = [] { return sp::shared_ptr<Node>(new Node, [](Node* node) { delete node; }); };
    close("deleter", make(), make());
}

struct Counts {
    std::uint64_t* calls;
    std::uint64_t extra;
    void operator()(Node* node) const {
        *calls += extra;
        delete node;
    }
};
inline std::uint64_t deleter_calls = 0;

inline void stateful_deleter() {
    const auto make = [] { return sp::shared_ptr<Node>(new Node, Counts{&deleter_calls, 1}); };
    close("stateful deleter", make(), make());
}

// The deleters own the objects.
inline void owning_deleter() {
    struct Plain {
        std::uint64_t value = 1;
    };
    struct Other {
        sp::shared_ptr<Plain> owner;
    };
    const auto other = sp::make_shared<Other>();
    const sp::shared_ptr<Plain> plain(new Plain, [other](Plain* each) { delete each; });
    other->owner = plain;
    leak("deleter that owns", [&] { other->owner.reset(); }, other, plain);
}

struct Resources {
    std::pmr::monotonic_buffer_resource monotonic{std::size_t{1} << 18};
    std::pmr::unsynchronized_pool_resource pool{&monotonic};
};
inline ground::Kept<Resources> resources;

inline void from_monotonic() {
    const std::pmr::polymorphic_allocator<Node> from(&resources.value.monotonic);
    close("allocate_shared, monotonic", sp::allocate_shared<Node>(from), sp::allocate_shared<Node>(from));
}

inline void from_pool() {
    const std::pmr::polymorphic_allocator<Node> from(&resources.value.pool);
    close("allocate_shared, pool", sp::allocate_shared<Node>(from), sp::allocate_shared<Node>(from));
}

inline void self() {
    const auto node = sp::make_shared<Node>();
    node->next = node;
    leak("owner of itself", [&] { node->next.reset(); }, node);
}

inline void with_weak() {
    struct Both {
        sp::weak_ptr<Both> friendly;
        sp::shared_ptr<Both> next;
    };
    const auto a = sp::make_shared<Both>();
    const auto b = sp::make_shared<Both>();
    a->next = b;
    b->next = a;
    a->friendly = b;
    b->friendly = a;
    leak("pair with weak pointers", [&] { a->next.reset(); }, a, b);
}

struct Aware : sp::enable_shared_from_this<Aware> {
    sp::shared_ptr<Aware> partner;
};

inline void from_this() {
    const auto a = sp::make_shared<Aware>();
    const sp::shared_ptr<Aware> b(new Aware);
    a->partner = b->shared_from_this();
    b->partner = a->shared_from_this();
    leak("enable_shared_from_this", [&] { a->partner.reset(); }, a, b);
}

inline void alias() {
    struct Whole {
        std::uint64_t part[4] = {};
        sp::shared_ptr<std::uint64_t> mine;
    };
    const auto whole = sp::make_shared<Whole>();
    whole->mine = sp::shared_ptr<std::uint64_t>(whole, &whole->part[2]);
    leak("alias to a part", [&] { whole->mine.reset(); }, whole);
}

struct First {
    virtual ~First() = default;
    std::uint64_t value = 1;
};
struct Second {
    virtual ~Second() = default;
    sp::shared_ptr<Second> other;
};
struct Derived : First, Second {};

inline void second_base() {
    const auto a = sp::make_shared<Derived>();
    const auto b = sp::make_shared<Derived>();
    a->other = b;
    b->other = a;
    leak("second base", [&] { a->other.reset(); }, a, b);
}

inline void mmapped_chunk() {
    struct Large {
        char bytes[300'000] = {};
        sp::shared_ptr<Large> next;
    };
    const auto large = sp::make_shared<Large>();
    large->next = large;
    leak("mmapped chunk", [&] { large->next.reset(); }, large);
}

inline void lost_owner() {
    auto* const lost = new sp::shared_ptr<Node>(sp::make_shared<Node>());
    leak("lost owner", [&] { delete lost; }, *lost);
}

struct Cell {
    sp::shared_ptr<Cell[]> row;
    std::uint64_t value = 1;
};

inline void array_by_new() {
    const sp::shared_ptr<Cell[]> row(new Cell[4]);
    row[2].row = row;
    leak("array by new", [&] { row[2].row.reset(); }, row);
}

inline void array() {
    const auto row = sp::make_shared<Cell[]>(5);
    row[3].row = row;
    leak("array", [&] { row[3].row.reset(); }, row);
}

// An expired object, kept by a weak pointer, once owned the cycle: its memory still has the handle.
struct Former {
    sp::shared_ptr<Node> owned;
};
inline ground::Kept<std::vector<sp::weak_ptr<Former>>> formers;

inline void once_owned_by_expired() {
    const auto a = sp::make_shared<Node>();
    const auto b = sp::make_shared<Node>();
    {
        const auto former = sp::make_shared<Former>();
        former->owned = a;
        formers.value.push_back(former);
        ground::label(former, "expired", "former owner");
    }
    close("once owned by an expired object", a, b);
}

}
