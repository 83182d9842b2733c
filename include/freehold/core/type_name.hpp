#pragma once
// The names of types as in source code, also without run-time type information.

#include <cstddef>

#include "config.hpp"

namespace freehold::inline v0_2::detail {

// Characters without a terminating null.
struct characters {
    const char* begin;
    std::size_t length;
};

// Returns: the compiler's name of T.
template <class T>
[[nodiscard]] consteval characters name_of() {
    // "… name_of() [with T = widget]"
    const char* begin = __PRETTY_FUNCTION__;
    while (begin[0] != 'T' || begin[1] != ' ' || begin[2] != '=') ++begin;
    begin += sizeof("T = ") - 1;
    std::size_t length = 0;
    while (begin[length + 1] != '\0') ++length;
    return {begin, length};
}

inline constexpr char versioned[] = "freehold::v0_2::";
inline constexpr std::size_t unversioned = sizeof("freehold::") - 1;

// Effects: appends `added` without the version of Freehold's namespace. Returns: the end of the appended characters.
consteval char* append(char* to, characters added) {
    std::size_t matched = 0;  // characters of `versioned` that end here
    for (std::size_t i = 0; i < added.length; ++i) {
        *to++ = added.begin[i];
        matched = added.begin[i] == versioned[matched] ? matched + 1 : added.begin[i] == versioned[0] ? 1 : 0;
        if (versioned[matched] != '\0') continue;
        for (; matched > unversioned; --matched) *--to = '\0';
        matched = 0;
    }
    return to;
}

template <class T>
struct type_name_storage {
    static constexpr characters name = detail::name_of<T>();

    consteval type_name_storage() { detail::append(letters, name); }

    char letters[name.length + 1] = {};
};

template <class T>
inline constexpr type_name_storage<T> stored_type_name;

// The same, null-terminated.
template <class T>
inline constexpr const char* type_name = stored_type_name<T>.letters;

// A string as a template argument.
template <std::size_t size>
struct literal {
    consteval literal(const char (&text)[size]) {
        for (std::size_t i = 0; i < size; ++i) letters[i] = text[i];
    }

    char letters[size];  // null-terminated
};

template <literal prefix, class T>
struct prefixed_name_storage {
    static constexpr characters name = detail::name_of<T>();

    consteval prefixed_name_storage() {
        detail::append(detail::append(letters, {prefix.letters, sizeof(prefix.letters) - 1}), name);
    }

    char letters[sizeof(prefix.letters) + name.length] = {};
};

template <literal prefix, class T>
inline constexpr prefixed_name_storage<prefix, T> stored_prefixed_name;

// type_name<T>, with the prefix before it in memory, where a reader of the program's memory finds it.
template <literal prefix, class T>
inline constexpr const char* prefixed_name = stored_prefixed_name<prefix, T>.letters + sizeof(prefix.letters) - 1;

// The prefix of the names of pointers with this counting policy: "local_" in local_shared_ptr. A policy specializes it.
template <class Counting>
inline constexpr literal counting_prefix{""};

template <literal prefix, literal name, class T>
struct pointer_name_storage {
    static constexpr literal library{"freehold::"};
    static constexpr characters pointee = detail::name_of<T>();

    consteval pointer_name_storage() {
        char* end = detail::append(letters, {library.letters, sizeof(library.letters) - 1});
        end = detail::append(end, {prefix.letters, sizeof(prefix.letters) - 1});
        end = detail::append(end, {name.letters, sizeof(name.letters) - 1});
        end = detail::append(end, {"<", 1});
        end = detail::append(end, pointee);
        detail::append(end, {">", 1});
    }

    // The terminating nulls of three literals leave room for the brackets and one null.
    char letters[sizeof(library.letters) + sizeof(prefix.letters) + sizeof(name.letters) + pointee.length] = {};
};

template <literal prefix, literal name, class T>
inline constexpr pointer_name_storage<prefix, name, T> stored_pointer_name;

// "freehold::local_shared_ptr<widget>" of "local_", "shared_ptr" and widget, null-terminated. For pointers
// whose users write fewer template arguments than the class has.
template <literal prefix, literal name, class T>
inline constexpr const char* pointer_name = stored_pointer_name<prefix, name, T>.letters;

}  // namespace freehold::detail
