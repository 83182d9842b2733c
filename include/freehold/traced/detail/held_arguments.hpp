#pragma once
// held_arguments: keeps alive what the arguments of a call lead to while the call allocates in a heap, and the object
// that the container is in. The arguments may be anywhere; the collector traces them where they are.
//
// The arguments that count are handles, those of the types Own, which hold pointers to this heap alone, and pairs and
// ranges of these. One that is itself in an object of the heap keeps that alive.
//
// A container of T takes T for its own type; the parts of an entry of a map are its own, too.

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../../tracing/trace.hpp"
#include "traced_handle.hpp"
#include "traced_marker.hpp"
#include "write_barrier.hpp"

namespace freehold::inline v0_2::detail {

// The arguments of the calls that are running, the last one first.
class held_values {
public:
    using list = const held_values*;

    held_values(const held_values&) = delete;
    held_values& operator=(const held_values&) = delete;

    // Effects: marks what the arguments of all calls lead to.
    static void mark_all(list last, traced_marker& marker) {
        for (; last != nullptr; last = last->outer_) last->mark_(*last, marker);
    }

protected:
    using function = void (*)(const held_values&, traced_marker&);

    held_values(list& last, function mark) noexcept : last_(last), outer_(last), mark_(mark) { last = this; }
    ~held_values() { last_ = outer_; }

private:
    list& last_;
    list outer_;
    function mark_;
};

// The values of a range are an argument.
template <class Iterator>
struct held_range {
    Iterator first;
    Iterator last;
};

template <class T>
struct own_types {
    using types = type_list<T>;
};

template <class Arguments, class Own>
class held_arguments;

template <class... Arguments, class... Own>
class held_arguments<type_list<Arguments...>, type_list<Own...>> : held_values {
public:
    // Requires: `member` is in an object of the heap.
    held_arguments(traced_space& heap, list& last, const void* member, const Arguments&... arguments) noexcept
        : held_values(last, mark), heap_(heap), member_(member), arguments_(arguments...) {}

private:
    static void mark(const held_values& held, traced_marker& marker) {
        const auto& self = static_cast<const held_arguments&>(held);
        marker.mark(self.member_);
        std::apply([&](const Arguments&... each) { (self.mark_argument(each, marker), ...); }, self.arguments_);
    }

    template <class Iterator>
    void mark_argument(const held_range<Iterator>& range, traced_marker& marker) const {
        if constexpr (requires { range.first.container(); }) mark_memory(range.first.container(), marker);
        for (Iterator each = range.first; each != range.last; ++each) mark_argument(*each, marker);
    }

    template <class Argument>
    void mark_argument(const Argument& argument, traced_marker& marker) const {
        mark_memory(std::addressof(argument), marker);
        if constexpr (std::is_base_of_v<traced_handle_tag, Argument>) {
            if (heap_.holds(argument.get())) marker.mark(argument.get());
        } else if constexpr ((std::is_same_v<Argument, Own> || ...)) {
            if constexpr (leads_to_traced<Argument>) marker.trace(argument);
        } else if constexpr (is_instance<std::pair, Argument>) {
            mark_argument(argument.first, marker);
            mark_argument(argument.second, marker);
        }
    }

    // Effects: keeps alive the object of the heap that the address is in, if it is in one.
    void mark_memory(const void* address, traced_marker& marker) const {
        if (heap_.chunks.contains(address)) marker.mark(address);
    }

    const traced_space& heap_;
    const void* member_;
    std::tuple<const Arguments&...> arguments_;
};

}  // namespace freehold::detail
