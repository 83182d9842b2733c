#pragma once
// Kinds of objects that are held from pages which the program has mapped, some of them not in its page table.

#include <fcntl.h>
#include <sys/mman.h>

#include <string>

#include "held.hpp"

namespace pages {

inline constexpr std::size_t page_size = 4096;

inline void* mapped(int flags, int file = -1) {
    void* const page = mmap(nullptr, page_size, PROT_READ | PROT_WRITE, flags, file, 0);
    if (page == MAP_FAILED) std::abort();
    return page;
}

// In the heap, behind a page: no count says that it is reached.
struct Holder {
    std::array<held::Owner, held::count> owners;
};

inline Holder* holder(const char* kind) {
    auto* const made = new Holder;
    for (held::Owner& each : made->owners) each = held::made(kind);
    return made;
}

inline void owners_in_page() {
    auto* const place = static_cast<held::Owner*>(mapped(MAP_PRIVATE | MAP_ANONYMOUS));
    for (int i = 0; i < held::count; ++i) new (place + i) held::Owner(held::made("mmapped page"));
}

// The memory keeps the pointer, this process's page table has no entry for it.
inline void dropped_shared_page() {
    void* const page = mapped(MAP_SHARED | MAP_ANONYMOUS);
    *static_cast<Holder**>(page) = holder("dropped shared page");
    if (madvise(page, page_size, MADV_DONTNEED) != 0) std::abort();
}

// Where the system has no swap, or has not yet written the page, this is a page like others.
inline void swapped_page() {
    void* const page = mapped(MAP_PRIVATE | MAP_ANONYMOUS);
    *static_cast<Holder**>(page) = holder("swapped page");
    madvise(page, page_size, MADV_PAGEOUT);
}

// As a page of .data that was never read: its content is in a file alone. A linker can't write an address of the heap.
inline void untouched_file_page(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    std::array<Holder*, page_size / sizeof(Holder*)> content = {holder("untouched page of a file")};
    if (write(file, content.data(), page_size) != page_size) std::abort();
    mapped(MAP_PRIVATE, file);
    close(file);
}

}
