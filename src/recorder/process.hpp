#pragma once
// What the recorder knows of the process that it is in, in memory that is zeros again in a child of fork.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pthread.h>
#include <sys/mman.h>

#include "modules.hpp"
#include "rules.hpp"
#include "sampling.hpp"
#include "shared.hpp"
#include "sites.hpp"
#include "versions.hpp"

namespace recorder {

struct process_memory {
    std::atomic<bool> is_known;  // false in a child of fork that has not been entered
    std::uint32_t number;
    std::atomic<std::uint32_t> threads;
    std::atomic<std::uint32_t> generation;  // how often modules went away, which makes rules and sites wrong
    module_list modules;
    rule_table rules;
    site_table sites;
    sampled_blocks sampled;
};

struct thread_memory {
    std::uint8_t* at;   // where the next event goes
    std::uint8_t* end;  // of the chunk
    chunk_header* chunk;
    std::uint64_t last_time, last_address;
    std::uint32_t number, chunks;
    std::uint32_t without_time;  // events
    bool is_busy;                // in the recorder, which must not record itself
    std::uint8_t called_by;      // the form of operator new or delete that is calling malloc or free
    std::uint64_t frame;         // of that operator
    std::uint64_t unsampled;     // bytes that it may allocate and are not recorded; 0: also where all is
    distances sampling;
};

extern shared_memory* shared;
extern process_memory* process;
extern std::atomic<bool> is_recording;
extern std::atomic<sampled_blocks*> sampled;  // null where all is recorded
extern pthread_key_t thread_end;
extern constinit thread_local thread_memory current [[gnu::tls_model("initial-exec")]];

inline void* pages(std::size_t bytes) {
    void* const found =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return found == MAP_FAILED ? nullptr : found;
}

}
