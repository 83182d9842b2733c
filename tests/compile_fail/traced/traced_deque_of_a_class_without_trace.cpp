// expect: nothing is known of what this type holds
// at most 44 lines: clang names each template on the way to the buffer.
#include <freehold/traced/traced_deque.hpp>
#include <freehold/traced/traced_heap.hpp>

class task {
public:
    explicit task(int number) : number_(number) {}
    ~task() {}

private:
    int number_;
    freehold::traced_ptr<int> result_;
};

struct worker {
    freehold::traced_deque<task> waiting;
};

void fill(freehold::traced_heap& heap) { heap.make<worker>()->waiting.emplace_back(1); }
