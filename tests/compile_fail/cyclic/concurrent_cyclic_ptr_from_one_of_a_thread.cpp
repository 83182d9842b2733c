// expect: could not convert|no viable conversion
#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>

struct node {
    freehold::cyclic_ptr<node> next;
};

freehold::concurrent_cyclic_ptr<node> shared(freehold::cyclic_ptr<node> of_a_thread) { return of_a_thread; }
