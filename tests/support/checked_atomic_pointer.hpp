#pragma once
// checked_atomic_pointer: the library's atomic pointers under the checker.
//
// The readers of a process and the records of aliases are no parameters. While the headers are read here, their names
// and std::atomic stand for the checker's. Included before all other headers of the library.

#include "checked_counting.hpp"
// After the names of the builtins.
#include <freehold/core/platform/pages.hpp>
#include <freehold/pointers/detail/reader_domain.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>
#include "checked_futex.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "checked_asymmetric_fence.hpp"
#include "checked_atomic.hpp"
#include "checked_ring.hpp"
#include "checked_sleep.hpp"

namespace freehold::detail {

alignas(64) inline std::array<std::byte, 128 * 1024> checked_memory;
inline std::size_t checked_bytes;  // of it that are allocated

// The zeros are written by the calling thread: a segment of records that another one uses must have been published.
inline void* allocate_checked(std::size_t bytes) {
    constexpr std::size_t record = 32;  // bytes
    bytes = (bytes + 63) / 64 * 64;
    if (checked_memory.size() - checked_bytes < bytes) return nullptr;
    std::byte* const first = &checked_memory[checked_bytes];
    checked_bytes += bytes;
    for (std::size_t i = 0; i < bytes; i += record) support::wrote(first + i);
    return first;
}

inline void free_checked(void*, std::size_t) {}

}  // namespace freehold::detail

namespace std {  // NOLINT(cert-dcl58-cpp)
using support::checked_atomic;
}
#define atomic checked_atomic
#define allocate_pages allocate_checked
#define free_pages free_checked
#include <freehold/pointers/detail/alias_records.hpp>
#undef free_pages
#undef allocate_pages
#undef atomic
#include <freehold/pointers/detail/process_readers.hpp>

namespace freehold::detail {

// A thread has one slot of its own, and all together one more.
struct checked_reading : support::checked_sleep {
    template <class T>
    using atomic = support::checked_atomic<T>;
    using record = reader_record<checked_reading>;
    using fence = support::checked_asymmetric_fence;
    using ring = support::checked_ring;

    static constexpr std::size_t own_slots = 1;
    static constexpr std::size_t shared_slots = 1;
    static constexpr std::uint32_t records_in_group = 5;
    static constexpr bool is_first_group_in_place = true;

    static std::uint32_t now() { return time += 1000; }  // a fence is always due
    static bool is_alone() { return false; }
    static void* allocate(std::size_t bytes) { return allocate_checked(bytes); }
    static void free(void*, std::size_t) {}

    static word_slots<checked_reading>& light_slots() {
        return mine != nullptr && fence::has_membarrier ? *mine : none;
    }
    static record* own() { return mine; }
    static void set_own(record* its) { mine = its; }
    static bool at_thread_end() { return true; }
    static void rest() {}

    static inline std::uint32_t time;  // one thread works at a time
    static inline thread_local record* mine = nullptr;
    static inline word_slots<checked_reading> none{{2}};
};

struct checked_domain : reader_domain<checked_reading> {
    alias_records aliases;
};

inline checked_domain checked_readers;

}  // namespace freehold::detail

#define atomic checked_atomic
#define process_reading checked_reading
#define process_domain checked_domain
#define process_readers checked_readers
#include <freehold/pointers/detail/atomic_pointer.hpp>
#undef process_readers
#undef process_domain
#undef process_reading
#undef atomic

namespace support {

// The readers and the records of a process that has just begun.
class fresh_readers {
public:
    fresh_readers() {
        freehold::detail::checked_bytes = 0;
        freehold::detail::checked_reading::time = 0;
        begin_anew(freehold::detail::checked_readers);
    }

private:
    template <class T>
    static void begin_anew(T& object) {
        std::destroy_at(&object);
        ::new (static_cast<void*>(&object)) T;
    }
};

}  // namespace support
