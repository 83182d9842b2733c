#pragma once
// What the threads of a module leave behind for their resources: a record of each, and the mutex that decides between
// the end of a thread and that of a resource.
//
// They are in pages that are never given back. A resource may outlive the library that one of its heaps was used
// through. A thread may be gone without having ended: a fork did not copy it, or its last destructors came after all
// that tells of its end. Its record then stays as it was.

#include <atomic>
#include <cstddef>
#include <new>

#include "pages.hpp"
#include "static_mutex.hpp"
#include "thread_heap.hpp"

namespace freehold::detail {

// What one thread will abandon at its end.
struct thread_record {
    thread_heap* heaps;  // the first in the list of them; the mutex of the registry guards it
    thread_record* next_unused;
};

class thread_registry : public static_mutex {
public:
    // Returns: the registry of this module, or a null pointer if there is no memory.
    [[nodiscard]] static thread_registry* get() noexcept {
        // acquire: pairs with the release below, which publishes the registry
        static_mutex* found = registry_mutex.load(std::memory_order_acquire);
        if (found != nullptr) return static_cast<thread_registry*>(found);
        void* const memory = map_pages(page, page);
        if (memory == nullptr) return nullptr;
        auto* const made = ::new (memory) thread_registry;
        if (registry_mutex.compare_exchange_strong(found, made, std::memory_order_acq_rel, std::memory_order_acquire)) {
            return made;
        }
        unmap_pages(memory, page);
        return static_cast<thread_registry*>(found);
    }

    // Returns: a record without heaps, or a null pointer if there is no memory.
    [[nodiscard]] thread_record* take() noexcept {
        const static_lock held(*this);
        if (unused_ == nullptr) return make();
        thread_record* const taken = unused_;
        unused_ = taken->next_unused;
        return taken;
    }

    // Effects: another thread may take the record. Requires: the mutex is locked, and the record has no heaps.
    void give_back(thread_record* ended) noexcept {
        ended->next_unused = unused_;
        unused_ = ended;
    }

private:
    static constexpr std::size_t page = std::size_t{64} * 1024;  // no system has larger ones
    static_assert(page % sizeof(thread_record) == 0);

    [[nodiscard]] thread_record* make() noexcept {
        if (fresh_ == end_) {
            void* const memory = map_pages(page, page);
            if (memory == nullptr) return nullptr;
            fresh_ = static_cast<std::byte*>(memory);
            end_ = fresh_ + page;
        }
        auto* const made = ::new (fresh_) thread_record{};
        fresh_ += sizeof(thread_record);
        return made;
    }

    thread_record* unused_ = nullptr;
    // What was never handed out.
    std::byte* fresh_ = nullptr;
    std::byte* end_ = nullptr;
};

}  // namespace freehold::detail
