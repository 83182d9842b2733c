#pragma once
// Checks, without NDEBUG, that the trace(visit) of a new object's class names all traced_ptrs that were constructed in
// the object: while its constructor runs, it notes their addresses. Each must be inside a member that is named.
//
// A member that is named is not looked into, unless it has a trace(visit) of its own: a disengaged optional names its
// traced_ptr, too. Only classes with such a trace are checked; reflection forgets nothing.

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../core/type_name.hpp"
#include "../../tracing/trace.hpp"
#include "container_watch.hpp"
#include "hidden_words.hpp"

namespace freehold::inline v0_2::detail {

class constructed_members {
public:
    static constexpr bool gets_members = true;

    // Whether objects of a T are checked.
    template <class T>
    static constexpr bool checks =
        container_watch::is_on &&
        detail::find_part<idle_visitor, structure::member_function>(type_list<T>()) == finding::wanted;

    // The object will be constructed in the `bytes` bytes at `begin`.
    constructed_members(const void* begin, std::size_t bytes) noexcept
        : begin_(begin), bytes_(bytes), outer_(innermost) {
        innermost = this;
    }

    ~constructed_members() { innermost = outer_; }

    // Effects: a traced_ptr was constructed at the address.
    static void note(const void* pointer) noexcept {
        for (constructed_members* each = innermost; each != nullptr; each = each->outer_) {
            if (is_inside(pointer, each->begin_, each->bytes_)) static_cast<void>(each->pointers_.push(pointer));
        }
    }

    // Requires: the object's trace names each of its pointers.
    template <class T>
    void check_trace(const T& object) {
        this->name(object);
        [[maybe_unused]] const bool trace_visits_every_member = pointers_.empty();
        FREEHOLD_EXPECTS(trace_visits_every_member,
                         "the type's trace(visit) does not visit all of its traced_ptrs; what they point to would be "
                         "freed; name each in visit(...)",
                         type_name<T>);
    }

    // Effects: the pointers in the member need not be looked for any more, unless its own trace does not name them.
    template <class Member>
    void name(const Member& member) {
        constexpr structure how = detail::structure_of<Member, idle_visitor>();
        if constexpr (how == structure::member_function) {
            member_visitor<constructed_members> visit(*this);
            member.trace(visit);
        } else if constexpr (checks<Member> && (how == structure::members || how == structure::product ||
                                                std::is_array_v<Member> || is_std_array<Member>)) {
            parts<Member, how>::each(member, [this](const auto& part) { this->name(part); });
        } else {
            const void** kept = pointers_.begin();
            for (const void* const each : pointers_) {
                if (!is_inside(each, __builtin_addressof(member), sizeof(Member))) *kept++ = each;
            }
            pointers_.truncate(static_cast<std::size_t>(kept - pointers_.begin()));
        }
    }

private:
    [[nodiscard]] static bool is_inside(const void* address, const void* begin, std::size_t bytes) noexcept {
        return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin) < bytes;
    }

    FREEHOLD_STATIC_TLS static inline constinit thread_local constructed_members* innermost = nullptr;

    const void* begin_;
    std::size_t bytes_;
    constructed_members* outer_;
    growing_list<const void*> pointers_;
};

// Returns: a new T(arguments...) at the place. Requires: its trace names each of its traced_ptrs.
template <class T, class... Arguments>
FREEHOLD_ALWAYS_INLINE inline T* construct_checked(void* place, Arguments&&... arguments) {
    if constexpr (may_hide_words<T>) detail::clear_before_construction(place, sizeof(T));
    if constexpr (constructed_members::checks<T>) {
        constructed_members members(place, sizeof(T));
        T* const object = ::new (place) T(std::forward<Arguments>(arguments)...);
        members.check_trace(*object);
        return object;
    } else {
        return ::new (place) T(std::forward<Arguments>(arguments)...);
    }
}

}  // namespace freehold::detail
