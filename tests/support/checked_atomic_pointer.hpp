#pragma once
// checked_process: what the library's atomic pointers have of their process, under the checker. The pointers of a
// shared_ptr that counts with checked_counting use it.

#include "checked_counting.hpp"
// After the names of the builtins.
#include <freehold/pointers/detail/atomic_pointer.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "checked_ring.hpp"
#include "checked_threading.hpp"

namespace support {

struct checked_process;

}  // namespace support

template <>
struct freehold::detail::process_of<support::checked_threading> {
    using type = support::checked_process;
};

namespace support {

struct checked_domain;

// A thread has one slot of its own, and all together one more.
struct checked_process {
    using domain = checked_domain;
    using record = freehold::detail::reader_record<checked_threading, checked_process>;
    using slots_of_thread = freehold::detail::word_slots<checked_threading, 1>;
    using ring = checked_ring<checked_process>;

    static constexpr std::size_t own_slots = 1;
    static constexpr std::size_t shared_slots = 1;
    static constexpr std::uint32_t records_in_group = 5;
    static constexpr bool is_first_group_in_place = true;

    static std::uint32_t now() { return time += 1000; }  // a fence is always due
    static bool is_alone() { return false; }

    // The zeros are written by the calling thread: a segment of records that another one uses must have been published.
    static void* allocate(std::size_t bytes) {
        constexpr std::size_t record_bytes = 32;
        bytes = (bytes + 63) / 64 * 64;
        if (memory.size() - allocated < bytes) return nullptr;
        std::byte* const first = &memory[allocated];
        allocated += bytes;
        for (std::size_t i = 0; i < bytes; i += record_bytes) wrote(first + i);
        return first;
    }
    static void free(void*, std::size_t) {}

    static slots_of_thread& light_slots() {
        return mine != nullptr && checked_asymmetric_fence::has_membarrier ? *mine : none;
    }
    static constexpr domain& of_module();
    static record* own() { return mine; }
    static void set_own(record* its) { mine = its; }
    static bool at_thread_end() { return true; }

    static inline std::uint32_t time;  // one thread works at a time
    static inline thread_local record* mine = nullptr;
    static inline slots_of_thread none{{2}};
    alignas(64) static inline std::array<std::byte, 128 * 1024> memory;
    static inline std::size_t allocated;  // bytes of it
};

struct checked_domain : freehold::detail::reader_domain<checked_threading, checked_process> {
    freehold::detail::basic_alias_records<checked_threading> aliases;
};

inline checked_domain checked_readers;

constexpr checked_domain& checked_process::of_module() { return checked_readers; }

// The readers and the records of a process that has just begun.
class fresh_readers {
public:
    fresh_readers() {
        checked_process::allocated = 0;
        checked_process::time = 0;
        begin_anew(checked_readers);
    }

private:
    template <class T>
    static void begin_anew(T& object) {
        std::destroy_at(&object);
        ::new (static_cast<void*>(&object)) T;
    }
};

}  // namespace support
