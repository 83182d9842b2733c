// Fills the list of heap-or-stack in a file of its own, so that its functions cannot be compiled for what it does.

#include "heap_or_stack.hpp"

void fill_list(lab::heap_or_stack::numbers& list) {
    for (int i = 0; i < lab::heap_or_stack::nodes; ++i) {
        list.push_back(i);
    }
}
