#pragma once
// How an event is written. src/advise/events.hpp reads them.

#include <cstdint>
#include <cstring>

#include <x86intrin.h>

#include "chunks.hpp"
#include "kinds.hpp"

namespace recorder {

// Not before all that came before it in this thread, so that a block that was handed over is freed after it was made.
inline std::uint64_t now() {
    unsigned processor = 0;
    return __rdtscp(&processor);
}

// Returns the time of an event. While one thread alone has recorded, about one event in 64 has its own, and the others
// that of one before: their order is that in which they are written.
inline std::uint64_t event_time(thread_memory& me) {
    // relaxed: what makes a block of one thread another's also shows this one that the other has recorded
    const bool is_alone = process->threads.load(std::memory_order_relaxed) == 1;
    if (is_alone && me.last_time != 0 && ++me.without_time % 64 != 0) return me.last_time;
    return now();
}

class writer {
public:
    explicit writer(thread_memory& me) : me_(me), at_(me.at) {}

    writer& byte(std::uint8_t value) { return *at_++ = value, *this; }

    writer& number(std::uint64_t value) {
        while (value >= 0x80) {
            *at_++ = static_cast<std::uint8_t>(value | 0x80);
            value >>= 7;
        }
        return byte(static_cast<std::uint8_t>(value));
    }

    writer& signed_number(std::int64_t value) {
        return number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
    }

    writer& text(const char* text, std::size_t letters) {
        number(letters);
        std::memcpy(at_, text, letters);
        at_ += letters;
        return *this;
    }

    // The time since the thread's event before.
    writer& time(std::uint64_t time) {
        const std::uint64_t since = time > me_.last_time ? time - me_.last_time : 0;
        me_.last_time += since;
        return number(since);
    }

    // The distance from the thread's address before. Every allocator aligns its blocks to 8.
    writer& address(const void* block) {
        const auto place = reinterpret_cast<std::uint64_t>(block);
        const auto distance = static_cast<std::int64_t>(place - me_.last_address);
        me_.last_address = place;
        return signed_number(distance >> 3);
    }

    void commit() { recorder::commit(me_, at_); }

private:
    thread_memory& me_;
    std::uint8_t* at_;
};

constexpr std::size_t most_event_bytes = 80;

inline void write_free(thread_memory& me, kind what, const void* block, std::uint64_t time) {
    if (!has_room(me, most_event_bytes)) return;
    writer(me).byte(what).time(time).address(block).commit();
}

inline void write_free(thread_memory& me, kind what, const void* block) {
    if (!has_room(me, most_event_bytes)) return;  // which counts the thread, before its time
    write_free(me, what, block, event_time(me));
}

inline void write_allocation(thread_memory& me, kind what, const void* block, std::uint64_t size, std::uint32_t site,
                             std::uint64_t alignment) {
    if (!has_room(me, most_event_bytes)) return;
    writer out(me);
    out.byte(what).time(event_time(me)).address(block).number(size).number(site);
    if (has_alignment(what)) out.number(alignment);
    out.commit();
}

// A realloc frees at its start and allocates at its end: another thread may get the old block between.
inline void write_reallocation(thread_memory& me, const void* old, std::uint64_t start, const void* block,
                               std::uint64_t size, std::uint32_t site) {
    if (!has_room(me, most_event_bytes)) return;
    writer out(me);
    out.byte(kind::reallocated).time(start).address(old).time(now()).address(block);
    out.number(size).number(site).commit();
}

inline void write_site(thread_memory& me, std::uint32_t number, const std::uint32_t* modules,
                       const std::uint64_t* offsets, std::uint32_t frames) {
    if (!has_room(me, most_event_bytes + 16 * std::size_t{most_frames})) return;
    writer out(me);
    out.byte(kind::site).number(number).number(frames);
    for (std::uint32_t i = 0; i < frames; ++i) out.number(modules[i]).number(offsets[i]);
    out.commit();
}

inline void write_module(thread_memory& me, std::uint32_t number, const char* name) {
    const std::size_t letters = strnlen(name, 4096);
    if (!has_room(me, most_event_bytes + letters)) return;
    writer(me).byte(kind::module_name).number(number).text(name, letters).commit();
}

}
