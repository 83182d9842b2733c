// expect: a traced heap makes single objects
#include <freehold/traced/traced_heap.hpp>

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<int[]>(3)); }
