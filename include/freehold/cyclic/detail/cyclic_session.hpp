#pragma once
// What a thread knows of its objects in a heap that it shares, while it has a session there.

#include <atomic>
#include <cstddef>
#include <new>

#include "../../core/growing_buffer.hpp"
#include "../../core/static_tls.hpp"
#include "cell_free_list.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"

namespace freehold::detail {

template <class Threading>
class mutator_registry;

template <class Threading>
struct cyclic_session : cyclic_thread {
    explicit cyclic_session(mutator_registry<Threading>& shared) noexcept : registry(shared) {
        id = next_cyclic_thread();
    }

    cyclic_session(const cyclic_session&) = delete;
    cyclic_session& operator=(const cyclic_session&) = delete;

    ~cyclic_session() {
        candidates.release();
        for (const cell_free_list* const free_list : supplies_by_type) delete free_list;
    }

    // Returns: the free_list of the type with that number, or a null pointer where there is no memory for it.
    [[nodiscard]] cell_free_list* free_list_of(std::size_t type) noexcept {
        if (type < supplies_by_type.size() && supplies_by_type[type] != nullptr) [[likely]]
            return supplies_by_type[type];
        return add_free_list(type);
    }

    // The session of the calling thread, of which there is one at a time.
    FREEHOLD_STATIC_TLS static inline constinit thread_local cyclic_session* this_cyclic_session = nullptr;

    mutator_registry<Threading>& registry;
    std::size_t suspected_elsewhere = 0;  // of other sessions' objects, since the last collection

    // Somebody wants the session to stand still, or has written something down for it. relaxed: it only hastens what
    // the heap's lock orders.
    typename Threading::template atomic<bool> is_asked = false;

    // With the lock of the heap: objects that may have no owner, and that only this session can tell.
    growing_list<cyclic_header*> arrivals;
    bool lost_arrivals = false;  // there was no room for one: it is among the objects that say so
    cyclic_session* next = nullptr;
    cyclic_session* previous = nullptr;

private:
    [[gnu::noinline]] cell_free_list* add_free_list(std::size_t type) noexcept {
        while (supplies_by_type.size() <= type) {
            if (!supplies_by_type.push(nullptr)) return nullptr;
        }
        return supplies_by_type[type] = new (std::nothrow) cell_free_list();
    }

    growing_list<cell_free_list*> supplies_by_type;
};

// Returns: a number for the type, by which sessions find its free_list.
[[nodiscard]] inline std::size_t next_cyclic_type() noexcept {
    static constinit std::atomic<std::size_t> next = 0;
    return next.fetch_add(1, std::memory_order_relaxed);  // relaxed: the number orders nothing
}

template <class T>
[[nodiscard]] std::size_t number_of_cyclic_type() noexcept {
    static const std::size_t number = next_cyclic_type();
    return number;
}

}  // namespace freehold::detail
