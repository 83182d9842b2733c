#pragma once
// Finds, without NDEBUG, the classes that keep a heap with a budget from marking in steps only because they declare
// nothing: they have a trace(visit), which visits what is in the object. A program that does not know of
// traces_concurrently and points_directly notices nothing but long pauses.
//
// A class that owns traced pointers outside of its objects can declare nothing, and is not reported.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>

#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../core/type_name.hpp"
#include "../../tracing/points_directly.hpp"
#include "../../tracing/trace.hpp"
#include "../../tracing/traces_concurrently.hpp"
#include "container_watch.hpp"

namespace freehold::inline v0_2::detail {

// Whether all pointers of a T may be inside, and only the `trace` of a class that declares nothing hides that.
template <class T>
inline constexpr bool may_lack_declaration =
    container_watch::is_on && may_lead_outside<T> && !detail::leads_outside<T, true>();

class undeclared_classes {
public:
    static constexpr bool gets_members = true;

    // Effects: notes the classes of the object and its parts that declare nothing.
    template <class T>
    void check_object(const T& object) noexcept {
        begin_ = std::bit_cast<std::uintptr_t>(std::addressof(object));
        bytes_ = sizeof(T);
        name(object);
    }

    template <class Part>
    void name(const Part& part) noexcept {
        if constexpr (!may_lead_outside<Part>) {
            if (class_ == nullptr) return;
            const auto place = std::bit_cast<std::uintptr_t>(std::addressof(part));
            if (leads_to_traced<Part> && place - begin_ >= bytes_) class_->leads_outside = true;
            if (!detail::is_traced_concurrently<Part>()) class_->is_concurrent = false;
        } else if constexpr (detail::leads_outside<Part, true>()) {
            if (class_ != nullptr) class_->leads_outside = true;
        } else if constexpr (detail::structure_of<Part, idle_visitor>() == structure::member_function) {
            found its = {.name = type_name<Part>, .is_reported = &is_reported<Part>};
            found* const outer = std::exchange(class_, &its);
            member_visitor<undeclared_classes> visit(*this);
            part.trace(visit);
            class_ = outer;
            if (outer != nullptr) outer->leads_outside = true;  // until this class declares something
            add(its);
        } else {
            parts<Part, detail::structure_of<Part, idle_visitor>()>::each(
                part, [this](const auto& each) { this->name(each); });
        }
    }

    // Effects: reports each class once in the life of the program, unless few of the objects that are traced again are
    // of that class.
    void report(std::size_t retraced) const noexcept {
        for (const found& each : found_) {
            if (each.leads_outside || each.objects < retraced / 8) continue;
            // relaxed: nothing else is ordered by it
            if (!each.is_reported->exchange(true, std::memory_order_relaxed)) report(each);
        }
    }

private:
    struct found {
        const char* name;
        std::atomic<bool>* is_reported;
        std::size_t objects = 1;
        bool leads_outside = false;
        bool is_concurrent = true;  // its trace names nothing else than what may be traced beside the program
    };

    template <class T>
    static inline constinit std::atomic<bool> is_reported = false;

    // Effects: none if out of memory.
    void add(const found& added) noexcept {
        for (found& each : found_) {
            if (each.name != added.name) continue;
            ++each.objects;
            each.leads_outside = each.leads_outside || added.leads_outside;
            each.is_concurrent = each.is_concurrent && added.is_concurrent;
            return;
        }
        static_cast<void>(found_.push(added));
    }

    FREEHOLD_COLD FREEHOLD_NOINLINE static void report(const found& each) noexcept {
        std::fprintf(stderr,
                     "freehold: a heap with a pause_budget or a helper traces all objects of a class in one pause\n"
                     "    type: %s\n"
                     "    if its trace(visit) visits only what is in the object%s, declare:\n"
                     "    template <> inline constexpr bool freehold::%s<%s> = true;\n",
                     each.name, each.is_concurrent ? ", and reads nothing else that changes" : "",
                     each.is_concurrent ? "traces_concurrently" : "points_directly", each.name);
    }

    growing_list<found> found_;
    found* class_ = nullptr;    // whose trace runs
    std::uintptr_t begin_ = 0;  // of the object that is being looked at
    std::size_t bytes_ = 0;
};

}  // namespace freehold::detail
