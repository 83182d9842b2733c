#pragma once
// A traced heap that the calling thread uses: a shared one comes with a session.

#include <freehold/traced/shared_traced_heap.hpp>
#include <freehold/traced/traced_heap.hpp>

#include <utility>

namespace support {

template <class Heap>
struct heap_in_thread {
    explicit heap_in_thread(freehold::traced_heap_options options = {}) : heap(std::move(options)) {}

    Heap heap;
};

template <>
struct heap_in_thread<freehold::shared_traced_heap> {
    explicit heap_in_thread(freehold::traced_heap_options options = {}) : heap(std::move(options)) {}

    freehold::shared_traced_heap heap;
    freehold::shared_traced_heap::session session{heap};
};

}  // namespace support
