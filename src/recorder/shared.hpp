#pragma once
// The memory that the recorder in a program shares with the command that started it: one mapping of a memfd.
// lab/freehold_lab/advise/record/layout.py describes the same layout.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace recorder {

constexpr std::uint64_t magic = 0x31304456'44414846;  // FHADVD01
constexpr std::uint32_t chunk_bytes = 256 * 1024;
constexpr std::uint32_t most_chunks = 4096;  // each thread holds one
constexpr std::uint32_t most_processes = 65536;
constexpr std::uint32_t most_named = 4;     // programs without the recorder
constexpr std::uint32_t most_letters = 48;  // of a name, with the 0 at its end

enum chunk_state : std::uint32_t { unused, owned, full };

struct alignas(64) chunk_header {
    std::atomic<std::uint32_t> state;
    std::uint32_t process;
    std::uint32_t thread;             // counted in each process
    std::uint32_t number;             // of the thread's chunks
    std::atomic<std::uint32_t> used;  // bytes of whole events
};

struct process_entry {
    std::uint32_t pid;
    std::uint32_t parent;  // the number of the process that this one was forked from, or no_parent
};
constexpr std::uint32_t no_parent = 0xffff'ffff;

struct shared_memory {
    std::uint64_t magic;
    std::uint32_t reader;                  // its process
    std::atomic<std::uint32_t> closed;     // nothing more is read
    std::atomic<std::uint32_t> processes;  // entries below
    std::atomic<std::uint32_t> filled;     // chunks, by the program
    std::atomic<std::uint32_t> emptied;    // of these, by the reader
    std::uint32_t most_behind;             // full chunks; a program that is further ahead of its reader waits
    std::atomic<std::uint64_t> waits;
    std::atomic<std::uint64_t> waited_nanoseconds;
    std::atomic<std::uint64_t> lost;        // events
    std::atomic<std::uint64_t> cut;         // sites whose callers were not all found
    std::uint64_t sampled_bytes;            // one of this many is chosen; 0: all is recorded
    std::atomic<std::uint32_t> unrecorded;  // programs that were begun without the recorder
    char unrecorded_name[most_named][most_letters];
    alignas(128) process_entry process[most_processes];
    chunk_header chunk[most_chunks];
};

constexpr std::size_t header_bytes = (sizeof(shared_memory) + 4095) / 4096 * 4096;
constexpr std::size_t mapping_bytes = header_bytes + std::size_t{chunk_bytes} * most_chunks;

}
