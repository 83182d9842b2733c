#pragma once
// Which class template of the standard library a type is an instance of, for those whose headers cost much to include.
//
// The compiler's own name of the type tells: "std::stack<int>", with libc++ perhaps "std::__1::stack<int>". It is
// exact, as nobody else may declare a template in std; a class that is derived from one has another name.

#include <initializer_list>

#include "../../core/type_name.hpp"

namespace freehold::inline v0_2::detail {

// For those whose headers a program has.
template <template <class...> class Template, class T>
inline constexpr bool is_instance = false;
template <template <class...> class Template, class... Arguments>
inline constexpr bool is_instance<Template, Template<Arguments...>> = true;

enum class standard_template { other, leaf, optional, unique_ptr, adaptor };

// Effects: moves `text` behind `prefix`, if it begins with that. Returns: whether it does.
constexpr bool skip(const char*& text, const char* prefix) {
    const char* behind = text;
    for (; *prefix != '\0'; ++prefix, ++behind) {
        if (*behind != *prefix) return false;
    }
    text = behind;
    return true;
}

constexpr standard_template find_template(const char* name) {
    if (!detail::skip(name, "std::")) return standard_template::other;
    while (name[0] == '_' && name[1] == '_') {  // an inline namespace
        while (*name != ':' && *name != '<' && *name != '\0') ++name;
        if (!detail::skip(name, "::")) return standard_template::other;
    }
    for (const char* leaf : {"atomic<", "shared_ptr<", "weak_ptr<", "span<", "reference_wrapper<"}) {
        if (detail::skip(name, leaf)) return standard_template::leaf;
    }
    if (detail::skip(name, "optional<")) return standard_template::optional;
    if (detail::skip(name, "unique_ptr<")) return standard_template::unique_ptr;
    for (const char* adaptor : {"stack<", "queue<", "priority_queue<"}) {
        if (detail::skip(name, adaptor)) return standard_template::adaptor;
    }
    return standard_template::other;
}

template <class T>
inline constexpr standard_template template_of = detail::find_template(detail::name_of<T>().begin);

constexpr bool is_in_std(const char* name) { return detail::skip(name, "std::"); }

template <class T>
inline constexpr bool is_standard = detail::is_in_std(detail::name_of<T>().begin);

constexpr bool ends_in_bracket(characters name) { return name.begin[name.length - 1] == '>'; }

// Whether T is a class of the standard library that knows no type of the program's: no template, nor a member of one.
// It may be a filesystem::path, a condition_variable or a thread. Two hold an object of a type that they do not tell.
constexpr bool is_plain_standard(characters name) {
    if (!detail::is_in_std(name.begin)) return false;
    const char* last = name.begin;  // behind the last ::
    for (std::size_t i = 0; i < name.length; ++i) {
        if (name.begin[i] == '<') return false;
        if (name.begin[i] == ':') last = name.begin + i + 1;
    }
    return !detail::skip(last, "any") && !detail::skip(last, "exception_ptr");
}

template <class T>
inline constexpr bool holds_nothing_foreign = detail::is_plain_standard(detail::name_of<T>());

// Whether T is made from a template, and not a member of a class that is.
template <class T>
inline constexpr bool is_specialization = detail::ends_in_bracket(detail::name_of<T>());

}  // namespace freehold::detail
