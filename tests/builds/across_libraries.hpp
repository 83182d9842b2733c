#pragma once
// What the program and the library of with_a_library_of_its_own.cpp each do with objects that they share. Both compile
// this file, and each has a copy of all that Freehold keeps in static variables.

#include <freehold/freehold.hpp>
#include <freehold/memory/concurrent_monotonic_resource.hpp>

#include <atomic>
#include <cstddef>
#include <memory_resource>
#include <mutex>
#include <new>

namespace builds {

// An upstream that knows its memory, and so the blocks of the resource above it.
class arena final : public std::pmr::memory_resource {
public:
    arena() = default;
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena() override { ::operator delete(memory_, boundary); }

    [[nodiscard]] bool has(const void* block) const noexcept {
        return block >= static_cast<const void*>(memory_) && block < static_cast<const void*>(memory_ + size);
    }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        const std::lock_guard held(mutex_);
        const std::size_t begin = (used_ + alignment - 1) & ~(alignment - 1);
        if (begin + bytes > size) throw std::bad_alloc();
        used_ = begin + bytes;
        return memory_ + begin;
    }

    void do_deallocate(void*, std::size_t, std::size_t) override {}
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    static constexpr std::size_t size = std::size_t{16} << 20;  // of which little is touched
    static constexpr std::align_val_t boundary{std::size_t{64} * 1024};

    std::byte* const memory_ = static_cast<std::byte*>(::operator new(size, boundary));
    std::mutex mutex_;
    std::size_t used_ = 0;
};

template <class Resource>
struct use_of {
    Resource* (*make)(std::pmr::memory_resource& upstream);
    void* (*allocate)(Resource& resource, std::size_t bytes);
    void (*deallocate)(Resource& resource, void* block, std::size_t bytes);
    void (*end)(Resource* resource);
};

template <class Resource>
use_of<Resource> use_of_resource() {
    return {[](std::pmr::memory_resource& upstream) { return new Resource(&upstream); },
            [](Resource& resource, std::size_t bytes) { return resource.allocate(bytes, 8); },
            [](Resource& resource, void* block, std::size_t bytes) { resource.deallocate(block, bytes, 8); },
            [](Resource* resource) { delete resource; }};
}

// Its two halves are equal unless it is gone, or two threads have written one pointer at once.
struct twin {
    explicit twin(int value) : first(value), second(value) { ++alive; }
    twin(const twin&) = delete;
    twin& operator=(const twin&) = delete;
    ~twin() {
        first = -1;
        --alive;
    }

    int first;
    int second;

    static inline std::atomic<int> alive = 0;  // of those that this half of the program has made
};

struct half {
    use_of<freehold::concurrent_pool_resource> concurrent_pool;
    use_of<freehold::concurrent_monotonic_resource> concurrent_monotonic;
    use_of<freehold::pool_resource> pool;
    use_of<freehold::monotonic_resource> monotonic;
    use_of<freehold::region_resource> region;
    use_of<freehold::run_length_resource> run_length;
    void* (*allocate_pages)(freehold::page_cache& cache, std::size_t bytes);
    void (*deallocate_pages)(freehold::page_cache& cache, void* pages, std::size_t bytes);

    freehold::shared_ptr<twin> (*make)(int value);
    freehold::biased_shared_ptr<twin> (*make_biased)(int value);
    void (*merge_biased)();
    void (*copy)(const freehold::shared_ptr<twin>& owner);
    void (*copy_biased)(const freehold::biased_shared_ptr<twin>& owner);
    void (*release)(freehold::shared_ptr<twin>& owner);
    void (*release_biased)(freehold::biased_shared_ptr<twin>& owner);
    bool (*load)(const freehold::shared_ptr<twin>& shared);
    void (*store)(freehold::shared_ptr<twin>& shared, int value);
    bool (*load_atomic)(const freehold::atomic_shared_ptr<twin>& shared);
    void (*store_atomic)(freehold::atomic_shared_ptr<twin>& shared, int value);
    void (*wait_atomic)(const freehold::atomic_shared_ptr<twin>& shared);
    freehold::thin_ptr<twin> (*make_thin)(int value);
    bool (*own_borrowed)(freehold::borrowed_ptr<twin> borrowed);
    int (*alive)();
    void (*begin_session)(freehold::shared_traced_heap& heap);
};

inline half half_of_program() {
    return {use_of_resource<freehold::concurrent_pool_resource>(),
            use_of_resource<freehold::concurrent_monotonic_resource>(),
            use_of_resource<freehold::pool_resource>(),
            use_of_resource<freehold::monotonic_resource>(),
            use_of_resource<freehold::region_resource>(),
            use_of_resource<freehold::run_length_resource>(),
            [](freehold::page_cache& cache, std::size_t bytes) { return cache.allocate(bytes); },
            [](freehold::page_cache& cache, void* pages, std::size_t bytes) { cache.deallocate(pages, bytes); },
            [](int value) { return freehold::make_shared<twin>(value); },
            [](int value) { return freehold::make_biased_shared<twin>(value); },
            [] { freehold::merge_biased_counts(); },
            [](const freehold::shared_ptr<twin>& owner) { const auto copy = owner; },
            [](const freehold::biased_shared_ptr<twin>& owner) { const auto copy = owner; },
            [](freehold::shared_ptr<twin>& owner) { owner.reset(); },
            [](freehold::biased_shared_ptr<twin>& owner) { owner.reset(); },
            [](const freehold::shared_ptr<twin>& shared) {
                const auto loaded = freehold::atomic_load(&shared);
                return loaded->first == loaded->second;
            },
            [](freehold::shared_ptr<twin>& shared, int value) {
                freehold::atomic_store(&shared, freehold::make_shared<twin>(value));
            },
            [](const freehold::atomic_shared_ptr<twin>& shared) {
                const auto loaded = shared.load();
                return loaded->first == loaded->second;
            },
            [](freehold::atomic_shared_ptr<twin>& shared, int value) {
                shared.store(freehold::make_shared<twin>(value));
                shared.notify_all();
            },
            [](const freehold::atomic_shared_ptr<twin>& shared) { shared.wait(nullptr); },
            [](int value) { return freehold::make_thin<twin>(value); },
            [](freehold::borrowed_ptr<twin> borrowed) {
                const auto owner = borrowed.share<freehold::thin_ptr<twin>>();
                return owner->first == borrowed->second;
            },
            [] { return twin::alive.load(); },
            [](freehold::shared_traced_heap& heap) { const freehold::shared_traced_heap::session session(heap); }};
}

}  // namespace builds
