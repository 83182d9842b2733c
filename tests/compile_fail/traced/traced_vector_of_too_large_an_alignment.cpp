// expect: the alignment is too large
// at most 29 lines: clang names each template on the way to the buffer.
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_vector.hpp>

struct alignas(32'768) page {
    char bytes[32'768];
};

struct book {
    freehold::traced_vector<page> pages;
};

void fill(freehold::traced_heap& heap) { heap.make<book>()->pages.emplace_back(); }
