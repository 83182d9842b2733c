#pragma once
// cyclic_object<T, Domain>: how objects of exactly the type T are made, released and ended in a domain.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/annotate.hpp"
#include "../../core/type_name.hpp"
#include "../../tracing/trace.hpp"
#include "cell_free_list.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "member_watch.hpp"
#include "trial_deletion.hpp"

namespace freehold {

// Whether an object of exactly the type T may be part of a cycle: unless there is no traced pointer in it. What can't
// is never a candidate, and no collection looks at it. To be specialised by users who know better, before the first
// make_cyclic<T>: what is wrongly excluded leaks.
template <class T>
inline constexpr bool may_be_in_cycle = leads_to_traced<T>;

namespace detail {

template <class T, class Domain>
class cyclic_object {
    static constexpr bool is_acyclic = !may_be_in_cycle<T>;
    static constexpr bool has_finalizer = requires(T& object) { object.finalize(); };
    static constexpr cell_shape shape = detail::shape_of_cells(sizeof(T), alignof(T), Domain::prefix);
    static constexpr bool is_alone = shape.count == 1;

    static_assert(std::is_same_v<T, std::remove_cv_t<T>>);

public:
    // Returns: the header of a new object, which has one owner.
    // Throws: std::bad_alloc, or what the constructor throws; then nothing is left behind.
    template <class... Arguments>
    [[nodiscard, gnu::always_inline]] static cyclic_header* make(Arguments&&... arguments) {
        Domain::template prepare<!is_acyclic>();
        linked_cell* const cell = Domain::template allocate<T>(type);
        annotate_allocated(reinterpret_cast<std::byte*>(cell) - shape.prefix, shape.bytes);
        claim claimed(cell);
        T* const object = static_cast<T*>(static_cast<void*>(cell + 1));
        {
            const member_watch watch(object, sizeof(T));
            ::new (static_cast<void*>(object)) T(std::forward<Arguments>(arguments)...);
            watch.check(*object);
        }
        claimed.cell = nullptr;
        Domain::open(cell);
        return ::new (static_cast<void*>(cell)) cyclic_header(!is_acyclic);
    }

    // Effects: ends an object that has no owner.
    static void end(cyclic_header& header) noexcept {
        cyclic_thread& thread = Domain::here();
        if (header.is_known_elsewhere()) [[unlikely]] {
            if (header.place() != 0) thread.clear_suspicion(header);
            if (header.is(cyclic_header::observed)) Domain::expire(header);
        }
        if constexpr (std::is_trivially_destructible_v<T> && !has_finalizer) {
            free(header);
        } else {
            if (!thread.is_ending()) {
                thread.as_outermost([&] {
                    end_now(header);
                    if (thread.waiting != 0) [[unlikely]]
                        thread.work_off();
                });
            } else if (thread.is_too_deep()) [[unlikely]] {
                thread.put_off(header);
            } else {
                end_now(header);
            }
        }
    }

private:
    // Frees the cell where the constructor throws.
    struct claim {
        explicit claim(linked_cell* claimed) noexcept : cell(claimed) {}
        claim(const claim&) = delete;
        claim& operator=(const claim&) = delete;
        ~claim() {
            if (cell != nullptr) free(*reinterpret_cast<cyclic_header*>(cell));
        }

        linked_cell* cell;
    };

    [[nodiscard]] static T& object_of(cyclic_header& header) noexcept { return *static_cast<T*>(header.object()); }

    static void trace_object(cyclic_header& header, trial_deletion& run) {
        edge_visitor<Domain> visitor(run);
        freehold::trace(std::as_const(object_of(header)), visitor);
    }

    static void destroy(cyclic_header& header) noexcept { object_of(header).~T(); }

    static void free(cyclic_header& header) noexcept { Domain::template free<T, is_alone>(header, shape); }

    // Nobody can become an owner of an object that finalize() is called for here.
    static void end_now(cyclic_header& header) noexcept {
        if constexpr (has_finalizer) {
            if (!header.is(cyclic_header::finalized)) finalize(header);
        }
        destroy(header);
        free(header);
    }

    static void finalize([[maybe_unused]] cyclic_header& header) noexcept {
        if constexpr (has_finalizer) object_of(header).finalize();
    }

    static constexpr cyclic_type type{
        shape,   type_name<T>, trace_object, Domain::expire, has_finalizer ? finalize : nullptr,
        destroy, free,         end,          end_now,        Domain::template free_list_of<T>};
};

}  // namespace detail
}  // namespace freehold
