// The four functions of heap-or-stack, whose machine code is read from this file's object file. The same object file is
// linked into the probe, which runs them.

#include "heap_or_stack.hpp"

#include <memory>

using lab::heap_or_stack::arena;
using lab::heap_or_stack::numbers;

namespace {

using list_allocator = lab::allocator_of<arena, numbers>;
using allocating = std::allocator_traits<list_allocator>;

// What new and delete are for operator new. Always inline, as they are: what stays out of line is the arena's choice.
[[gnu::always_inline]] inline numbers* new_list(arena& from) {
    list_allocator allocator = from.allocator<numbers>();
    return std::construct_at(allocating::allocate(allocator, 1), from.allocator<int>());
}

[[gnu::always_inline]] inline void delete_list(arena& from, numbers* list) {
    list_allocator allocator = from.allocator<numbers>();
    std::destroy_at(list);
    allocating::deallocate(allocator, list, 1);
}

struct list_deleter {
    arena* from;
    void operator()(numbers* list) const { delete_list(*from, list); }
};

}  // namespace

void on_the_stack(arena& from) {
    numbers list(from.allocator<int>());
    fill_list(list);
}

// Leaks the list if filling it throws.
void by_hand(arena& from) {
    numbers* const list = new_list(from);
    fill_list(*list);
    delete_list(from, list);
}

void by_hand_with_catch(arena& from) {
    numbers* const list = new_list(from);
    try {
        fill_list(*list);
    } catch (...) {
        delete_list(from, list);
        throw;
    }
    delete_list(from, list);
}

void by_unique_ptr(arena& from) {
    const std::unique_ptr<numbers, list_deleter> list(new_list(from), list_deleter{&from});
    fill_list(*list);
}
