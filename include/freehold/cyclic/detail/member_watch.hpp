#pragma once
// Notices, without NDEBUG, that a pointer is a member of a new object and its trace does not visit it.
//
// While an object is constructed, the pointers that come to be within it are counted. With NDEBUG nothing is.

#include <cstddef>
#include <functional>
#include <memory>

#include "../../core/assert.hpp"
#include "../../core/static_tls.hpp"
#include "../../core/type_name.hpp"
#include "../../tracing/trace.hpp"

namespace freehold::detail {

#ifdef NDEBUG

struct member_watch {
    member_watch(const void*, std::size_t) noexcept {}

    static void count(const void*, int) noexcept {}

    void check(const auto&) const noexcept {}
};

#else

class member_watch {
public:
    // The object will be constructed in `bytes` bytes at `begin`.
    member_watch(const void* begin, std::size_t bytes) noexcept
        : begin_(static_cast<const std::byte*>(begin)), end_(begin_ + bytes), outer_(innermost) {
        innermost = this;
    }

    member_watch(const member_watch&) = delete;
    member_watch& operator=(const member_watch&) = delete;

    ~member_watch() { innermost = outer_; }

    // Effects: there is a pointer at that address now (1), or no more (-1).
    static void count(const void* pointer, int difference) noexcept {
        for (member_watch* watch = innermost; watch != nullptr; watch = watch->outer_) {
            if (watch->holds(pointer)) watch->members_ += difference;
        }
    }

    // Requires: the object's trace visits every pointer that is a member of it.
    template <class T>
    void check(const T& object) const noexcept {
        int visited = 0;
        const auto visit = [&](const auto& pointer) { visited += holds(std::addressof(pointer)) ? 1 : 0; };
        freehold::trace(object, visit);
        const bool trace_visits_every_member = members_ <= visited;
        FREEHOLD_EXPECTS(trace_visits_every_member, "the type's trace(visit) does not visit all of its cyclic pointers",
                         type_name<T>);
    }

private:
    [[nodiscard]] bool holds(const void* pointer) const noexcept {
        return !std::less<>()(pointer, static_cast<const void*>(begin_)) &&
               std::less<>()(pointer, static_cast<const void*>(end_));
    }

    FREEHOLD_STATIC_TLS static inline constinit thread_local member_watch* innermost = nullptr;

    const std::byte* begin_;
    const std::byte* end_;
    member_watch* outer_;
    int members_ = 0;
};

#endif

}  // namespace freehold::detail
