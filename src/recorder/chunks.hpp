#pragma once
// Chunks of the shared mapping: a thread owns one and fills it; the reader empties it.

#include <cerrno>
#include <cstdint>
#include <ctime>

#include <signal.h>

#include "process.hpp"

namespace recorder {

inline std::uint8_t* bytes_of(const chunk_header& chunk) {
    return reinterpret_cast<std::uint8_t*>(shared) + header_bytes +
           static_cast<std::size_t>(&chunk - shared->chunk) * chunk_bytes;
}

inline void stop_recording() { is_recording.store(false, std::memory_order_relaxed); }

// Waits while the reader is behind. Returns false if nobody reads any more.
inline bool wait_for_reader() {
    constexpr timespec pause{0, 200'000};
    for (unsigned tries = 0;; ++tries) {
        if (shared->closed.load(std::memory_order_relaxed)) return false;
        const std::uint32_t emptied = shared->emptied.load(std::memory_order_relaxed);
        if (shared->filled.load(std::memory_order_relaxed) - emptied < shared->most_behind) return true;
        if (tries % 1024 == 1023 && kill(static_cast<pid_t>(shared->reader), 0) != 0 && errno == ESRCH) return false;
        nanosleep(&pause, nullptr);
        shared->waits.fetch_add(1, std::memory_order_relaxed);
        shared->waited_nanoseconds.fetch_add(pause.tv_nsec, std::memory_order_relaxed);
    }
}

inline void give_up(thread_memory& me) {
    if (me.chunk == nullptr) return;
    shared->filled.fetch_add(1, std::memory_order_relaxed);
    // release: the reader that sees it full sees all that is in it
    me.chunk->state.store(full, std::memory_order_release);
    me.chunk = nullptr;
    me.at = me.end = nullptr;
}

// Makes `me` the owner of an empty chunk. Returns false if there is none.
[[gnu::noinline, gnu::cold]] inline bool claim(thread_memory& me) {
    const int error = errno;
    give_up(me);
    const bool is_read = wait_for_reader();
    if (!is_read) stop_recording();
    // The lowest, so that few pages are ever touched.
    for (std::uint32_t i = 0; is_read && i < most_chunks; ++i) {
        chunk_header& each = shared->chunk[i];
        std::uint32_t state = unused;
        if (each.state.load(std::memory_order_relaxed) != unused) continue;
        // acquire: pairs with the reader's store once it has read what was in it
        if (!each.state.compare_exchange_strong(state, owned, std::memory_order_acquire)) continue;
        if (me.number == 0) me.number = process->threads.fetch_add(1, std::memory_order_relaxed) + 1;
        each.process = process->number;
        each.thread = me.number;
        each.number = me.chunks++;
        each.used.store(0, std::memory_order_release);
        me.chunk = &each;
        me.at = bytes_of(each);
        me.end = me.at + chunk_bytes;
        me.last_time = me.last_address = 0;
        pthread_setspecific(thread_end, &me);
        break;
    }
    if (me.chunk == nullptr) shared->lost.fetch_add(1, std::memory_order_relaxed);
    errno = error;
    return me.chunk != nullptr;
}

inline bool has_room(thread_memory& me, std::size_t bytes) {
    return __builtin_expect(static_cast<std::size_t>(me.end - me.at) >= bytes, 1) || claim(me);
}

// Says that what is before `at` is whole. A process that is killed has lost nothing before it.
inline void commit(thread_memory& me, std::uint8_t* at) {
    me.at = at;
    // release: pairs with the reader, which reads as much of the chunk of a thread that is no more
    me.chunk->used.store(static_cast<std::uint32_t>(at - (me.end - chunk_bytes)), std::memory_order_release);
}

}
