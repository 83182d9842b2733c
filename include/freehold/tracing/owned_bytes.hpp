#pragma once
// owned_bytes(object): the bytes that an object owns outside of itself, such as the buffer of its vector.
//
//     struct image { std::vector<char> pixels; };
//     freehold::owned_bytes(picture);                 // picture.pixels.capacity()
//
// A collector asks it, as an object of 24 bytes may keep a megabyte. Types need no help from their author where trace()
// needs none: it looks at the members of aggregates and at the elements of containers. It counts
//   a container with capacity()                       its capacity, unless the elements are inside the container
//   any other container                               its size, with the pointers that a node usually has
//   std::unique_ptr<T>                                the T, and what that owns
//   a class with a member function external_bytes()   what that returns
//   a class with a member function trace(visit)       the members that it visits
// and nothing else: no object that several pointers share, and no array of unknown length.
//
// It is an estimate. Of a long container it asks some elements, and of one object at most 256 parts; what the
// allocator adds is not known.
//
// Thread safety: that of reading the object. Exceptions: none, unless an iterator or a member function throws.
// Complexity: constant. Cost: no allocation; a type that can own nothing is known at compile time.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "trace.hpp"

namespace freehold::inline v0_2 {

namespace detail {

template <class T>
concept tells_external_bytes = requires(const T& object) {
    { object.external_bytes() } -> std::convertible_to<std::size_t>;
};

// Where a type has what it owns.
enum class ownership { nothing, told, pointee, buffer, nodes, parts, named };

template <class T>
consteval ownership ownership_of() {
    if constexpr (std::is_trivially_destructible_v<T>) {
        return ownership::nothing;
    } else if constexpr (tells_external_bytes<T>) {
        return ownership::told;
    } else {
        constexpr structure how = detail::structure_of<T, idle_visitor>();
        constexpr bool is_closed = how > structure::members && how < structure::base_pointee;
        if constexpr (how == structure::leaf || how == structure::pointer || is_closed) {
            return ownership::nothing;
        } else if constexpr (how == structure::member_function) {
            return ownership::named;
        } else if constexpr (template_of<T> == standard_template::unique_ptr) {
            return ownership::pointee;
        } else if constexpr (how != structure::elements || std::is_array_v<T> || is_std_array<T>) {
            return ownership::parts;
        } else {
            return requires(const T& range) { range.capacity(); } ? ownership::buffer : ownership::nodes;
        }
    }
}

template <class T>
using parts_of = parts<T, detail::structure_of<T, idle_visitor>()>;

template <class T>
consteval bool may_own() {
    if constexpr (detail::ownership_of<T>() == ownership::parts) {
        return []<class... Parts>(type_list<Parts...>) {
            return (detail::may_own<Parts>() || ...);
        }(typename parts_of<T>::types());
    } else {
        return detail::ownership_of<T>() != ownership::nothing;
    }
}

}  // namespace detail

// Whether a T may own memory outside of itself. Requires: T and the types of all its parts are complete.
template <class T>
inline constexpr bool may_own_memory = detail::may_own<std::remove_cv_t<T>>();

namespace detail {

class owned_bytes_counter {
public:
    static constexpr bool gets_members = true;

    // Effects: adds what the object owns.
    template <class T>
    void name(const T& object) {
        if constexpr (may_own_memory<T>) {
            constexpr ownership how = detail::ownership_of<T>();
            if (parts_left_ == 0) return;
            --parts_left_;
            if constexpr (how == ownership::told) {
                bytes += static_cast<std::size_t>(object.external_bytes());
            } else if constexpr (how == ownership::named) {
                member_visitor<owned_bytes_counter> visit(*this);
                object.trace(visit);
            } else if constexpr (how == ownership::parts) {
                parts_of<T>::each(object, [this](const auto& part) { this->name(part); });
            } else if constexpr (how == ownership::pointee) {
                if (!object) return;
                bytes += sizeof(*object);
                name(std::as_const(*object));
            } else if constexpr (how == ownership::buffer) {
                count_buffer(object);
            } else {
                count_nodes(object);
            }
        }
    }

    std::size_t bytes = 0;

private:
    static constexpr std::size_t max_parts = 256;
    static constexpr std::size_t max_elements = 16;  // of one container
    static constexpr std::size_t max_steps = 1024;   // to find out the length of a list

    template <class Range>
    void count_buffer(const Range& range) {
        if constexpr (requires { range.data(); }) {
            const void* const first = range.data();
            const auto offset =
                reinterpret_cast<std::uintptr_t>(first) - reinterpret_cast<std::uintptr_t>(__builtin_addressof(range));
            if (offset >= sizeof(range)) bytes += range.capacity() * sizeof(element_of<Range>);
        } else {
            bytes += range.capacity() / 8;  // std::vector<bool>
        }
        count_elements(range, range.size());
    }

    template <class Range>
    void count_nodes(const Range& range) {
        constexpr std::size_t word = sizeof(void*);
        std::size_t links = 2 * word;
        if constexpr (requires { range.bucket_count(); }) {
            bytes += range.bucket_count() * word;
        } else if constexpr (requires { typename Range::key_type; }) {
            links = 4 * word;
        } else if constexpr (requires { range[0]; }) {
            links = 0;  // std::deque
        }
        const std::size_t size = size_of(range);
        bytes += size * (sizeof(element_of<Range>) + links);
        count_elements(range, size);
    }

    template <class Range>
    [[nodiscard]] static std::size_t size_of(const Range& range) {
        if constexpr (requires { range.size(); }) {
            return static_cast<std::size_t>(range.size());
        } else {
            std::size_t size = 0;
            for (auto each = range.begin(); each != range.end() && size < max_steps; ++each) ++size;
            return size;
        }
    }

    // Effects: adds what the elements own. It asks some of them, at equal distances where that costs no steps.
    template <class Range>
    void count_elements(const Range& range, std::size_t size) {
        using reference = element_reference<Range>;
        if constexpr (may_own_memory<element_of<Range>> && refers_to_element<reference>) {
            const std::size_t before = bytes;
            std::size_t asked = 0;
            if constexpr (requires { range[0]; } && !requires { typename Range::key_type; }) {
                const std::size_t distance = size / max_elements + 1;
                for (std::size_t i = 0; i < size && parts_left_ != 0; i += distance, ++asked) name(range[i]);
            } else {
                for (auto each = range.begin(); each != range.end() && asked < max_elements && parts_left_ != 0;
                     ++each, ++asked) {
                    detail::use_element<reference>(*each, [this](const auto& part) { this->name(part); });
                }
            }
            if (asked != 0) bytes = before + (bytes - before) / asked * size;
        }
    }

    std::size_t parts_left_ = max_parts;
};

}  // namespace detail

// Returns: the bytes that the object owns outside of itself, as far as its type tells.
template <class T>
[[nodiscard]] std::size_t owned_bytes(const T& object) {
    detail::owned_bytes_counter counter;
    counter.name(object);
    return counter.bytes;
}

}  // namespace freehold
