// The owning pointers.

#include <freehold/pointers.hpp>

#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/resource_allocator.hpp>

#include <utility>

#include "row.hpp"

using watch::keep;
using watch::row;

namespace {

struct payload {
    int first = 1, second = 2, third = 3;
};

struct node {
    int value;
    freehold::shared_ptr<node> next;
};

struct itself : freehold::enable_shared_from_this<itself> {};
struct counted : freehold::ref_counted<counted> {};

template <class Make>
void make_and_copy(const char* make_name, const char* copy_name, Make make) {
    row(make_name, [make] {
        auto made = make();
        keep(made);
    });
    auto owner = make();
    row(copy_name, [&owner] {
        auto copy = owner;
        keep(copy);
    });
}

void rows() {
    make_and_copy("shared_ptr make, destroy", "shared_ptr copy, destroy",
                  [] { return freehold::make_shared<payload>(); });
    make_and_copy("shared_ptr of new: make, destroy", "shared_ptr of new: copy, destroy",
                  [] { return freehold::shared_ptr<payload>(new payload); });
    make_and_copy("local_shared_ptr make, destroy", "local_shared_ptr copy, destroy",
                  [] { return freehold::make_local_shared<payload>(); });
    make_and_copy("biased_shared_ptr make, destroy", "biased_shared_ptr copy, destroy",
                  [] { return freehold::make_biased_shared<payload>(); });
    make_and_copy("sharded_shared_ptr make, destroy", "sharded_shared_ptr copy, destroy",
                  [] { return freehold::make_sharded_shared<payload>(); });
    make_and_copy("thin_ptr make, destroy", "thin_ptr copy, destroy", [] { return freehold::make_thin<payload>(); });
    make_and_copy("intrusive_ptr make, destroy", "intrusive_ptr copy, destroy",
                  [] { return freehold::make_intrusive<counted>(); });
    make_and_copy("linked_ptr make, destroy", "linked_ptr copy, destroy",
                  [] { return freehold::linked_ptr<payload>(new payload); });

    freehold::pool_resource pool;
    freehold::resource_allocator<payload, freehold::pool_resource> allocator(&pool);
    row("allocate_shared in a pool_resource, destroy", [&allocator] {
        auto made = freehold::allocate_shared<payload>(allocator);
        keep(made);
    });

    auto owner = freehold::make_shared<payload>();
    row("shared_ptr move, destroy", [&owner] {
        auto moved = std::move(owner);
        keep(moved);
        owner = std::move(moved);
    });
    freehold::weak_ptr<payload> weak = owner;
    row("weak_ptr copy, destroy", [&weak] {
        auto copy = weak;
        keep(copy);
    });
    row("weak_ptr lock, destroy", [&weak] {
        auto locked = weak.lock();
        keep(locked);
    });
    freehold::weak_ptr<payload> expired = freehold::make_shared<payload>();
    row("weak_ptr lock of an expired object", [&expired] {
        auto locked = expired.lock();
        keep(locked);
    });
    auto object = freehold::make_shared<itself>();
    row("shared_from_this, destroy", [&object] {
        auto shared = object->shared_from_this();
        keep(shared);
    });
    row(
        "list of 1000 nodes: make, destroy",
        [] {
            freehold::shared_ptr<node> first;
            for (int i = 0; i < 1000; ++i) first = freehold::make_shared<node>(i, std::move(first));
            keep(first);
        },
        4);
}

}  // namespace

int main(int argc, char**) { return watch::in_state(argc, rows); }
