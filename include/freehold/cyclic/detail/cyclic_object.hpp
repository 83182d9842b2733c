#pragma once
// cyclic_object<T, Domain>: makes, destroys and traces objects of exactly the type T in a domain.

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/annotate.hpp"
#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/type_name.hpp"
#include "../../tracing/owned_bytes.hpp"
#include "../../tracing/trace.hpp"
#include "../may_be_in_cycle.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "graph_walk.hpp"

namespace freehold::inline v0_2::detail {

// member_watch checks, without NDEBUG, that a new object's trace visits all of its cyclic pointers: while the object is
// constructed, it counts the pointers that are constructed within it.
#ifdef NDEBUG

struct member_watch {
    member_watch(const void*, std::size_t) noexcept {}

    static void count(const void*, int) noexcept {}

    void check_trace(const auto&) const noexcept {}
};

#else

class member_watch {
public:
    // The object will be constructed in the `bytes` bytes at `begin`.
    member_watch(const void* begin, std::size_t bytes) noexcept
        : begin_(static_cast<const std::byte*>(begin)), end_(begin_ + bytes), outer_(innermost) {
        innermost = this;
    }

    member_watch(const member_watch&) = delete;
    member_watch& operator=(const member_watch&) = delete;

    ~member_watch() { innermost = outer_; }

    // Effects: a pointer was constructed (1) or destroyed (-1) at the address.
    static void count(const void* pointer, int difference) noexcept {
        for (member_watch* watch = innermost; watch != nullptr; watch = watch->outer_) {
            if (watch->holds(pointer)) watch->members_ += difference;
        }
    }

    // Requires: the object's trace visits each of its pointers.
    template <class T>
    void check_trace(const T& object) const noexcept {
        int visited = 0;
        const auto visit = [&](const auto& pointer) { visited += holds(__builtin_addressof(pointer)) ? 1 : 0; };
        freehold::trace(object, visit);
        const bool trace_visits_every_member = members_ <= visited;
        FREEHOLD_EXPECTS(trace_visits_every_member, "the type's trace(visit) does not visit all of its cyclic pointers",
                         type_name<T>);
    }

private:
    [[nodiscard]] bool holds(const void* pointer) const noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        return address >= reinterpret_cast<std::uintptr_t>(begin_) && address < reinterpret_cast<std::uintptr_t>(end_);
    }

    FREEHOLD_STATIC_TLS static inline constinit thread_local member_watch* innermost = nullptr;

    const std::byte* begin_;
    const std::byte* end_;
    member_watch* outer_;
    int members_ = 0;
};

#endif

template <class T, class Domain>
class cyclic_object {
    static constexpr bool is_acyclic = !may_be_in_cycle<T>;
    static constexpr bool has_finalizer = requires(T& object) { object.finalize(); };
    static constexpr cell_shape shape = detail::shape_of_cells(sizeof(T), alignof(T), Domain::shared_bytes);
    static constexpr bool is_alone = shape.count == 1;

    static_assert(std::is_same_v<T, std::remove_cv_t<T>>);

public:
    // Returns: the header of a new object, which has one owner.
    // Throws: std::bad_alloc, or what the constructor throws; then nothing is left behind.
    template <class... Arguments>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static cyclic_header* make(Arguments&&... arguments) {
        Domain::template prepare<!is_acyclic, shape.bytes>();
        linked_cell* const cell = Domain::template allocate<T>(type);
        annotate_allocated(cell, shape.bytes);
        claim claimed(cell);
        T* const object = static_cast<T*>(static_cast<void*>(cell + 1));
        {
            const member_watch watch(object, sizeof(T));
            ::new (static_cast<void*>(object)) T(std::forward<Arguments>(arguments)...);
            watch.check_trace(*object);
        }
        claimed.cell = nullptr;
        return ::new (static_cast<void*>(cell)) cyclic_header(!is_acyclic);
    }

    // Effects: finalizes, destroys and frees the object; defers that where destructors nest too deeply.
    // Requires: it has no owner.
    FREEHOLD_ALWAYS_INLINE static void dispose(cyclic_header& header) noexcept {
        cyclic_thread& thread = Domain::here();
        if (header.is(cyclic_header::has_weak)) [[unlikely]]
            Domain::expire(header);
        if constexpr (std::is_trivially_destructible_v<T> && !has_finalizer) {
            free(header);
        } else {
            if (!thread.is_destroying()) {
                thread.as_outermost([&] {
                    dispose_now(header);
                    if (thread.deferred != 0) [[unlikely]]
                        thread.drain();
                });
            } else if (thread.is_too_deep()) [[unlikely]] {
                thread.defer(header);
            } else {
                dispose_now(header);
            }
        }
    }

private:
    // Frees the cell if the constructor throws.
    struct claim {
        explicit claim(linked_cell* claimed) noexcept : cell(claimed) { ::new (static_cast<void*>(cell)) taken_cell; }
        claim(const claim&) = delete;
        claim& operator=(const claim&) = delete;
        ~claim() {
            if (cell != nullptr) free(*reinterpret_cast<cyclic_header*>(cell));
        }

        linked_cell* cell;
    };

    [[nodiscard]] static T& object_of(cyclic_header& header) noexcept { return *static_cast<T*>(header.object()); }

    static void trace_object(cyclic_header& header, graph_walk& walk) {
        edge_visitor<Domain> visitor(walk);
        freehold::trace(std::as_const(object_of(header)), visitor);
    }

    static std::size_t owned_bytes(cyclic_header& header) noexcept {
        return freehold::owned_bytes(std::as_const(object_of(header)));
    }

    static void destroy(cyclic_header& header) noexcept { object_of(header).~T(); }

    static void free(cyclic_header& header) noexcept { Domain::template free<T, is_alone>(header, shape); }

    // finalize() can't make an owner here: there is none to copy, and the weak pointers have expired.
    static void dispose_now(cyclic_header& header) noexcept {
        if constexpr (has_finalizer) {
            if (!header.is(cyclic_header::finalized)) finalize(header);
        }
        destroy(header);
        free(header);
    }

    static void finalize([[maybe_unused]] cyclic_header& header) noexcept {
        if constexpr (has_finalizer) object_of(header).finalize();
    }

    static constexpr cyclic_type type{shape,
                                      prefixed_name<cyclic_type_prefix, T>,
                                      trace_object,
                                      Domain::expire,
                                      has_finalizer ? finalize : nullptr,
                                      destroy,
                                      free,
                                      dispose,
                                      dispose_now,
                                      Domain::template free_list_of<T>,
                                      may_own_memory<T> ? owned_bytes : nullptr,
                                      Domain::template usual_bytes_of<T>()};
};

}  // namespace freehold::detail
